// What deliveries and listings hint at, until it is read: any number of hints about an item makes one read of it.

import type { PullIndex } from '../pulls/pull-index.ts';
import type { Pulls } from '../pulls/pulls.ts';
import { type GithubIssue, type GithubPull, instantOf, labelNames } from '../shapes.ts';
import { fingerprintOf, type IssueCache, type Verdict } from './issue-cache.ts';
import { trimIssue } from './listing.ts';

export function createDirty(cache: IssueCache, index: PullIndex, takePull: Pulls['take']) {
  /** The version to report, or null: to be read first. */
  const issues = new Map<number, GithubIssue | null>();
  const pulls = new Set<number>();
  /** Pull requests that are items of their own. */
  const ownItems = new Set<number>();
  const lostLabels = new Set<string>();

  function markIssue(from: GithubIssue, compare: (from: GithubIssue) => Verdict): void {
    const { number } = from;
    const waiting = issues.get(number);
    if (waiting === null) return;
    if (waiting !== undefined) {
      const ahead = instantOf(from.updated_at) - instantOf(waiting.updated_at);
      if (ahead > 0) issues.set(number, from);
      else if (ahead === 0 && fingerprintOf(from) !== fingerprintOf(waiting))
        issues.set(number, null);
      return;
    }
    const verdict = compare(from);
    if (verdict === 'news') issues.set(number, from);
    if (verdict === 'unclear') issues.set(number, null);
  }

  /** A delivery has brought it before the listing did. */
  function isInIndex(from: GithubIssue): boolean {
    const pull = index.get(from.number);
    return (
      pull !== undefined &&
      pull.updatedAt === instantOf(from.updated_at) &&
      pull.title === from.title &&
      pull.body === (from.body ?? '') &&
      pull.draft === (from.draft === true) &&
      (pull.state === 'open') === (from.state === 'open') &&
      pull.labels.toSorted().join('\n') === labelNames(from.labels).toSorted().join('\n')
    );
  }

  /** A delivery or, compared otherwise, a listing speaks of an item. */
  function hint(from: GithubIssue, compare = cache.compare): void {
    if (from.pull_request === undefined) {
      markIssue(trimIssue(from), compare);
      return;
    }
    const verdict = compare(from);
    if (verdict !== 'news' && verdict !== 'unclear') return;
    cache.put(from, false);
    if (!isInIndex(from)) pulls.add(from.number);
  }

  function touch(numbers: readonly number[]): void {
    for (const number of numbers) {
      if (index.get(number) !== undefined) ownItems.add(number);
      else if (cache.isOpen(number) && !issues.has(number)) issues.set(number, null);
    }
  }

  function hintPull(from: GithubPull): void {
    if (cache.isGone(from.number)) return;
    const touched = takePull(from);
    if (touched === 'unclear') pulls.add(from.number);
    else touch([...touched, from.number]);
  }

  return {
    issues,
    pulls,
    ownItems,
    lostLabels,
    hint,
    hintPull,
    touch,
    isEmpty: () => [issues, pulls, ownItems, lostLabels].every(({ size }) => size === 0),
    /** What is lost of labels is still told. */
    clear() {
      for (const dirty of [issues, pulls, ownItems]) dirty.clear();
    },
  };
}
