// What a repository's issues look like now: the whole listing, what changed, one by itself. What deliveries and
// listings hint at is collected as dirty and read together, so that no number of hints makes many requests.

import type { ForgeChange } from '../../../core/forge.ts';
import type { Issue, LinkedPull } from '../../../core/issue.ts';
import type { Trust } from '../account/trust.ts';
import { Moved } from '../http/client.ts';
import { hasStatus } from '../http/refusals.ts';
import type { RepositoryApi } from '../http/repository-api.ts';
import { createPullIndex } from '../pulls/pull-index.ts';
import { createPulls } from '../pulls/pulls.ts';
import { type GithubIssue, instantOf, linkedPull, toIssue } from '../shapes.ts';
import { createDirty } from './dirty.ts';
import { createIssueEnricher } from './enrich-issue.ts';
import { createIssueCache, type Verdict } from './issue-cache.ts';
import { ALL_OPEN, createOpenCount, createPageMemory, LISTING } from './listing.ts';
import { createRescan } from './rescan.ts';

export interface MirrorParts {
  readonly api: RepositoryApi;
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

export function createRepositoryMirror({ api, trust, now }: MirrorParts) {
  const { repository } = api;
  const cache = createIssueCache();
  const index = createPullIndex(repository);
  const pulls = createPulls(api, index);
  const dirty = createDirty(cache, index, pulls.take);
  const { enrich, ownItem, forget } = createIssueEnricher({ api, trust, index, pulls, now });
  const memory = createPageMemory();
  const changed = createPageMemory();
  const countOpen = createOpenCount(api, now);
  const everyOpen = () => api.pages<GithubIssue>(LISTING, ALL_OPEN, memory);
  const rescan = createRescan(everyOpen, (from) => dirty.hint(from, compareListed));
  let sinceAt = now() - STARTED_BEFORE_MS;
  let listed = false;
  let probed = '';
  let reading: Promise<unknown> = Promise.resolve();
  let accessDoubted = false;

  /** One item as it is now; null: it is gone. */
  async function read(number: number): Promise<Issue | null> {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
    try {
      const { data, headers } = await api.request<GithubIssue>(route, { issue_number: number });
      cache.put(data, instantOf(String(headers['date'])) > instantOf(data.updated_at));
      if (data.pull_request === undefined) return await enrich(data);
      if (index.get(number)?.updatedAt !== instantOf(data.updated_at)) await pulls.read(number);
      return await ownItem(number);
    } catch (error) {
      if (!(error instanceof Moved) && !hasStatus(error, 404, 410)) throw error;
      // Without access everything looks as if it were gone: then the repository does, too, and this throws.
      if (hasStatus(error, 404)) await api.about(true);
      cache.remove(number);
      return null;
    }
  }

  /**
   * How a listed version compares. One that differs though its instant is the same, and long past, had labels renamed or
   * deleted: that is no change of the issue, and leaves no other trace.
   */
  function compareListed(from: GithubIssue): Verdict {
    const verdict = cache.compare(from);
    const at = instantOf(from.updated_at);
    const differs =
      verdict === 'unclear' || (verdict === 'old' && cache.updatedAt(from.number) === at);
    if (!differs) return verdict;
    return now() - at > OVERLAP_MS ? 'news' : 'unclear';
  }

  /** An issue of a listing; null: it is not to be shown. */
  async function fromListing(from: GithubIssue): Promise<Issue | null> {
    const verdict = compareListed(from);
    if (verdict === 'news' || verdict === 'same') {
      cache.put(from, false);
      return enrich(from);
    }
    if (cache.isGone(from.number)) return null;
    // An older version than the cached one says only that the issue is open; the store leaves it aside.
    const older = instantOf(from.updated_at) < (cache.updatedAt(from.number) ?? 0);
    return older ? toIssue(repository, from) : read(from.number);
  }

  async function* list(): AsyncIterable<readonly Issue[]> {
    await pulls.readAll();
    for await (const page of everyOpen()) {
      const issues: Issue[] = [];
      for (const from of page) {
        if (from.pull_request !== undefined) {
          if (cache.compare(from) === 'news') cache.put(from, false);
          continue;
        }
        const issue = await fromListing(from);
        if (issue !== null) issues.push(issue);
      }
      for (const issue of issues) cache.report(issue);
      if (issues.length > 0) yield issues;
    }
    index.takeRelinked();
    const own: Issue[] = [];
    for (const pull of index.all()) {
      const item = pull.state === 'open' ? await ownItem(pull.number) : null;
      if (item?.state === 'open') own.push(item);
    }
    for (const item of own) cache.report(item);
    if (own.length > 0) yield own;
    for (const number of cache.prune(now() - FORGET_MS)) forget(number);
    listed = true;
  }

  async function readDirtyIssues(change: { issues: Issue[]; gone: number[] }): Promise<void> {
    let reads = 0;
    for (const [number, from] of dirty.issues) {
      if (from === null && reads >= READS_AT_ONCE) continue;
      if (from === null) reads += 1;
      const issue = from === null ? await read(number) : await enrich(from);
      if (from !== null) cache.put(from, false);
      // A newer hint that came meanwhile stays.
      if (dirty.issues.get(number) === from) dirty.issues.delete(number);
      if (issue === null) change.gone.push(number);
      else if (cache.report(issue)) change.issues.push(issue);
    }
  }

  async function readDirtyPulls(): Promise<void> {
    for (const number of [...dirty.pulls].slice(0, READS_AT_ONCE)) {
      dirty.touch([...(await pulls.read(number)), number]);
      dirty.pulls.delete(number);
    }
    dirty.touch(await pulls.readReviews(REVIEWS_AT_ONCE));
  }

  async function reportOwnItems(change: { issues: Issue[] }): Promise<void> {
    for (const number of index.takeRelinked()) dirty.ownItems.add(number);
    for (const number of dirty.ownItems) {
      const item = await ownItem(number);
      dirty.ownItems.delete(number);
      if (item === null || (item.state === 'closed' && !cache.wasReported(number))) continue;
      if (cache.report(item)) change.issues.push(item);
    }
  }

  /** One after the other: a poll and a delivery at the same time must not read the same twice. */
  function readDirty(): Promise<ForgeChange> {
    const done = reading.then(readDirtyNow);
    reading = done.catch(() => undefined);
    return done;
  }

  /** Somebody says that the repository was given to us, or taken away: GitHub itself is asked. */
  async function isTakenAway(): Promise<boolean> {
    if (!accessDoubted) return false;
    accessDoubted = false;
    try {
      await api.about(true);
      rescan.ask();
      return false;
    } catch (error) {
      if (hasStatus(error, 404)) return true;
      accessDoubted = true;
      throw error;
    }
  }

  /** As if it had never been looked at: given back, everything in it is news. */
  function forgetEverything(): void {
    cache.clear();
    rescan.stop();
    dirty.clear();
    listed = false;
  }

  /** Reads what is dirty. What was found before an error is still told; the rest stays dirty. */
  async function readDirtyNow(): Promise<ForgeChange> {
    const change = { repository, issues: [] as Issue[], gone: [] as number[] };
    try {
      if (await isTakenAway()) {
        forgetEverything();
        return { ...change, unreachable: true };
      }
      await rescan.run();
      await readDirtyPulls();
      await readDirtyIssues(change);
      await reportOwnItems(change);
    } catch (error) {
      if (change.issues.length === 0 && change.gone.length === 0) throw error;
      return change;
    }
    const lost = [...dirty.lostLabels];
    dirty.lostLabels.clear();
    return { ...change, lostLabels: lost };
  }

  async function readListing(since: number | null): Promise<void> {
    const all = since === null;
    const parameters = all
      ? ALL_OPEN
      : // Sorted by creation: by update no ETag would ever hold.
        { state: 'all', sort: 'created', direction: 'asc', since: new Date(since).toISOString() };
    if (all) cache.forgetReports();
    let newest = 0;
    const pages = api.pages<GithubIssue>(LISTING, parameters, all ? memory : changed);
    for await (const page of pages) {
      for (const from of page) {
        newest = Math.max(newest, instantOf(from.updated_at));
        if (all && from.pull_request === undefined) dirty.issues.set(from.number, from);
        else dirty.hint(from, compareListed);
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
    const expected = cache.openCount();
    const state = `${count} of ${expected}`;
    if (count >= expected || state === probed || count > GONE_PAGES * 100) return;
    const seen = new Set<number>();
    for await (const page of everyOpen()) {
      for (const from of page) seen.add(from.number);
    }
    for (const number of cache.openNumbers()) {
      if (!seen.has(number) && !dirty.issues.has(number)) dirty.issues.set(number, null);
    }
    probed = state;
  }

  async function changes(
    cursor: string | null,
  ): Promise<{ change: ForgeChange; cursor: string | null }> {
    const since =
      cursor === null ? sinceAt : Number(/^since\.(\d+)$/.exec(cursor)?.[1] ?? Number.NaN);
    await readListing(Number.isNaN(since) ? null : since);
    const first = await readDirty();
    const second = await findGone()
      .then(readDirty)
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
    readDirty,
    hint: dirty.hint,
    hintPull: dirty.hintPull,
    hintReview: (number: number) => pulls.doubt(number),
    /** Somebody says that it is gone; it is read before that is believed. */
    hintGone: (number: number) => void dirty.issues.set(number, null),
    /** A label was renamed or deleted. */
    hintLostLabel(name: string): void {
      dirty.lostLabels.add(name);
      rescan.ask();
    },
    doubtAccess(): void {
      accessDoubted = true;
    },
    isDirty: () => !dirty.isEmpty() || pulls.unread() > 0 || rescan.isDue() || accessDoubted,
    /** GitHub's own name for the item; null: it was never seen. */
    nodeId: cache.nodeId,
    isMergeOf: (sha: string) => index.isMerge(sha),
  };
}

export type RepositoryMirror = ReturnType<typeof createRepositoryMirror>;
