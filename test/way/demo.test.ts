// The README's first promise, as a newcomer sees it.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/redis-server.ts';

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

it('keeps a fleet busy and its page up until it is told to stop', {
  timeout: 120_000,
}, async () => {
  const temporary = await mkdtemp(join(tmpdir(), 'banto-demo-test-'));
  const port = await freePort();
  const env = { ...process.env, TMPDIR: temporary, BROKER_PORT: String(port) };
  const demo = spawn(process.execPath, ['bin/banto.js', 'demo', '--endless'], { cwd: ROOT, env });
  const url = `http://127.0.0.1:${port}`;
  const counts = async () => {
    const answer = await fetch(`${url}/api/v1/queue`).catch(() => null);
    return ((await answer?.json()) as { by_state: { leased: number } } | undefined)?.by_state;
  };
  await eventually(counts, (found) => (found?.leased ?? 0) >= 3, 60_000);
  const page = await fetch(url);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  demo.kill('SIGINT');
  const [code] = (await once(demo, 'exit')) as [number | null];
  expect(code).toBe(0);
  expect((await readdir(temporary)).filter((name) => name.startsWith('banto'))).toEqual([]);
  await rm(temporary, { recursive: true });
});

it('plays on a GitHub of its own, with pull requests and merges', {
  timeout: 120_000,
}, async () => {
  const { stdout } = await run(process.execPath, ['bin/banto.js', 'demo', '--github', '--exit'], {
    cwd: ROOT,
  });
  expect(stdout).toMatch(/approves #4/);
  expect(stdout).toMatch(/14 done, 1 held/);
});
