// An issue as the simulated forge keeps it: who put which label there, and what it looked like before.

import type { Issue } from '../../../src/core/issue.ts';

/** `lost`: by Banto, but the store has lost that. */
export type Writer = 'people' | 'banto' | 'lost';

interface Version {
  readonly at: number;
  readonly picture: Issue;
}

/** So many looks of the past are kept for whoever is shown an old one. */
const VERSIONS_KEPT = 4;

export interface RemoteIssue {
  readonly number: number;
  /** Lower case → who put it there last. */
  readonly labels: Map<string, Writer>;
  picture(): Issue;
  /** As it was then, as far as that is remembered. */
  pictureAt(instant: number): Issue;
  change(at: number, over: Partial<Pick<Issue, 'title' | 'body' | 'state' | 'blockedBy'>>): void;
  relabel(at: number, by: Writer, add: readonly string[], remove: readonly string[]): void;
}

export function createRemoteIssue(first: Issue): RemoteIssue {
  const labels = new Map(first.labels.map((label): [string, Writer] => [label, 'people']));
  let versions: Version[] = [{ at: first.updatedAt, picture: first }];

  function picture(): Issue {
    return versions.at(-1)?.picture ?? first;
  }

  function add(at: number, over: Partial<Issue>): void {
    const next = { ...picture(), ...over, updatedAt: at };
    versions = [...versions.slice(1 - VERSIONS_KEPT), { at, picture: next }];
  }

  return {
    number: first.number,
    labels,
    picture,
    pictureAt: (instant) =>
      (versions.findLast(({ at }) => at <= instant) ?? versions[0] ?? { picture: first }).picture,
    change: add,
    relabel(at, by, wanted, unwanted) {
      for (const label of wanted) {
        const key = label.toLowerCase();
        if (!labels.has(key)) labels.set(key, by);
      }
      for (const label of unwanted) labels.delete(label.toLowerCase());
      add(at, { labels: [...labels.keys()] });
    },
  };
}
