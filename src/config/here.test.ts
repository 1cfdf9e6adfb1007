import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { personFolder, repositoryRoot } from './here.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'banto-here-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('where the person is', () => {
  test('is where npm was called, while the process is where npm put it', () => {
    const env = { INIT_CWD: root, npm_package_json: '/clone/package.json' };
    expect(personFolder(env, '/clone')).toBe(root);
  });

  test.each([
    ['npm did not start it', {}],
    ['it has changed the folder since', { npm_package_json: '/elsewhere/package.json' }],
    ['that folder is gone', { INIT_CWD: '/no/such/folder' }],
  ])('is the current folder when %s', (_, over) => {
    const env = { INIT_CWD: root, npm_package_json: '/clone/package.json', ...over };
    const called = Object.keys(over).length === 0 ? { INIT_CWD: root } : env;
    expect(personFolder(called, '/clone')).toBe('/clone');
  });
});

describe('the repository of a folder', () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: root,
      stdio: 'pipe',
    });

  test('is found from any folder in it, and is none outside', () => {
    expect(repositoryRoot(root)).toBeNull();
    git('init', 'shop');
    mkdirSync(join(root, 'shop', 'a', 'b'), { recursive: true });
    expect(repositoryRoot(join(root, 'shop', 'a', 'b'))).toBe(join(root, 'shop'));
  });

  test('of a linked worktree is the one it was made from', () => {
    git('init', 'shop');
    git('-C', 'shop', 'commit', '--allow-empty', '-m', 'first');
    git('-C', 'shop', 'worktree', 'add', '../tree');
    expect(repositoryRoot(join(root, 'tree'))).toBe(join(root, 'shop'));
  });

  test('of a submodule is the submodule', () => {
    for (const name of ['shop', 'part']) {
      git('init', name);
      git('-C', name, 'commit', '--allow-empty', '-m', 'first');
    }
    git('-C', 'shop', '-c', 'protocol.file.allow=always', 'submodule', 'add', '../part', 'part');
    expect(repositoryRoot(join(root, 'shop', 'part'))).toBe(join(root, 'shop', 'part'));
  });
});
