// Fail: an attempt is counted; the task backs off, waits for a person, or is dead.

import { leftTheSame } from '../attempt/no-progress.ts';
import type { FactBody } from '../facts.ts';
import type { LedgerRow } from '../rows/ledger-row.ts';
import { type LeasedRow, type TaskRow, toTask } from '../rows/task-row.ts';
import type { Ended, FailInput } from '../store.ts';
import {
  budgetOf,
  bury,
  endLease,
  enter,
  heldFacts,
  holdAsStuck,
  holdForBudget,
  holding,
  offerAgain,
  seen,
  spend,
} from './ending.ts';
import { type Moment, needsTask, type Verb } from './verb.ts';
import { ledgerIfChanged, want } from './wants.ts';

/** How long until it is tried again; null: never. */
export function retryAfter(input: FailInput, attempt: number): number | null {
  const planned = input.retryable ? input.retryDelaysMs[attempt - 1] : undefined;
  return planned === undefined ? null : (input.delayMs ?? planned);
}

interface Next {
  readonly next: TaskRow;
  readonly ledger: LedgerRow;
  /** Told beside the failure itself. */
  readonly fact: FactBody | null;
}

/** Where a failed task goes. `row` is as it was leased, `ended` as the attempt leaves it. */
function afterFailure(
  row: LeasedRow,
  ended: TaskRow,
  before: LedgerRow,
  input: FailInput,
  at: Moment,
): Next {
  const { now } = at;
  const delayMs = retryAfter(input, ended.attempts);
  if (delayMs === null) {
    const next = { ...enter(ended, 'dead', input.reason, at), readyAt: null, endedAt: now };
    return { next, ...bury(next, input.reason, before, input.deadLedger, now) };
  }
  const later = { ...ended, readyAt: now + delayMs };
  const overspent = budgetOf(row, input.limits) !== null;
  if (leftTheSame(row.past, input.tree)) {
    return holdAsStuck({ ...later, overspent }, before, input.deadLedger, at);
  }
  if (overspent) {
    const held = holdForBudget(later, before, at);
    return { ...held, ledger: want(held.ledger, input.ledger, now) };
  }
  const next =
    delayMs > 0
      ? offerAgain(row, later, 'delayed', 'retry', at)
      : offerAgain(row, later, 'ready', null, at);
  return { next, ledger: want(before, input.ledger, now), fact: heldFacts(next)[0] ?? null };
}

export const fail: Verb<FailInput, Ended> = {
  name: 'fail',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, input, at) {
    const { now } = at;
    const { taskId, reason, fingerprint, tree = null } = input;
    const held = holding(found.task(taskId), input, 'failed', now);
    if (held.live === null) return held.decision;
    const { spent: row, uses } = spend(held.live, input.usage);
    const { agentId, fence, leasedAt, expiresAt } = row.lease;
    const attempt = row.attempts + 1;
    const ended: TaskRow = {
      ...endLease(row, 'failed', reason, now, fingerprint, tree),
      attempts: attempt,
      // It joins the queue again at the end, when it becomes ready.
      enqueuedAt: null,
      timed: true,
      endedAt: null,
    };
    const { next, ledger, fact } = afterFailure(row, ended, found.ledger, input, at);
    const { state, readyAt } = next;
    const about = { taskId, state, agentId, fence } as const;
    const workedMs = now - leasedAt;
    const failed: FactBody = {
      type: 'failed',
      ...about,
      reason,
      attempt,
      readyAt,
      workedMs,
      ...uses,
    };
    return {
      tasks: [next],
      ...ledgerIfChanged(found.ledger, ledger),
      agents: seen(agentId),
      facts: fact === null ? [failed] : [failed, fact],
      until: expiresAt,
      answer: { outcome: 'ok', task: toTask(next) },
    };
  },
};
