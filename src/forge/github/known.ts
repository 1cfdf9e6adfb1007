// What was last shown of each item: decides whether a picture is news, old, or cannot be told apart from what is
// known, because GitHub dates to the second.

import { createHash } from 'node:crypto';
import type { Issue } from '../../core/issue.ts';
import { createRecent } from './recent.ts';
import type { GithubIssue } from './shapes.ts';
import { instantOf, labelNames } from './shapes.ts';

interface Shown {
  readonly nodeId: string | null;
  readonly updatedAt: number;
  /** Of GitHub's own words. */
  readonly raw: string;
  /** Of the issue as it was reported, links and all; null: not reported yet. */
  readonly print: string | null;
  readonly open: boolean;
  /** Read by itself after its second had passed: nothing else can carry this instant any more. */
  readonly settled: boolean;
}

/** A late word about one that was deleted must not bring it back. */
const GONE_KEPT = 10_000;

export type Verdict = 'news' | 'same' | 'old' | 'unclear';

function hash(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value)).digest('base64').slice(0, 16);
}

export function rawPrint(from: GithubIssue): string {
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

export function createKnown() {
  const shown = new Map<number, Shown>();
  const gone = createRecent<number, true>(GONE_KEPT);
  return {
    isGone: (number: number) => gone.has(number),
    isOpen: (number: number) => shown.get(number)?.open === true,
    updatedAt: (number: number) => shown.get(number)?.updatedAt ?? null,
    nodeId: (number: number) => shown.get(number)?.nodeId ?? null,
    /** How a picture compares with what is known. */
    judge(from: GithubIssue): Verdict {
      const known = shown.get(from.number);
      const updatedAt = instantOf(from.updated_at);
      if (gone.has(from.number)) return 'old';
      if (known === undefined || updatedAt > known.updatedAt) return 'news';
      if (updatedAt < known.updatedAt) return 'old';
      if (known.raw === rawPrint(from)) return 'same';
      return known.settled ? 'old' : 'unclear';
    },
    see(from: GithubIssue, settled: boolean): void {
      const before = shown.get(from.number);
      const raw = rawPrint(from);
      const updatedAt = instantOf(from.updated_at);
      const same = before?.raw === raw && before.updatedAt === updatedAt;
      shown.set(from.number, {
        nodeId: from.node_id ?? before?.nodeId ?? null,
        updatedAt,
        raw,
        print: before?.print ?? null,
        open: from.state === 'open',
        settled: settled || (same && before.settled),
      });
    },
    /** Remembers what is reported; false: exactly this was reported before. */
    report(issue: Issue): boolean {
      const before = shown.get(issue.number);
      const print = hash(issue);
      if (before?.print === print) return false;
      const { updatedAt } = issue;
      const base = before ?? {
        nodeId: null,
        updatedAt,
        raw: '',
        open: issue.state === 'open',
        settled: false,
      };
      shown.set(issue.number, { ...base, print });
      return true;
    },
    wasReported: (number: number) => (shown.get(number)?.print ?? null) !== null,
    lose(number: number): void {
      shown.delete(number);
      gone.set(number, true);
    },
    /** As if nothing had been seen yet. */
    clear: () => shown.clear(),
    /** Forgets what was reported, so that everything counts as news again. */
    forgetReports(): void {
      for (const [number, one] of shown) shown.set(number, { ...one, print: null });
    },
    /** Closed items that have not changed since then are forgotten; answers with their numbers. */
    prune(beforeAt: number): number[] {
      const old = [...shown].filter(([, one]) => !one.open && one.updatedAt < beforeAt);
      for (const [number] of old) shown.delete(number);
      return old.map(([number]) => number);
    },
    openNumbers(): number[] {
      return [...shown].filter(([, one]) => one.open).map(([number]) => number);
    },
    openCount(): number {
      let count = 0;
      for (const one of shown.values()) if (one.open) count += 1;
      return count;
    },
  };
}
