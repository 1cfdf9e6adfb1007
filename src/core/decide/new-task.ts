// A task as it is made, by a plan or as a follow-up.

import type { TaskRow } from '../rows/task-row.ts';
import type { TaskName, TaskState } from '../task.ts';
import type { Moment } from './verb.ts';

interface NewTask extends TaskName {
  readonly id: string;
  readonly state: TaskState;
  readonly reason: string | null;
  readonly readyAt: number | null;
  readonly priority: number;
  readonly authors: readonly string[];
  /** The last author is asked alone for so long, from this instant on; 0: everyone at once. */
  readonly authorFirstMs: number;
  readonly reservedFrom: number;
  readonly branch: string;
  readonly prNumber: number | null;
  readonly reviewComments: readonly string[];
}

export function newTask(task: NewTask, at: Moment): TaskRow {
  const { now } = at;
  const { authorFirstMs, reservedFrom, ...made } = task;
  const onlyAgent = authorFirstMs > 0 ? (made.authors.at(-1) ?? null) : null;
  return {
    ...made,
    attempts: 0,
    fence: 0,
    enqueuedAt: made.state === 'ready' ? at.nextPlace() : null,
    lease: null,
    onlyAgent,
    opensAt: onlyAgent === null ? null : reservedFrom + authorFirstMs,
    result: null,
    createdAt: now,
    updatedAt: now,
    endedAt: made.state === 'dead' ? now : null,
    pinned: false,
    timed: false,
    overspent: false,
    used: null,
    limits: null,
    questions: [],
    past: [],
  };
}
