// What choosing looks at: buckets with the ready tasks in them, and labels, never tasks.

import { bucketOfRow, scoreOfRow } from '../../core/decide/filing.ts';
import { EMPTY_BUCKET_KEPT_MS } from '../../core/decide/forget.ts';
import type { BucketPeek, Registry } from '../../core/store.ts';
import type { IssueEntry, TaskEntry } from './entries.ts';
import {
  addTo,
  createLane,
  firstItems,
  firstScores,
  headOf,
  type Lane,
  removeFrom,
  sizeOf,
} from './lane.ts';

export interface Buckets {
  version(): number;
  registry(): Omit<Registry, 'paused'>;
  filled(): string[];
  peek(buckets: readonly string[], limit: number): BucketPeek[];
  /** The oldest head of the first group that has one. */
  best(groups: readonly (readonly string[])[]): TaskEntry | null;
  oldestReadyAt(): number | null;
  /** The first ones of all buckets together, lowest score first. */
  first(limit: number): TaskEntry[];
  /** Files a task that is ready. */
  file(task: TaskEntry): void;
  unfile(task: TaskEntry, now: number): void;
  /** The labels of an issue count while it has open tasks. */
  use(issue: IssueEntry): void;
  disuse(issue: IssueEntry): void;
  isLearned(label: string): boolean;
  /** From now on tasks are filed under it; it counts as unlearned until `learned`. */
  beginLearning(label: string): void;
  finishLearning(label: string): void;
  /** What is ranked depends on it: rankings from before are stale. */
  repaused(): void;
  forgetEmpty(now: number): void;
}

export function createBuckets(firstVersion: number, learned: Iterable<string>): Buckets {
  const lanes = new Map<string, Lane<TaskEntry>>();
  /** How many issues with open tasks carry a label. */
  const uses = new Map<string, number>();
  /** False: being learned. */
  const known = new Map<string, boolean>();
  for (const label of learned) known.set(label, true);
  let lanesOfGroups = new WeakMap<object, Lane<TaskEntry>[][]>();
  let version = firstVersion;

  const isRelevant = (label: string): boolean => known.has(label);
  const isLearned = (label: string): boolean => known.get(label) === true;

  function laneOf(task: TaskEntry): Lane<TaskEntry> {
    const key = bucketOfRow(task.row, task.issue.row.matchLabels, isRelevant);
    const lane = lanes.get(key);
    if (lane !== undefined) return lane;
    const made = createLane<TaskEntry>(key);
    lanes.set(key, made);
    version += 1;
    return made;
  }

  /** Rankings are made once and used for many claims: so is the way from their names to the buckets. */
  function lanesFor(groups: readonly (readonly string[])[]): Lane<TaskEntry>[][] {
    const remembered = lanesOfGroups.get(groups);
    if (remembered !== undefined) return remembered;
    const found = groups.map((group) => group.flatMap((key) => lanes.get(key) ?? []));
    lanesOfGroups.set(groups, found);
    return found;
  }

  function count(label: string, by: number): void {
    const before = uses.get(label) ?? 0;
    const after = before + by;
    if (after === 0) uses.delete(label);
    else uses.set(label, after);
    if (!isLearned(label) && (before === 0) !== (after === 0)) version += 1;
  }

  return {
    version: () => version,
    isLearned,
    registry: () => ({
      version,
      buckets: [...lanes.keys()].sort(),
      unlearned: [...uses.keys()].filter((label) => !isLearned(label)).sort(),
    }),
    filled: () => [...lanes.values()].filter((lane) => sizeOf(lane) > 0).map(({ key }) => key),
    peek: (buckets, limit) =>
      buckets.map((bucket) => {
        const lane = lanes.get(bucket);
        if (lane === undefined) return { bucket, ready: 0, scores: [] };
        return { bucket, ready: sizeOf(lane), scores: firstScores(lane, limit) };
      }),
    best(groups) {
      for (const group of lanesFor(groups)) {
        let best: Lane<TaskEntry> | null = null;
        let lowest = Number.POSITIVE_INFINITY;
        for (const lane of group) {
          if (lane.headScore >= lowest) continue;
          lowest = lane.headScore;
          best = lane;
        }
        if (best !== null) return headOf(best) ?? null;
      }
      return null;
    },
    oldestReadyAt() {
      let oldest: number | null = null;
      for (const lane of lanes.values()) {
        const at = headOf(lane)?.row.enqueuedAt ?? null;
        if (at !== null && (oldest === null || at < oldest)) oldest = at;
      }
      return oldest;
    },
    first: (limit) =>
      [...lanes.values()]
        .flatMap((lane) => firstItems(lane, limit))
        .sort((a, b) => scoreOfRow(a.row) - scoreOfRow(b.row))
        .slice(0, limit),
    file(task) {
      const lane = laneOf(task);
      addTo(lane, task, scoreOfRow(task.row));
      lane.emptiedAt = null;
      task.lane = lane;
    },
    unfile(task, now) {
      const { lane } = task;
      if (lane === null) return;
      removeFrom(lane, task, scoreOfRow(task.row));
      if (sizeOf(lane) === 0) lane.emptiedAt = now;
      task.lane = null;
    },
    use(issue) {
      for (const label of issue.row.matchLabels) count(label, 1);
    },
    disuse(issue) {
      for (const label of issue.row.matchLabels) count(label, -1);
    },
    beginLearning(label) {
      known.set(label, false);
      version += 1;
    },
    finishLearning(label) {
      known.set(label, true);
      version += 1;
    },
    repaused() {
      version += 1;
    },
    forgetEmpty(now) {
      for (const [key, lane] of lanes) {
        if (lane.emptiedAt === null || lane.emptiedAt > now - EMPTY_BUCKET_KEPT_MS) continue;
        lanes.delete(key);
        version += 1;
        lanesOfGroups = new WeakMap();
      }
    },
  };
}
