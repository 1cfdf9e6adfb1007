// What is in memory of tasks and issues that live.

import type { IssueRow } from '../../core/rows/issue-row.ts';
import type { LedgerRow } from '../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../core/rows/task-row.ts';
import type { TaskState } from '../../core/task.ts';
import type { Lane } from './lane.ts';

export interface TaskEntry {
  readonly seq: number;
  readonly issue: IssueEntry;
  row: TaskRow;
  /** Numbers of its facts, rising; replaced, never changed. */
  facts: readonly number[];
  /** The bucket it stands in while it is ready. */
  lane: Lane<TaskEntry> | null;
  /** The state that the archive has; null: it has none yet. */
  kept: TaskState | null;
}

export interface IssueEntry {
  readonly seq: number;
  row: IssueRow;
  ledger: LedgerRow;
  /** Its tasks in an open state, by id. */
  readonly open: Map<string, TaskEntry>;
  /** True while its labels count as used. */
  busy: boolean;
  /** As the archive has it. */
  kept: IssueRow | null;
  ledgerKept: boolean;
  /** Ids of its tasks that have ended; null: the archive has not been asked yet. */
  ended: Set<string> | null;
}
