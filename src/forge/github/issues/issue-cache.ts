// What was last seen of each item: decides whether a version is news, old, or cannot be told apart from the cached
// one, because GitHub dates to the second.

import { createHash } from 'node:crypto';
import type { Issue } from '../../../core/issue.ts';
import { createBoundedMap } from '../bounded-map.ts';
import type { GithubIssue } from '../shapes.ts';
import { instantOf, labelNames } from '../shapes.ts';

interface Entry {
  readonly nodeId: string | null;
  readonly updatedAt: number;
  /** Of GitHub's own words. */
  readonly fingerprint: string;
  /** Of the issue as it was reported, links and all; null: not reported yet. */
  readonly reportedFingerprint: string | null;
  readonly open: boolean;
  /** Read by itself after its second had passed: nothing else can carry this instant any more. */
  readonly confirmed: boolean;
}

/** A late word about one that was deleted must not bring it back. */
const GONE_KEPT = 10_000;

export type Verdict = 'news' | 'same' | 'old' | 'unclear';

function hash(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value)).digest('base64').slice(0, 16);
}

export function fingerprintOf(from: GithubIssue): string {
  const { title, body, state, draft } = from;
  const labels = labelNames(from.labels).sort();
  return hash([
    title,
    body ?? '',
    state,
    labels,
    draft ?? false,
    from.pull_request?.merged_at ?? null,
  ]);
}

export function createIssueCache() {
  const entries = new Map<number, Entry>();
  const gone = createBoundedMap<number, true>(GONE_KEPT);
  return {
    isGone: (number: number) => gone.has(number),
    isOpen: (number: number) => entries.get(number)?.open === true,
    updatedAt: (number: number) => entries.get(number)?.updatedAt ?? null,
    nodeId: (number: number) => entries.get(number)?.nodeId ?? null,
    /** How a version compares with the cached one. */
    compare(from: GithubIssue): Verdict {
      const cached = entries.get(from.number);
      const updatedAt = instantOf(from.updated_at);
      if (gone.has(from.number)) return 'old';
      if (cached === undefined || updatedAt > cached.updatedAt) return 'news';
      if (updatedAt < cached.updatedAt) return 'old';
      if (cached.fingerprint === fingerprintOf(from)) return 'same';
      return cached.confirmed ? 'old' : 'unclear';
    },
    put(from: GithubIssue, confirmed: boolean): void {
      const before = entries.get(from.number);
      const fingerprint = fingerprintOf(from);
      const updatedAt = instantOf(from.updated_at);
      const same = before?.fingerprint === fingerprint && before.updatedAt === updatedAt;
      entries.set(from.number, {
        nodeId: from.node_id ?? before?.nodeId ?? null,
        updatedAt,
        fingerprint,
        reportedFingerprint: before?.reportedFingerprint ?? null,
        open: from.state === 'open',
        confirmed: confirmed || (same && before.confirmed),
      });
    },
    /** Remembers what is reported; false: exactly this was reported before. */
    report(issue: Issue): boolean {
      const before = entries.get(issue.number);
      const reportedFingerprint = hash(issue);
      if (before?.reportedFingerprint === reportedFingerprint) return false;
      const { updatedAt } = issue;
      const base = before ?? {
        nodeId: null,
        updatedAt,
        fingerprint: '',
        open: issue.state === 'open',
        confirmed: false,
      };
      entries.set(issue.number, { ...base, reportedFingerprint });
      return true;
    },
    wasReported: (number: number) => (entries.get(number)?.reportedFingerprint ?? null) !== null,
    remove(number: number): void {
      entries.delete(number);
      gone.set(number, true);
    },
    /** As if nothing had been seen yet. */
    clear: () => entries.clear(),
    /** Forgets what was reported, so that everything counts as news again. */
    forgetReports(): void {
      for (const [number, one] of entries)
        entries.set(number, { ...one, reportedFingerprint: null });
    },
    /** Closed items that have not changed since then are forgotten; answers with their numbers. */
    prune(beforeAt: number): number[] {
      const old = [...entries].filter(([, one]) => !one.open && one.updatedAt < beforeAt);
      for (const [number] of old) entries.delete(number);
      return old.map(([number]) => number);
    },
    openNumbers(): number[] {
      return [...entries].filter(([, one]) => one.open).map(([number]) => number);
    },
    openCount(): number {
      let count = 0;
      for (const one of entries.values()) if (one.open) count += 1;
      return count;
    },
  };
}

export type IssueCache = ReturnType<typeof createIssueCache>;
