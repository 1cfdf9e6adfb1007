// Where a ready task stands: its bucket and its place in it. Both follow from the row, the labels of its issue
// and the labels that agents have offered; nothing else is remembered of it.

import { bucketKey } from '../pairing/match.ts';
import { score } from '../priority.ts';
import type { TaskRow } from '../rows/task-row.ts';

export function bucketOfRow(
  row: TaskRow,
  matchLabels: readonly string[],
  isRelevant: (label: string) => boolean,
): string {
  const { repository, kind, priority, authors, onlyAgent } = row;
  const labels = matchLabels.filter(isRelevant);
  return bucketKey({ repository, kind, priority, authors, only: onlyAgent, labels });
}

export function scoreOfRow(row: TaskRow): number {
  return score(row.priority, row.enqueuedAt ?? 0);
}

export type Deadline = 'lease' | 'delayed' | 'opening';

/** The one instant at which time alone changes a task; null: only somebody can. */
export function deadlineOf(row: TaskRow): { readonly what: Deadline; readonly at: number } | null {
  if (row.lease !== null) return { what: 'lease', at: row.lease.expiresAt };
  if (row.state === 'delayed') return { what: 'delayed', at: row.readyAt ?? 0 };
  if (row.state === 'ready' && row.opensAt !== null) return { what: 'opening', at: row.opensAt };
  return null;
}

/** Which of two comes first when time changes both: the one whose instant is earlier, then the older one. */
export function compareDue(one: TaskRow, other: TaskRow): number {
  const apart = (deadlineOf(one)?.at ?? 0) - (deadlineOf(other)?.at ?? 0);
  if (apart !== 0) return apart;
  const age = one.createdAt - other.createdAt || one.number - other.number;
  if (age !== 0) return age;
  return one.id < other.id ? -1 : 1;
}
