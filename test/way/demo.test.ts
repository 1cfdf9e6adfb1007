// The README's first promise, as a newcomer sees it.

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');

it('shows the whole life of tasks, and leaves nothing behind', { timeout: 120_000 }, async () => {
  const temporary = await mkdtemp(join(tmpdir(), 'banto-demo-test-'));
  const env = { ...process.env, TMPDIR: temporary };
  const before = await run('git', ['status', '--porcelain'], { cwd: ROOT });
  const { stdout } = await run(process.execPath, ['bin/banto.js', 'demo', '--exit'], {
    cwd: ROOT,
    env,
  });
  expect(stdout).toMatch(/Banto is at http:\/\/127\.0\.0\.1:\d+/);
  for (const line of [
    /#6 .* is held: the body has no deliverables/,
    /#5 .* is held: it waits for #1/,
    /taro takes #3/,
    /taro dies without a word/,
    /the lease of taro on #3 .* ran out/,
    /takes #3 .*, attempt 2/,
    /fails #2 .*: the test database is locked/,
    /takes #2 .*, attempt 2/,
    /asks for changes to #4/,
    /takes #4 .* \(fix\)/,
    /approves #4/,
    /a person closes #1/,
    /takes #5/,
    /14 done, 1 held/,
  ]) {
    expect(stdout).toMatch(line);
  }
  const left = (await readdir(temporary)).filter((name) => name.startsWith('banto'));
  expect(left).toEqual([]);
  await rm(temporary, { recursive: true });
  const after = await run('git', ['status', '--porcelain'], { cwd: ROOT });
  expect(after.stdout).toBe(before.stdout);
});
