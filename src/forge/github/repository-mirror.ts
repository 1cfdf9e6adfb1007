// What a repository's issues look like now: the whole listing, what changed, one by itself. What deliveries and
// listings hint at is collected as dirty and settled together, so that no number of hints makes many requests.

import type { ForgeChange } from '../../core/forge.ts';
import type { Issue, LinkedPull } from '../../core/issue.ts';
import { Moved } from './client.ts';
import { createKnown, rawPrint, type Verdict } from './known.ts';
import { ALL_OPEN, createOpenCount, createPageMemory, LISTING, trimIssue } from './listing.ts';
import { createPictures } from './pictures.ts';
import type { Place } from './place.ts';
import { createPullIndex } from './pull-index.ts';
import { createPulls } from './pulls.ts';
import { hasStatus } from './refusals.ts';
import { createRelook } from './relook.ts';
import {
  type GithubIssue,
  type GithubPull,
  instantOf,
  labelNames,
  linkedPull,
  toIssue,
} from './shapes.ts';
import type { Trust } from './trust.ts';

export interface MirrorParts {
  readonly place: Place;
  readonly trust: Trust | null;
  readonly now: () => number;
}

/** What GitHub shows late is still found: the cursor stays this far behind the newest change seen. */
const OVERLAP_MS = 120_000;
const STARTED_BEFORE_MS = 300_000;
/** Reads of single items in one go; the rest waits for the next. */
const READS_AT_ONCE = 50;
const REVIEWS_AT_ONCE = 20;
/** Repositories with more pages find what is gone by the full pass alone. */
const GONE_PAGES = 50;
const FORGET_MS = 3_600_000;
const NOTHING: Omit<ForgeChange, 'repository'> = { issues: [], gone: [] };

export function createRepositoryMirror({ place, trust, now }: MirrorParts) {
  const { repository } = place;
  const known = createKnown();
  const index = createPullIndex(repository);
  const pulls = createPulls(place, index);
  const { decorate, ownItem, forget } = createPictures({ place, trust, index, pulls, now });
  const memory = createPageMemory();
  const changed = createPageMemory();
  const countOpen = createOpenCount(place, now);
  const everyOpen = () => place.pages<GithubIssue>(LISTING, ALL_OPEN, memory);
  const relook = createRelook(everyOpen, (from) => hear(from, judgeListed));
  /** A picture to report, or null: to be read first. */
  const dirtyIssues = new Map<number, GithubIssue | null>();
  const dirtyPulls = new Set<number>();
  const ownItems = new Set<number>();
  let sinceAt = now() - STARTED_BEFORE_MS;
  let listed = false;
  let probed = '';
  let settling: Promise<unknown> = Promise.resolve();
  const lostLabels = new Set<string>();
  let accessDoubted = false;

  /** One item as it is now; null: it is gone. */
  async function read(number: number): Promise<Issue | null> {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
    try {
      const { data, headers } = await place.request<GithubIssue>(route, { issue_number: number });
      known.see(data, instantOf(String(headers['date'])) > instantOf(data.updated_at));
      if (data.pull_request === undefined) return await decorate(data);
      if (index.get(number)?.updatedAt !== instantOf(data.updated_at)) await pulls.read(number);
      return await ownItem(number);
    } catch (error) {
      if (!(error instanceof Moved) && !hasStatus(error, 404, 410)) throw error;
      // Without access everything looks as if it were gone: then the repository does, too, and this throws.
      if (hasStatus(error, 404)) await place.about(true);
      known.lose(number);
      return null;
    }
  }

  /**
   * A picture of a listing. One that differs though its instant is the same, and long past, had labels renamed or
   * deleted: that is no change of the issue, and leaves no other trace.
   */
  function judgeListed(from: GithubIssue): Verdict {
    const verdict = known.judge(from);
    const at = instantOf(from.updated_at);
    const differs =
      verdict === 'unclear' || (verdict === 'old' && known.updatedAt(from.number) === at);
    if (!differs) return verdict;
    return now() - at > OVERLAP_MS ? 'news' : 'unclear';
  }

  /** An issue of a listing; null: it is not to be shown. */
  async function fromListing(from: GithubIssue): Promise<Issue | null> {
    const verdict = judgeListed(from);
    if (verdict === 'news' || verdict === 'same') {
      known.see(from, false);
      return decorate(from);
    }
    if (known.isGone(from.number)) return null;
    // An older picture than what is known says only that the issue is open; the store leaves it aside.
    const older = instantOf(from.updated_at) < (known.updatedAt(from.number) ?? 0);
    return older ? toIssue(repository, from) : read(from.number);
  }

  async function* list(): AsyncIterable<readonly Issue[]> {
    await pulls.readAll();
    for await (const page of everyOpen()) {
      const issues: Issue[] = [];
      for (const from of page) {
        if (from.pull_request !== undefined) {
          if (known.judge(from) === 'news') known.see(from, false);
          continue;
        }
        const issue = await fromListing(from);
        if (issue !== null) issues.push(issue);
      }
      for (const issue of issues) known.report(issue);
      if (issues.length > 0) yield issues;
    }
    index.takeRelinked();
    const own: Issue[] = [];
    for (const pull of index.all()) {
      const item = pull.state === 'open' ? await ownItem(pull.number) : null;
      if (item?.state === 'open') own.push(item);
    }
    for (const item of own) known.report(item);
    if (own.length > 0) yield own;
    for (const number of known.prune(now() - FORGET_MS)) forget(number);
    listed = true;
  }

  function markIssue(from: GithubIssue, judge: (from: GithubIssue) => Verdict): void {
    const { number } = from;
    const waiting = dirtyIssues.get(number);
    if (waiting === null) return;
    if (waiting !== undefined) {
      const ahead = instantOf(from.updated_at) - instantOf(waiting.updated_at);
      if (ahead > 0) dirtyIssues.set(number, from);
      else if (ahead === 0 && rawPrint(from) !== rawPrint(waiting)) dirtyIssues.set(number, null);
      return;
    }
    const verdict = judge(from);
    if (verdict === 'news') dirtyIssues.set(number, from);
    if (verdict === 'unclear') dirtyIssues.set(number, null);
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

  /** A delivery or, judged otherwise, a listing speaks of an item. */
  function hear(from: GithubIssue, judge = known.judge): void {
    if (from.pull_request === undefined) {
      markIssue(trimIssue(from), judge);
      return;
    }
    const verdict = judge(from);
    if (verdict !== 'news' && verdict !== 'unclear') return;
    known.see(from, false);
    if (!isInIndex(from)) dirtyPulls.add(from.number);
  }

  function touch(numbers: readonly number[]): void {
    for (const number of numbers) {
      if (index.get(number) !== undefined) ownItems.add(number);
      else if (known.isOpen(number) && !dirtyIssues.has(number)) dirtyIssues.set(number, null);
    }
  }

  function hearPull(from: GithubPull): void {
    if (known.isGone(from.number)) return;
    const touched = pulls.take(from);
    if (touched === 'unclear') dirtyPulls.add(from.number);
    else touch([...touched, from.number]);
  }

  async function settleIssues(change: { issues: Issue[]; gone: number[] }): Promise<void> {
    let reads = 0;
    for (const [number, from] of dirtyIssues) {
      if (from === null && reads >= READS_AT_ONCE) continue;
      if (from === null) reads += 1;
      const issue = from === null ? await read(number) : await decorate(from);
      if (from !== null) known.see(from, false);
      // A newer hint that came meanwhile stays.
      if (dirtyIssues.get(number) === from) dirtyIssues.delete(number);
      if (issue === null) change.gone.push(number);
      else if (known.report(issue)) change.issues.push(issue);
    }
  }

  async function settlePulls(): Promise<void> {
    for (const number of [...dirtyPulls].slice(0, READS_AT_ONCE)) {
      touch([...(await pulls.read(number)), number]);
      dirtyPulls.delete(number);
    }
    touch(await pulls.readReviews(REVIEWS_AT_ONCE));
  }

  async function settleOwnItems(change: { issues: Issue[] }): Promise<void> {
    for (const number of index.takeRelinked()) ownItems.add(number);
    for (const number of ownItems) {
      const item = await ownItem(number);
      ownItems.delete(number);
      if (item === null || (item.state === 'closed' && !known.wasReported(number))) continue;
      if (known.report(item)) change.issues.push(item);
    }
  }

  /** One after the other: a poll and a delivery at the same time must not read the same twice. */
  function settle(): Promise<ForgeChange> {
    const done = settling.then(settleNow);
    settling = done.catch(() => undefined);
    return done;
  }

  /** Somebody says that the repository was given to us, or taken away: GitHub itself is asked. */
  async function isTakenAway(): Promise<boolean> {
    if (!accessDoubted) return false;
    accessDoubted = false;
    try {
      await place.about(true);
      relook.ask();
      return false;
    } catch (error) {
      if (hasStatus(error, 404)) return true;
      accessDoubted = true;
      throw error;
    }
  }

  /** As if it had never been looked at: given back, everything in it is news. */
  function forgetEverything(): void {
    known.clear();
    relook.stop();
    for (const dirty of [dirtyIssues, dirtyPulls, ownItems]) dirty.clear();
    listed = false;
  }

  /** Settles what is dirty. What was found before an error is still told; the rest stays dirty. */
  async function settleNow(): Promise<ForgeChange> {
    const change = { repository, issues: [] as Issue[], gone: [] as number[] };
    try {
      if (await isTakenAway()) {
        forgetEverything();
        return { ...change, unreachable: true };
      }
      await relook.run();
      await settlePulls();
      await settleIssues(change);
      await settleOwnItems(change);
    } catch (error) {
      if (change.issues.length === 0 && change.gone.length === 0) throw error;
      return change;
    }
    const lost = [...lostLabels];
    lostLabels.clear();
    return { ...change, lostLabels: lost };
  }

  async function hearListing(since: number | null): Promise<void> {
    const all = since === null;
    const parameters = all
      ? ALL_OPEN
      : // Sorted by creation: by update no ETag would ever hold.
        { state: 'all', sort: 'created', direction: 'asc', since: new Date(since).toISOString() };
    if (all) known.forgetReports();
    let newest = 0;
    const pages = place.pages<GithubIssue>(LISTING, parameters, all ? memory : changed);
    for await (const page of pages) {
      for (const from of page) {
        newest = Math.max(newest, instantOf(from.updated_at));
        if (all && from.pull_request === undefined) dirtyIssues.set(from.number, from);
        else hear(from, judgeListed);
      }
    }
    // Another cursor is another address: what was kept for the old one is of no use.
    if (newest - OVERLAP_MS > sinceAt) changed.kept.clear();
    sinceAt = Math.max(sinceAt, newest - OVERLAP_MS);
  }

  /**
   * Deleted and transferred issues leave no change behind: but there are fewer of them. Counted by a page of one,
   * and looked for only where the count is short.
   */
  async function findGone(): Promise<void> {
    if (!listed) return;
    const count = await countOpen();
    const expected = known.openCount();
    const state = `${count} of ${expected}`;
    if (count >= expected || state === probed || count > GONE_PAGES * 100) return;
    const seen = new Set<number>();
    for await (const page of everyOpen()) {
      for (const from of page) seen.add(from.number);
    }
    for (const number of known.openNumbers()) {
      if (!seen.has(number) && !dirtyIssues.has(number)) dirtyIssues.set(number, null);
    }
    probed = state;
  }

  async function changes(
    cursor: string | null,
  ): Promise<{ change: ForgeChange; cursor: string | null }> {
    const since =
      cursor === null ? sinceAt : Number(/^since\.(\d+)$/.exec(cursor)?.[1] ?? Number.NaN);
    await hearListing(Number.isNaN(since) ? null : since);
    const first = await settle();
    const second = await findGone()
      .then(settle)
      .catch((error: unknown) => {
        // What was found is not found again: it is told, and the rest is looked for at the next poll.
        if (first.issues.length + first.gone.length === 0) throw error;
        return NOTHING;
      });
    const change = {
      ...first,
      issues: [...first.issues, ...second.issues],
      gone: [...first.gone, ...second.gone],
      lostLabels: [...(first.lostLabels ?? []), ...(second.lostLabels ?? [])],
    };
    return { change, cursor: `since.${sinceAt}` };
  }

  async function pull(number: number, issue: number): Promise<LinkedPull | null> {
    if (index.get(number) === undefined) await pulls.read(number);
    index.claim(number, issue);
    const found = index.get(number);
    return found === undefined ? null : linkedPull(found);
  }

  return {
    list,
    changes,
    read,
    pull,
    settle,
    hear,
    hearPull,
    hearReview: (number: number) => pulls.doubt(number),
    /** Somebody says that it is gone; it is read before that is believed. */
    hearGone: (number: number) => void dirtyIssues.set(number, null),
    /** A label was renamed or deleted. */
    hearLostLabel(name: string): void {
      lostLabels.add(name);
      relook.ask();
    },
    doubtAccess(): void {
      accessDoubted = true;
    },
    isDirty: () =>
      [dirtyIssues, dirtyPulls, ownItems, lostLabels].some((dirty) => dirty.size > 0) ||
      pulls.unread() > 0 ||
      relook.isDue() ||
      accessDoubted,
    /** GitHub's own name for the item; null: it was never seen. */
    nodeId: known.nodeId,
    isMergeOf: (sha: string) => index.isMerge(sha),
  };
}

export type RepositoryMirror = ReturnType<typeof createRepositoryMirror>;
