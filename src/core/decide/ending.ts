// What the ends of a lease have in common: whose it is, what stays of it, where the task goes.

import { BUDGET, type Limits, limitsFor, NO_LIMITS, usedUp } from '../attempt/budget.ts';
import { ATTEMPTS_KEPT } from '../attempt/history.ts';
import { NO_PROGRESS } from '../attempt/no-progress.ts';
import { isSameReport } from '../attempt/report.ts';
import type { FactBody } from '../facts.ts';
import type { LedgerRow } from '../rows/ledger-row.ts';
import { isLive, type LeasedRow, type PastLease, type TaskRow, toTask } from '../rows/task-row.ts';
import type { CalledBy, Ended } from '../store.ts';
import type { AttemptOutcome, TaskState } from '../task.ts';
import { addUsed, mergeUsage, type Usage, type UsageAdded, usageAdded } from '../usage.ts';
import type { Decision, Moment } from './verb.ts';
import { want, writeComment } from './wants.ts';

/** A token with what its caller says beside it, or the fence of a lease. */
type Named =
  | (CalledBy & { readonly token: string; readonly fingerprint?: string })
  | { readonly fence: number };

/**
 * The live lease with this token, if it is the caller's, or with this fence. Without one the verb has its answer:
 * the same as before when that lease ended in this way (the caller never heard), a conflict when it said something
 * else then, lost otherwise.
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
  if (isLive(row, now) && isMeant(row.lease)) {
    const caller = 'token' in named ? (named.agentId ?? null) : null;
    if (caller === null || caller === row.lease.agentId) return { live: row };
    return { live: null, decision: { answer: { outcome: 'forbidden' } } };
  }
  const said = 'token' in named ? named.fingerprint : undefined;
  const answer = answerAgain(row, row.past.findLast(isMeant), outcome, said);
  return { live: null, decision: { answer } };
}

function answerAgain(
  row: TaskRow,
  ended: PastLease | undefined,
  outcome: AttemptOutcome,
  said: string | undefined,
): Ended {
  if (ended?.outcome !== outcome) return { outcome: 'lease_lost' };
  const same = said === undefined || isSameReport(ended.report, said);
  return same ? { outcome: 'ok', task: toTask(row) } : { outcome: 'conflict' };
}

/** The row with what its holder says that it has used by now, and the part of the fact that says so. */
export function spend(
  row: LeasedRow,
  told: Usage | null | undefined,
): { readonly spent: LeasedRow; readonly uses: { readonly usage?: UsageAdded } } {
  if (told === undefined || told === null) return { spent: row, uses: {} };
  const usage = mergeUsage(row.lease.usage, told);
  const added = usageAdded(row.lease.usage, usage);
  const spent = { ...row, lease: { ...row.lease, usage }, used: addUsed(row.used, added) };
  return { spent, uses: added === null ? {} : { usage: added } };
}

/** What is used up of what the task may use; null: there is room. */
export function budgetOf(row: TaskRow, general: Limits | undefined): string | null {
  return usedUp(row.used, limitsFor(row.limits, general ?? NO_LIMITS));
}

/** A task that waits for a person: nothing but an operator offers it again, and the issue says why. */
interface ForPerson {
  readonly next: TaskRow;
  readonly ledger: LedgerRow;
  readonly fact: FactBody;
}

function holdForPerson(row: TaskRow, reason: string, before: LedgerRow, at: Moment): ForPerson {
  return {
    next: enter(row, 'held', reason, at),
    ledger: writeComment(before, row, reason, at.now),
    fact: { type: 'held', taskId: row.id, state: 'held', reason },
  };
}

/** It used up its budget. */
export function holdForBudget(row: TaskRow, before: LedgerRow, at: Moment): ForPerson {
  return holdForPerson({ ...row, overspent: true }, BUDGET, before, at);
}

/** Two attempts in a row left the same files. The label says so too: agents cannot go on here. */
export function holdAsStuck(
  row: TaskRow,
  before: LedgerRow,
  labels: readonly string[],
  at: Moment,
): ForPerson {
  const held = holdForPerson({ ...row, stuck: true }, NO_PROGRESS, before, at);
  return { ...held, ledger: want(held.ledger, labels, at.now) };
}

/** The task without its lease, which stays among the past ones. */
export function endLease(
  row: LeasedRow,
  outcome: AttemptOutcome,
  note: string | null,
  now: number,
  report: string | null = null,
  tree: string | null = null,
): TaskRow {
  const { agentId, token, fence, leasedAt: startedAt, progress, usage } = row.lease;
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
    report,
    usage,
    tree,
  };
  const past = [...row.past.slice(1 - ATTEMPTS_KEPT), ended];
  return { ...row, lease: null, holdAfter: null, past, updatedAt: now };
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

/** A lease ended and the task is to be offered again, unless people have spoken against that meanwhile. */
export function offerAgain(
  { holdAfter }: LeasedRow,
  ended: TaskRow,
  state: 'ready' | 'delayed',
  reason: string | null,
  at: Moment,
): TaskRow {
  return holdAfter === null ? enter(ended, state, reason, at) : enter(ended, 'held', holdAfter, at);
}

/** Told beside the end of the lease where the task is held by it. */
export function heldFacts({ id, state, reason }: TaskRow): FactBody[] {
  return state === 'held' ? [{ type: 'held', taskId: id, state, reason: reason ?? '' }] : [];
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
