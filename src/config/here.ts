// Where the person is, and which git repository that is in. Looked at without starting git: every
// command asks, and most of them need nothing else of it.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Variables } from './variables.ts';

/**
 * npm runs a package's scripts in that package's folder and says in INIT_CWD where it was called. It
 * counts only while the process is where npm put it: whoever changed the folder since meant to.
 */
export function personFolder(env: Variables, cwd: string): string {
  const { INIT_CWD: called = '', npm_package_json: manifest = '' } = env;
  const movedByNpm = called !== '' && manifest !== '' && dirname(manifest) === cwd;
  return movedByNpm && existsSync(called) ? called : cwd;
}

/**
 * The root of the repository that a folder is in; null: it is in none. A linked worktree belongs to
 * the repository it was made from: agents work in worktrees, and there is only one backlog.
 */
export function repositoryRoot(folder: string): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const kind = statSync(join(at, '.git'), { throwIfNoEntry: false });
    if (kind?.isDirectory()) return at;
    if (kind?.isFile()) return mainWorktree(at) ?? at;
    if (dirname(at) === at) return null;
  }
}

/** The folder of the checkout that a folder is in, a linked worktree too; null: it is in none. */
export function checkoutRoot(folder: string): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return null;
  }
}

function mainWorktree(worktree: string): string | null {
  try {
    const pointer = readFileSync(join(worktree, '.git'), 'utf8');
    const own = resolve(worktree, /^gitdir: (.+)$/m.exec(pointer)?.[1] ?? '');
    const common = resolve(own, readFileSync(join(own, 'commondir'), 'utf8').trim());
    return basename(common) === '.git' ? dirname(common) : null;
  } catch {
    // A submodule has no `commondir`: it is a repository of its own.
    return null;
  }
}
