// Branches of the local repository: made without touching anybody's work tree or index.

import { BantoError } from '../../../core/errors.ts';
import { ForgeBusy, ForgeRefused } from '../../../core/forge.ts';
import { isSafeRefName } from '../../../core/issue-text/ref-name.ts';
import type { Git, GitAnswer } from './git.ts';

const HEADS = 'refs/heads/';
const ORIGIN = 'refs/remotes/origin/';
const LOCKED_RETRY_MS = 1000;
/** A whole backlog is planned within this time: git is asked once for all of it. */
const NAMES_MS = 2000;

/** `a/b/c` stands in `a` and `a/b`. */
function foldersOf(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

export interface Branches {
  defaultBranch(): Promise<string>;
  /** Here or at the origin, under this name or one that it cannot exist beside. May be some seconds old. */
  has(branch: string): Promise<boolean>;
  create(branch: string): Promise<'created' | 'exists'>;
  /** The commit new branches start from; null before the first commit. */
  tip(): Promise<string | null>;
}

export function createBranches(git: Git): Branches {
  // Kept once found: a feature branch that somebody checks out later must not become the default.
  let found: string | null = null;
  let seen: { names: Promise<ReadonlySet<string>>; at: number } | null = null;

  async function exists(ref: string): Promise<boolean> {
    return (await git('show-ref', '--verify', '--quiet', '--', ref)).ok;
  }

  async function detect(): Promise<string> {
    const origin = await git('symbolic-ref', '--quiet', `${ORIGIN}HEAD`);
    if (origin.ok && origin.out.startsWith(ORIGIN) && (await exists(origin.out))) {
      return origin.out.slice(ORIGIN.length);
    }
    const configured = await git('config', '--get', 'init.defaultBranch');
    for (const name of ['main', 'master', configured.ok ? configured.out : '']) {
      if (name !== '' && (await exists(HEADS + name))) return name;
    }
    const head = await git('symbolic-ref', '--quiet', 'HEAD');
    if (head.ok && head.out.startsWith(HEADS)) return head.out.slice(HEADS.length);
    if (!(await git('rev-parse', '--git-dir')).ok) {
      throw new BantoError('misconfigured', `This is not a git repository: ${head.error}`);
    }
    throw new ForgeRefused(
      'no_default_branch',
      'No default branch was found: HEAD is detached and there is no main or master. Check out the branch that work should start from, and start Banto again.',
    );
  }

  async function defaultBranch(): Promise<string> {
    found ??= await detect();
    return found;
  }

  async function tip(): Promise<string | null> {
    const name = await defaultBranch();
    for (const ref of [HEADS + name, ORIGIN + name]) {
      const commit = await git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
      if (commit.ok) return commit.out;
    }
    found = null;
    return null;
  }

  async function conflict(branch: string): Promise<string | null> {
    const below = await git(
      'for-each-ref',
      '--count=1',
      '--format=%(refname)',
      '--',
      `${HEADS}${branch}/`,
    );
    if (below.out !== '') return below.out.slice(HEADS.length);
    const parts = branch.split('/');
    for (let length = parts.length - 1; length > 0; length -= 1) {
      const parent = parts.slice(0, length).join('/');
      if (await exists(HEADS + parent)) return parent;
    }
    return null;
  }

  /** The empty old value: only if the branch does not exist at the instant of writing. */
  function make(branch: string, start: string): Promise<GitAnswer> {
    const reason = ['--create-reflog', '-m', 'branch: Created by Banto'];
    return git('update-ref', ...reason, HEADS + branch, start, '');
  }

  /** The default branch may exist at the origin only. */
  async function makeElsewhere(branch: string, base: string, commit: string): Promise<boolean> {
    if (await exists(HEADS + base)) return false;
    return (await make(branch, commit)).ok;
  }

  async function create(branch: string): Promise<'created' | 'exists'> {
    const base = await defaultBranch();
    seen = null;
    if (!isSafeRefName(branch, base)) {
      throw new ForgeRefused(
        'invalid_branch',
        `${JSON.stringify(branch)} cannot be the name of a branch for work.`,
      );
    }
    // The usual case costs one process: everything is asked only when this fails.
    const made = await make(branch, `${HEADS}${base}^{commit}`);
    if (made.ok) return 'created';
    if (await exists(HEADS + branch)) return 'exists';
    const commit = await tip();
    if (commit === null) {
      throw new ForgeRefused(
        'no_commits',
        `The branch ${base} has no commit yet, so no branch can start from it. Make a first commit.`,
      );
    }
    if (await makeElsewhere(branch, base, commit)) return 'created';
    const other = await conflict(branch);
    if (other !== null) {
      throw new ForgeRefused(
        'branch_conflict',
        `The branch ${branch} cannot exist beside the branch ${other}.`,
      );
    }
    if (/\.lock'?: File exists/.test(made.error)) {
      // Of a git that was killed it stays, until somebody removes it.
      const isFault = true;
      const sentence = `Another git process holds a lock: ${made.error}`;
      throw new ForgeBusy(LOCKED_RETRY_MS, sentence, { isFault });
    }
    throw new Error(`git could not create the branch ${branch}: ${made.error}`);
  }

  /** All names in lower case, and every folder that they stand in, with a slash at the end. */
  async function readNames(): Promise<ReadonlySet<string>> {
    const refs = await git('for-each-ref', '--format=%(refname)', HEADS, ORIGIN);
    if (!refs.ok) throw new Error(`git could not list the branches: ${refs.error}`);
    const names = new Set<string>();
    for (const ref of refs.out.split('\n')) {
      const name = ref.slice((ref.startsWith(HEADS) ? HEADS : ORIGIN).length).toLowerCase();
      names.add(name);
      for (const folder of foldersOf(name)) names.add(`${folder}/`);
    }
    return names;
  }

  async function has(branch: string): Promise<boolean> {
    if (seen === null || performance.now() - seen.at > NAMES_MS) {
      seen = { names: readNames(), at: performance.now() };
      seen.names.catch(() => {
        seen = null;
      });
    }
    const names = await seen.names;
    const name = branch.toLowerCase();
    return (
      names.has(name) ||
      names.has(`${name}/`) ||
      foldersOf(name).some((folder) => names.has(folder))
    );
  }

  return { defaultBranch, has, create, tip };
}
