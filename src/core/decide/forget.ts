// What has ended and may be forgotten. Stores look for what is old; whether it may go is said here.

import { type IssueRow, livesOn } from '../rows/issue-row.ts';
import type { LedgerRow } from '../rows/ledger-row.ts';
import type { TaskRow } from '../rows/task-row.ts';
import { OPEN_STATES } from '../task.ts';

/** A bucket that has just run empty is likely to fill again; each coming and going outdates every ranking. */
export const EMPTY_BUCKET_KEPT_MS = 60_000;

export interface Ended {
  /** Undefined: it was never mirrored. */
  readonly issue: Pick<IssueRow, 'state' | 'seenAt'> | undefined;
  readonly ledger: Pick<LedgerRow, 'writes'>;
  readonly tasks: readonly Pick<TaskRow, 'state'>[];
  /** An open issue waits for it: that it is closed is what the other one waits to hear. */
  readonly awaited: boolean;
}

/** An issue with all its tasks. A dead task stays, until an operator has looked at it or it is opened again. */
export function mayForgetIssue({ issue, ledger, tasks, awaited }: Ended, before: number): boolean {
  if (issue === undefined || issue.seenAt >= before || awaited) return false;
  if (tasks.some(({ state }) => state === 'dead')) return false;
  const busy = tasks.some(({ state }) => OPEN_STATES.includes(state));
  return !livesOn(issue, ledger, busy);
}

/** The row without its result; null: it has none, or is not old enough. */
export function withoutResult(row: TaskRow, before: number): TaskRow | null {
  const { result, endedAt } = row;
  if (result === null || endedAt === null || endedAt >= before) return null;
  return { ...row, result: null };
}
