// What is in memory of tasks and issues that live.

import type { IssueRow } from '../../core/rows/issue-row.ts';
import type { LedgerRow } from '../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../core/rows/task-row.ts';
import { OPEN_STATES } from '../../core/task.ts';
import type { Timed } from './deadlines.ts';
import type { Lane } from './lane.ts';

export interface TaskEntry extends Timed<TaskEntry> {
  readonly seq: number;
  readonly id: string;
  readonly issue: IssueEntry;
  row: TaskRow;
  /** Numbers of its facts, rising; replaced, never changed. */
  facts: readonly number[];
  /** The bucket it stands in while it is ready. */
  lane: Lane<TaskEntry> | null;
  /** As it is kept, once it has ended. */
  text: string | null;
}

/** A task that has ended: hardly ever looked at again. */
export interface EndedTask {
  readonly seq: number;
  readonly id: string;
  readonly row: null;
  readonly text: string;
}

export interface IssueEntry extends Timed<IssueEntry> {
  readonly seq: number;
  row: IssueRow;
  ledger: LedgerRow;
  /** All its tasks, in the order in which they were made. */
  readonly tasks: (TaskEntry | EndedTask)[];
  /** True while its labels count as used. */
  busy: boolean;
  /** True while it is at hand: among the issues of the memory. */
  lives: boolean;
  /** As the archive has it. */
  kept: IssueRow | null;
}

export const isOpenRow = (row: Pick<TaskRow, 'state'>): boolean => OPEN_STATES.includes(row.state);

export const isOpenTask = (task: TaskEntry | EndedTask): task is TaskEntry =>
  task.row !== null && isOpenRow(task.row);

/** An issue has to be at hand while it is open, somebody works on it, or something is to be written to it. */
export const livesOn = (issue: IssueEntry): boolean =>
  issue.row.state === 'open' || issue.ledger.writes.length > 0 || issue.tasks.some(isOpenTask);
