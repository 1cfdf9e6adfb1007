// An agent that fails twice and leaves the very same files will fail a third time: a person should look first.

import type { PastLease } from '../rows/task-row.ts';

/** The reason of a task that is held because two attempts in a row left the same files. */
export const NO_PROGRESS = 'no_progress';

/** Given back, or taken back by an operator: such an attempt says nothing about the work. */
const SAYS_NOTHING = new Set<string>(['released', 'unlocked', 'refused']);

export function leftTheSame(past: readonly PastLease[], tree: string | null | undefined): boolean {
  if (tree === null || tree === undefined) return false;
  const last = past.findLast(({ outcome }) => !SAYS_NOTHING.has(outcome));
  return last?.outcome === 'failed' && last.tree === tree;
}

/** A person has looked and lets agents try again: what was left before says nothing any more. */
export function forgetTrees(past: readonly PastLease[]): readonly PastLease[] {
  return past.map((lease) => (lease.tree === null ? lease : { ...lease, tree: null }));
}
