// Priorities and the score that orders a queue.

export const PRIORITIES = { high: 100, normal: 50, low: 25 } as const;
export type PriorityName = keyof typeof PRIORITIES;

const MAX_PRIORITY = 100;
const PRIORITY_MULTIPLIER = 1e13;

/** Lowest score first: priority decides, then the enqueue instant. Exact below 2^53. */
export function score(priority: number, enqueuedAt: number): number {
  return (MAX_PRIORITY - priority) * PRIORITY_MULTIPLIER + enqueuedAt;
}

/** What a score was made of. */
export const priorityOfScore = (value: number): number =>
  MAX_PRIORITY - Math.floor(value / PRIORITY_MULTIPLIER);
export const enqueuedAtOfScore = (value: number): number => value % PRIORITY_MULTIPLIER;

/** For whoever knows a task's score alone: tasks of one priority lie within a step; those of a queue below its end. */
export const SCORES = {
  step: PRIORITY_MULTIPLIER,
  high: score(PRIORITIES.high - 1, 0),
  normal: score(PRIORITIES.normal - 1, 0),
} as const;

export function priorityName(priority: number): PriorityName {
  if (priority >= PRIORITIES.high) return 'high';
  return priority >= PRIORITIES.normal ? 'normal' : 'low';
}

export interface PriorityLabels {
  readonly high: readonly string[];
  readonly normal: readonly string[];
  readonly low: readonly string[];
}

export const DEFAULT_PRIORITY_LABELS: PriorityLabels = {
  high: ['priority:high', 'priority:critical', 'priority:urgent', 'P0', 'P1'],
  normal: ['priority:normal', 'priority:medium', 'P2'],
  low: ['priority:low', 'P3', 'P4'],
};

/** The strongest priority label wins; none means NORMAL. Labels compare without case. */
export function priorityOf(labels: readonly string[], rules: PriorityLabels): number {
  const present = new Set(labels.map((label) => label.toLowerCase()));
  for (const name of ['high', 'normal', 'low'] as const) {
    if (rules[name].some((label) => present.has(label.toLowerCase()))) return PRIORITIES[name];
  }
  return PRIORITIES.normal;
}

/** Exact FIFO within one millisecond: the instant a task joins a queue is strictly rising. */
export function nextEnqueueAt(now: number, last: number): number {
  return Math.max(now, last + 1);
}
