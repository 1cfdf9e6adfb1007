// What the ends of a lease have in common: whose it is, what stays of it, where the task goes.

import type { FactBody } from '../facts.ts';
import type { LedgerRow } from '../rows/ledger-row.ts';
import {
  isLive,
  type LeasedRow,
  PAST_KEPT,
  type PastLease,
  type TaskRow,
  toTask,
} from '../rows/task-row.ts';
import type { Ended } from '../store.ts';
import type { AttemptOutcome, TaskState } from '../task.ts';
import type { Decision, Moment } from './verb.ts';
import { want, writeComment } from './wants.ts';

type Named = { readonly token: string } | { readonly fence: number };

/**
 * The live lease with this token, or this fence. Without one the verb has its answer: the same as before when
 * that lease ended in this way (the caller never heard), lost otherwise.
 */
export function holding(
  row: TaskRow | undefined,
  named: Named,
  outcome: AttemptOutcome,
  now: number,
): { readonly live: LeasedRow } | { readonly live: null; readonly decision: Decision<Ended> } {
  if (row === undefined) return { live: null, decision: { answer: { outcome: 'not_found' } } };
  const isMeant = (lease: { token: string; fence: number }): boolean =>
    'token' in named ? lease.token === named.token : lease.fence === named.fence;
  if (isLive(row, now) && isMeant(row.lease)) return { live: row };
  const ended = row.past.findLast(isMeant);
  const answer: Ended =
    ended?.outcome === outcome ? { outcome: 'ok', task: toTask(row) } : { outcome: 'lease_lost' };
  return { live: null, decision: { answer } };
}

/** The task without its lease, which stays among the past ones. */
export function endLease(
  row: LeasedRow,
  outcome: AttemptOutcome,
  note: string | null,
  now: number,
): TaskRow {
  const { agentId, token, fence, leasedAt: startedAt, progress } = row.lease;
  const { branch } = row;
  const ended: PastLease = {
    agentId,
    fence,
    branch,
    startedAt,
    endedAt: now,
    outcome,
    note,
    progress,
    token,
    report: null,
  };
  const past = [...row.past.slice(1 - PAST_KEPT), ended];
  return { ...row, lease: null, past, updatedAt: now };
}

/** Into a state; a place in line that it has is kept, a reservation that is over is not. */
export function enter(row: TaskRow, state: TaskState, reason: string | null, at: Moment): TaskRow {
  const opened = row.opensAt !== null && row.opensAt <= at.now;
  return {
    ...row,
    state,
    reason,
    onlyAgent: opened ? null : row.onlyAgent,
    opensAt: opened ? null : row.opensAt,
    enqueuedAt: state === 'ready' ? (row.enqueuedAt ?? at.nextPlace()) : row.enqueuedAt,
    updatedAt: at.now,
  };
}

/** A task that is dead from here on: the fact, the comment and the labels. */
export function bury(
  task: TaskRow,
  reason: string,
  before: LedgerRow,
  labels: readonly string[],
  now: number,
): { readonly fact: FactBody; readonly ledger: LedgerRow } {
  const fact: FactBody = { type: 'dead', taskId: task.id, state: 'dead', reason };
  return { fact, ledger: want(writeComment(before, task, 'dead', now), labels, now) };
}

export const seen = (agentId: string) => [{ note: 'seen', agentId } as const];
