// A git repository with a backlog folder in a temporary place, for tests that need a real one.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface LocalRepository {
  readonly root: string;
  readonly repoDir: string;
  readonly backlog: string;
  git(...args: string[]): string;
  remove(): void;
}

export function gitAt(folder: string, ...args: string[]): string {
  const settings = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return execFileSync('git', ['-C', folder, ...settings, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(kept), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  }).trim();
}

export function makeLocalRepository(branch = 'main'): LocalRepository {
  const root = mkdtempSync(join(tmpdir(), 'banto-local-'));
  const repoDir = join(root, 'shop');
  const backlog = join(repoDir, 'backlog');
  mkdirSync(backlog, { recursive: true });
  gitAt(repoDir, 'init', '--quiet', `--initial-branch=${branch}`);
  gitAt(repoDir, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  return {
    root,
    repoDir,
    backlog,
    git: (...args) => gitAt(repoDir, ...args),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
