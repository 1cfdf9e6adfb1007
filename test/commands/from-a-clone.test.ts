// A contributor runs Banto from its clone, on a repository that is somewhere else.

import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const run = promisify(execFile);
const CLONE = resolve(import.meta.dirname, '..', '..');

let shop: string;
beforeEach(() => {
  shop = realpathSync(mkdtempSync(join(tmpdir(), 'banto-clone-')));
  execFileSync('git', ['init', '-b', 'main'], { cwd: shop, stdio: 'pipe' });
});
afterEach(() => rmSync(shop, { recursive: true, force: true }));

function banto(cwd: string, ...args: string[]) {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, BROKER_PORT: '9', npm_config_loglevel: 'silent' };
  return run('npm', ['--prefix', CLONE, 'run', '-s', 'banto', '--', ...args], { cwd, env });
}

test('an issue goes into the repository that the person is in, whatever folder of it', async () => {
  const before = existsSync(join(CLONE, 'backlog'));
  mkdirSync(join(shop, 'src', 'deep'), { recursive: true });
  const { stdout } = await banto(shop, 'issue', 'add', 'First', '--label', 'a');
  expect(stdout).toContain('Added #1: backlog/0001-first.md');
  const second = await banto(join(shop, 'src', 'deep'), 'issue', 'add', 'Second', '--label', 'a');
  expect(second.stdout).toContain('Added #2: ../../backlog/0002-second.md');
  expect(readdirSync(join(shop, 'backlog'))).toEqual(['0001-first.md', '0002-second.md']);
  expect(readdirSync(shop).toSorted()).toEqual(['.banto', '.git', 'backlog', 'src']);
  expect(existsSync(join(CLONE, 'backlog'))).toBe(before);
});

test('the file of settings is the one of that repository', async () => {
  execFileSync('sh', ['-c', 'echo "{\\"backlog_dir\\": \\"todo\\"}" > banto.config.json'], {
    cwd: shop,
  });
  const { stdout } = await banto(shop, 'issue', 'add', 'First', '--label', 'a');
  expect(stdout).toContain('todo/0001-first.md');
});
