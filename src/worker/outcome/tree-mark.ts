// How an attempt left the files, written into the reason of its failure: the next worker may be on another
// machine, and the hand-off is all that it sees.

const MARK = /\[tree ([0-9a-f]{16})\]/;

export function markTree(reason: string, tree: string | null): string {
  return tree === null ? reason : `${reason} [tree ${shortTree(tree)}]`;
}

export function shortTree(tree: string): string {
  return tree.slice(0, 16);
}

interface Earlier {
  readonly outcome: string | null;
  readonly note: string | null;
}

/** Of the last attempt, if it failed. */
export function treeOfLastFailure(attempts: readonly Earlier[] | null): string | null {
  const last = attempts?.findLast(
    ({ outcome }) => outcome !== 'released' && outcome !== 'unlocked',
  );
  if (last?.outcome !== 'failed') return null;
  return MARK.exec(last.note ?? '')?.[1] ?? null;
}
