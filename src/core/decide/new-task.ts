// A task as it is made, by a plan or as a follow-up.

import type { Question } from '../attempt/question.ts';
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
  /** What was asked and answered in the work before. */
  readonly questions: readonly Question[];
}

/** Every field is named, in the order of `decodeTask`: rows that are made and rows that are read have one shape. */
export function newTask(task: NewTask, at: Moment): TaskRow {
  const { now } = at;
  const { state, authors } = task;
  const onlyAgent = task.authorFirstMs > 0 ? (authors.at(-1) ?? null) : null;
  return {
    id: task.id,
    repository: task.repository,
    number: task.number,
    kind: task.kind,
    round: task.round,
    state,
    reason: task.reason,
    priority: task.priority,
    attempts: 0,
    fence: 0,
    enqueuedAt: state === 'ready' ? at.nextPlace() : null,
    readyAt: task.readyAt,
    lease: null,
    authors,
    onlyAgent,
    opensAt: onlyAgent === null ? null : task.reservedFrom + task.authorFirstMs,
    branch: task.branch,
    prNumber: task.prNumber,
    reviewComments: task.reviewComments,
    result: null,
    used: null,
    limits: null,
    overspent: false,
    stuck: false,
    holdAfter: null,
    questions: task.questions,
    createdAt: now,
    updatedAt: now,
    endedAt: state === 'dead' ? now : null,
    pinned: false,
    timed: false,
    past: [],
  };
}
