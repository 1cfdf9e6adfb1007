// Who may take what. Tasks that every agent would judge alike share a bucket; choosing looks at
// buckets (tens to hundreds), never at tasks, and so costs the same with any backlog.

import { TASK_KINDS, type TaskKind } from '../task.ts';
import type { Seeker } from '../ticket.ts';

export const REVIEW_CAPABILITY = 'review';
const ANYTHING = '*';

export interface Bucket {
  readonly repository: string;
  readonly kind: TaskKind;
  readonly priority: number;
  /** Agents that wrote the change and so may not review it; empty for other kinds. */
  readonly authors: readonly string[];
  /** The one agent it is reserved for. */
  readonly only: string | null;
  /** Relevant labels: lower case, sorted. */
  readonly labels: readonly string[];
}

/** Bucket keys are JSON, so that no label or name, however hostile, can imitate another key. */
export function bucketKey(bucket: Bucket): string {
  return JSON.stringify([
    bucket.repository,
    TASK_KINDS.indexOf(bucket.kind),
    bucket.priority,
    bucket.only,
    bucket.kind === 'review' ? [...bucket.authors].sort() : [],
    [...bucket.labels].sort(),
  ]);
}

type BucketTuple = [string, number, number, string | null, string[], string[]];

export function parseBucketKey(key: string): Bucket {
  const [repository, kind, priority, only, authors, labels] = JSON.parse(key) as BucketTuple;
  return { repository, kind: TASK_KINDS[kind] ?? 'implement', priority, only, authors, labels };
}

const NAMES_NOBODY = /^\["[^"\\]*",\d+,\d+,null,\[\],/;

/** True: the key names no agent. Most do not, and this tells so without reading the key; false may be wrong. */
export function namesNobody(key: string): boolean {
  return NAMES_NOBODY.test(key);
}

export function normalizeCapabilities(capabilities: readonly string[]): string[] {
  return [...new Set(capabilities.map((name) => name.trim().toLowerCase()))]
    .filter((name) => name !== '')
    .sort();
}

/** How many labels match; null where the agent may not have the task at all. */
export function matchCount(seeker: Seeker, bucket: Bucket): number | null {
  if (seeker.kinds !== null && !seeker.kinds.includes(bucket.kind)) return null;
  if (seeker.repositories !== null && !seeker.repositories.includes(bucket.repository)) return null;
  if (bucket.only !== null && bucket.only !== seeker.agentId) return null;
  const matches = bucket.labels.filter((label) => seeker.capabilities.includes(label)).length;
  // Asked back to its own change, an author needs no label for it.
  if (bucket.only === seeker.agentId) return matches;
  const anything = seeker.capabilities.includes(ANYTHING);
  if (bucket.kind === 'review') {
    if (bucket.authors.includes(seeker.agentId)) return null;
    return anything || seeker.capabilities.includes(REVIEW_CAPABILITY) ? matches : null;
  }
  return matches > 0 || anything ? matches : null;
}

/** A seeker without the parts that do not change which buckets suit it: the key of the memory below. */
export function seekerKey(seeker: Seeker, knowsAgent: boolean): string {
  return JSON.stringify([
    seeker.capabilities,
    seeker.kinds,
    seeker.repositories,
    knowsAgent ? seeker.agentId : null,
  ]);
}

/**
 * The buckets an agent may take from, best first: groups by priority, then by number of matching labels.
 * Within a group age decides, so a store compares the oldest task of each bucket there.
 */
export function rankBuckets(seeker: Seeker, buckets: Iterable<[string, Bucket]>): string[][] {
  const groups = new Map<number, string[]>();
  for (const [key, bucket] of buckets) {
    const matches = matchCount(seeker, bucket);
    if (matches === null) continue;
    const rank = bucket.priority * 1000 + matches;
    const group = groups.get(rank);
    if (group === undefined) groups.set(rank, [key]);
    else group.push(key);
  }
  return [...groups.entries()].sort(([a], [b]) => b - a).map(([, keys]) => keys.sort());
}
