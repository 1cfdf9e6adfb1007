// What lists of tasks have in common, whichever store they are read from.

import { BantoError } from '../errors.ts';
import type { QueueCount, TaskFilter } from '../store.ts';
import { TASK_KINDS, TASK_STATES } from '../task.ts';
import type { TaskRow } from './task-row.ts';

/** `labels`: those of its issue, in lower case. */
export function suits(row: TaskRow, labels: readonly string[], filter: TaskFilter): boolean {
  const { state, kind, repository, agent, label } = filter;
  if (state !== undefined && row.state !== state) return false;
  if (kind !== undefined && row.kind !== kind) return false;
  if (repository !== undefined && row.repository !== repository) return false;
  if (label !== undefined && !labels.includes(label.toLowerCase())) return false;
  if (agent === undefined || row.lease?.agentId === agent) return true;
  return row.past.some(({ agentId }) => agentId === agent);
}

/** Where a list goes on; undefined: at its beginning. */
export function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^\d{1,15}$/.test(cursor)) {
    throw new BantoError('invalid_request', 'The cursor is not one that this list gave out.');
  }
  return Number(cursor);
}

/** Those of which there are any: by state and kind as they follow each other, the highest priority first. */
export function shownCounts(counts: Iterable<QueueCount>): QueueCount[] {
  return [...counts].filter(({ count }) => count > 0).sort(compareCounts);
}

function compareCounts(a: QueueCount, b: QueueCount): number {
  const states = TASK_STATES.indexOf(a.state) - TASK_STATES.indexOf(b.state);
  const kinds = TASK_KINDS.indexOf(a.kind) - TASK_KINDS.indexOf(b.kind);
  return states || kinds || b.priority - a.priority;
}
