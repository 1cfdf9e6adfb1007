// One task's worktree under the data folder: made on the task's branch, looked at after the run, removed after
// success, kept (and taken off the branch) after a failure.

import { existsSync } from 'node:fs';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { baseCommit, bringBranch } from './branch.ts';
import type { Checkout } from './checkout.ts';
import { type Git, gitIn, must } from './git.ts';

export interface Worktree {
  readonly folder: string;
  readonly branch: string;
  /** Where the branch was when the attempt began. */
  readonly start: string;
  readonly git: Git;
  /** What a sandbox must let the agent write, so that it can commit. */
  readonly gitFolders: readonly string[];
  /** False: it goes on where an earlier run of the same task stopped. */
  readonly created: boolean;
  /** Local commits that were set aside for what was pushed; null: none. */
  readonly kept: string | null;
}

/** The branch is checked out in a place that is not Banto's. */
export class BranchBusy extends Error {}

interface Listed {
  readonly folder: string;
  readonly branch: string | null;
}

async function listWorktrees(git: Git): Promise<Listed[]> {
  const text = await must(git('worktree', 'list', '--porcelain'), 'list the worktrees');
  return text.split('\n\n').flatMap((block) => {
    const folder = /^worktree (.+)$/m.exec(block)?.[1];
    const branch = /^branch refs\/heads\/(.+)$/m.exec(block)?.[1] ?? null;
    return folder === undefined ? [] : [{ folder, branch }];
  });
}

function isInside(folder: string, root: string): boolean {
  const path = relative(root, folder);
  return path !== '' && !path.startsWith('..');
}

export interface WorktreeWish {
  readonly folder: string;
  readonly branch: string;
  /** A review looks at the branch and leaves it free for others. */
  readonly detached: boolean;
  /** The commit an interrupted run of the same task began with: go on in its folder if it is still there. */
  readonly resumeFrom: string | null;
  /** Where files go that are in the way: somebody may want to look at them. */
  readonly aside: string;
  /** All of Banto's worktrees are below this folder. */
  readonly root: string;
}

async function freeBranch(checkout: Checkout, wish: WorktreeWish): Promise<void> {
  const root = await realpath(wish.root);
  for (const { folder, branch } of await listWorktrees(checkout.git)) {
    if (branch !== wish.branch || folder === wish.folder) continue;
    if (!isInside(folder, root)) {
      throw new BranchBusy(
        `The branch ${branch} is checked out in ${folder}. Switch that folder to another branch, so that agents can work on it.`,
      );
    }
    await must(gitIn(folder)('checkout', '--quiet', '--detach'), `free the branch ${branch}`);
  }
}

async function opened(
  wish: WorktreeWish,
  facts: Pick<Worktree, 'start' | 'created' | 'kept'>,
): Promise<Worktree> {
  const git = gitIn(wish.folder);
  const folders = await must(
    git('rev-parse', '--path-format=absolute', '--git-common-dir', '--git-dir'),
    'find its own folder',
  );
  return {
    folder: wish.folder,
    branch: wish.branch,
    git,
    gitFolders: folders.split('\n'),
    ...facts,
  };
}

/** Null: there is nothing to go on with. */
async function resumed(checkout: Checkout, wish: WorktreeWish): Promise<Worktree | null> {
  if (wish.resumeFrom === null || !existsSync(join(wish.folder, '.git'))) return null;
  const git = gitIn(wish.folder);
  const head = await git('symbolic-ref', '--quiet', '--short', 'HEAD');
  if (!head.ok || head.out !== wish.branch) return null;
  const tip = (await git('rev-parse', 'HEAD')).out;
  if (checkout.remote !== null) {
    const ref = `refs/remotes/${checkout.remote}/${wish.branch}`;
    const refspec = `+refs/heads/${wish.branch}:${ref}`;
    // From the clone: a relative address of the remote is relative to where git runs.
    await checkout.git('fetch', '--quiet', '--no-tags', checkout.remote, refspec);
    const pushed = await git('rev-parse', '--verify', '--quiet', ref);
    // Somebody else went on meanwhile: what is here is old.
    if (pushed.ok && !(await git('merge-base', '--is-ancestor', pushed.out, tip)).ok) return null;
  }
  const from = await git('merge-base', '--is-ancestor', wish.resumeFrom, tip);
  return opened(wish, { start: from.ok ? wish.resumeFrom : tip, created: false, kept: null });
}

export function openWorktree(checkout: Checkout, wish: WorktreeWish): Promise<Worktree> {
  return checkout.alone(async () => {
    await mkdir(dirname(wish.folder), { recursive: true });
    const before = await resumed(checkout, wish);
    if (before !== null) return before;
    if (existsSync(join(wish.folder, '.git'))) await putAside(checkout, wish.folder, wish.aside);
    await removeFolder(checkout, wish.folder);
    if (!wish.detached) await freeBranch(checkout, wish);
    const branch = await bringBranchFor(checkout, wish);
    const place = wish.detached
      ? ['--detach', wish.folder, branch.tip]
      : [wish.folder, wish.branch];
    await must(
      checkout.git('worktree', 'add', '--quiet', ...place),
      `make a worktree for ${wish.branch}`,
    );
    return opened(wish, { start: branch.tip, created: true, kept: branch.kept });
  });
}

/** A review needs only the commit; the branch itself may be checked out by a person. */
async function bringBranchFor(checkout: Checkout, wish: WorktreeWish) {
  if (wish.detached) {
    const inUse = (await listWorktrees(checkout.git)).some(({ branch }) => branch === wish.branch);
    if (inUse) {
      const tip = await must(
        checkout.git('rev-parse', '--verify', `refs/heads/${wish.branch}^{commit}`),
        `read the branch ${wish.branch}`,
      );
      return { tip, kept: null };
    }
  }
  return bringBranch(checkout, wish.branch);
}

export async function removeWorktree(checkout: Checkout, folder: string): Promise<void> {
  await checkout.alone(() => removeFolder(checkout, folder));
}

async function removeFolder({ git }: Checkout, folder: string): Promise<void> {
  if (existsSync(folder)) {
    const removed = await git('worktree', 'remove', '--force', '--force', folder);
    if (!removed.ok) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  await git('worktree', 'prune');
}

/** Moves it out of the way of the next attempt, with its files as they are. */
export async function keepWorktree(checkout: Checkout, folder: string, to: string): Promise<void> {
  await checkout.alone(() => putAside(checkout, folder, to));
}

async function putAside(checkout: Checkout, folder: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await removeFolder(checkout, to);
  await gitIn(folder)('checkout', '--quiet', '--detach');
  const moved = await checkout.git('worktree', 'move', folder, to);
  // One that git no longer knows is only in the way.
  if (!moved.ok) await removeFolder(checkout, folder);
}

/** The commit that the branch shares with the one it started from. */
export async function mergeBase(checkout: Checkout, tip: string): Promise<string> {
  const base = await baseCommit(checkout);
  const found = await checkout.git('merge-base', base, tip);
  return found.ok ? found.out : base;
}
