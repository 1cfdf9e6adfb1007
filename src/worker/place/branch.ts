// The task's branch in the person's clone, brought up to what was pushed. Nothing is rebased or merged; local
// commits that were never pushed and are no longer on top of what was are kept under refs/banto/kept/.

import { WorkerFault } from '../fault.ts';
import type { Checkout } from './checkout.ts';
import { must } from './git.ts';

export interface Branch {
  readonly name: string;
  /** The commit it is at. */
  readonly tip: string;
  /** What was set aside, as a ref; null: nothing. */
  readonly kept: string | null;
}

const ZERO = '0'.repeat(40);
const FETCH_TRIES = 3;

async function commitOf({ git }: Checkout, ref: string): Promise<string | null> {
  const found = await git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
  return found.ok ? found.out : null;
}

async function isAncestor({ git }: Checkout, older: string, newer: string): Promise<boolean> {
  return (await git('merge-base', '--is-ancestor', older, newer)).ok;
}

/** The default branch and the task's, in one go. A pattern, because a branch that is not there yet is no error. */
async function fetchBranches(checkout: Checkout, remote: string, name: string): Promise<void> {
  const into = `refs/remotes/${remote}`;
  const task = `+refs/heads/${name}*:${into}/${name}*`;
  const base = `+refs/heads/${checkout.base}:${into}/${checkout.base}`;
  let wanted = [base, task];
  let error = '';
  for (let turn = 0; turn < FETCH_TRIES; turn += 1) {
    const fetched = await checkout.git(
      'fetch',
      '--quiet',
      '--no-tags',
      '--prune',
      remote,
      ...wanted,
    );
    if (fetched.ok) return;
    // A remote that is still empty.
    if (/couldn't find remote ref/i.test(fetched.error)) wanted = [task];
    error = fetched.error;
  }
  throw new WorkerFault(
    `The branch ${name} could not be fetched from ${remote}: ${error}. Check the network and git's credentials.`,
  );
}

async function move(checkout: Checkout, name: string, to: string, from: string): Promise<void> {
  const ref = `refs/heads/${name}`;
  await must(
    checkout.git('update-ref', '-m', 'banto work', ref, to, from),
    `move the branch ${name}`,
  );
}

/** Where the default branch is; what was fetched stands above what is here. */
export async function baseCommit(checkout: Checkout): Promise<string> {
  const { base, remote } = checkout;
  const places = [
    ...(remote === null ? [] : [`refs/remotes/${remote}/${base}`]),
    `refs/heads/${base}`,
  ];
  for (const place of places) {
    const commit = await commitOf(checkout, place);
    if (commit !== null) return commit;
  }
  throw new WorkerFault(`The branch ${base} has no commit that work could start from.`);
}

/** Brings the local branch up to date. It must not be checked out anywhere. */
export async function bringBranch(checkout: Checkout, name: string): Promise<Branch> {
  const { remote } = checkout;
  if (remote !== null) await fetchBranches(checkout, remote, name);
  const pushed =
    remote === null ? null : await commitOf(checkout, `refs/remotes/${remote}/${name}`);
  const local = await commitOf(checkout, `refs/heads/${name}`);
  if (local === null) {
    const tip = pushed ?? (await baseCommit(checkout));
    await move(checkout, name, tip, ZERO);
    return { name, tip, kept: null };
  }
  if (pushed === null || pushed === local || (await isAncestor(checkout, pushed, local))) {
    return { name, tip: local, kept: null };
  }
  if (await isAncestor(checkout, local, pushed)) {
    await move(checkout, name, pushed, local);
    return { name, tip: pushed, kept: null };
  }
  const kept = `refs/banto/kept/${name}/${local.slice(0, 12)}`;
  await must(checkout.git('update-ref', kept, local), 'keep local commits');
  await move(checkout, name, pushed, local);
  return { name, tip: pushed, kept };
}

const PUSH_PAUSES_MS = [1000, 3000, 8000];

/** Never by force: what others pushed meanwhile stays. */
export async function pushBranch(
  checkout: Checkout,
  name: string,
  pause: (ms: number) => Promise<void>,
): Promise<'pushed' | 'rejected'> {
  const { remote, git } = checkout;
  if (remote === null) return 'pushed';
  for (let turn = 0; ; turn += 1) {
    const ref = `refs/heads/${name}`;
    const pushed = await git('push', '--quiet', '--no-verify', remote, `${ref}:${ref}`);
    if (pushed.ok) return 'pushed';
    if (/\[rejected\]|non-fast-forward|fetch first/.test(pushed.error)) return 'rejected';
    const pauseMs = PUSH_PAUSES_MS[turn];
    if (pauseMs === undefined) {
      throw new WorkerFault(
        `${name} could not be pushed to ${remote}: ${pushed.error}. The commits are on the local branch; check the network and git's credentials.`,
      );
    }
    await pause(pauseMs);
  }
}
