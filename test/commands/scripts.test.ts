// The scripts of this repository, called by somebody who does not know them.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

function run(file: string, ...args: string[]) {
  return spawnSync(process.execPath, [file, ...args], { cwd: ROOT, encoding: 'utf8' });
}

describe.each([
  ['simulate', 'scripts/simulate.ts'],
  ['fuzz', 'scripts/fuzz.ts'],
  ['mutate', 'scripts/mutate.ts'],
  ['bench', 'bench/run.ts'],
])('npm run %s', (name, file) => {
  const usage = `npm run ${name} -- [options]`;

  test('says how it is called', () => {
    const { status, stdout, stderr } = run(file, '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(usage);
  });

  test('refuses what it does not know, and says what it does', () => {
    const { status, stdout, stderr } = run(file, '--sede', '7');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^Unknown option '--sede'/);
    expect(stderr).toContain(usage);
    expect(stderr).not.toContain('    at ');
  });
});

test.each([
  ['scripts/simulate.ts', '--steps', 'many', '--steps must be a whole number, at least 1.'],
  ['scripts/simulate.ts', '--store', 'paper', '--store must be one of memory, sqlite, redis.'],
  ['scripts/fuzz.ts', '--from', '-1', 'Option'],
  ['scripts/mutate.ts', '--sample', '0', '--sample must be a whole number, at least 1.'],
])('%s %s %s is told what is wrong', (file, option, value, expected) => {
  const { status, stderr } = run(file, option, value);
  expect(status).toBe(2);
  expect(stderr.startsWith(expected)).toBe(true);
});
