// Fail: an attempt is counted; the task backs off, or is dead.

import type { FactBody } from '../facts.ts';
import { type TaskRow, toTask } from '../rows/task-row.ts';
import type { Ended, FailInput } from '../store.ts';
import { budgetOf, bury, endLease, enter, holdForBudget, holding, seen, spend } from './ending.ts';
import { needsTask, type Verb } from './verb.ts';
import { ledgerIfChanged, want } from './wants.ts';

/** How long until it is tried again; null: never. */
export function retryAfter(input: FailInput, attempt: number): number | null {
  const planned = input.retryable ? input.retryDelaysMs[attempt - 1] : undefined;
  return planned === undefined ? null : (input.delayMs ?? planned);
}

export const fail: Verb<FailInput, Ended> = {
  name: 'fail',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, input, at) {
    const { now } = at;
    const { taskId, reason } = input;
    const held = holding(found.task(taskId), input, 'failed', now);
    if (held.live === null) return held.decision;
    const { spent: row, uses } = spend(held.live, input.usage);
    const { agentId, fence, leasedAt, expiresAt } = row.lease;
    const attempt = row.attempts + 1;
    const delayMs = retryAfter(input, attempt);
    const over = delayMs !== null && budgetOf(row, input.limits) !== null;
    const retried = delayMs !== null && delayMs > 0 ? 'delayed' : 'ready';
    const state = delayMs === null ? 'dead' : over ? 'held' : retried;
    const readyAt = delayMs === null ? null : now + delayMs;
    const why = state === 'dead' ? reason : state === 'delayed' ? 'retry' : null;
    // It joins the queue again at the end, when it becomes ready.
    const ended = {
      ...endLease(row, 'failed', reason, now, input.fingerprint),
      attempts: attempt,
      enqueuedAt: null,
    };
    const overspent = over ? holdForBudget(ended, found.ledger, at) : null;
    const next: TaskRow = {
      ...(overspent?.next ?? enter(ended, state, why, at)),
      readyAt,
      timed: true,
      endedAt: state === 'dead' ? now : null,
    };
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
    const death = state === 'dead' ? bury(next, reason, found.ledger, input.deadLedger, now) : null;
    const told = overspent?.ledger ?? found.ledger;
    const ledger = death === null ? want(told, input.ledger, now) : death.ledger;
    return {
      tasks: [next],
      ...ledgerIfChanged(found.ledger, ledger),
      agents: seen(agentId),
      facts: death === null ? [failed] : [failed, death.fact],
      until: expiresAt,
      answer: { outcome: 'ok', task: toTask(next) },
    };
  },
};
