// The queue as JSON: the store's counts, summed up in the ways people ask for.

import type { ForgeBudget } from '../../core/forge.ts';
import { priorityName } from '../../core/priority.ts';
import type { QueueView } from '../../core/store.ts';
import { TASK_STATES, type TaskState } from '../../core/task.ts';
import type { ForgeBudget as ForgeBudgetAnswer, QueueAnswer } from '../schema/queue.ts';
import { instant, instantOrNull } from './instant.ts';

export function budgetView(budget: ForgeBudget | null): ForgeBudgetAnswer | null {
  if (budget === null) return null;
  const { limit, remaining, resetAt, blockedUntil } = budget;
  return {
    limit,
    remaining,
    reset_at: instant(resetAt),
    blocked_until: instantOrNull(blockedUntil),
  };
}

export function queueView(
  queue: QueueView & { readonly waiting: number },
  budget: ForgeBudget | null,
  now: number,
): QueueAnswer {
  const byState = Object.fromEntries(TASK_STATES.map((state) => [state, 0])) as Record<
    TaskState,
    number
  >;
  const byPriority = { high: 0, normal: 0, low: 0 };
  for (const { state, priority, count } of queue.counts) {
    byState[state] += count;
    if (state === 'ready') byPriority[priorityName(priority)] += count;
  }
  const oldest = queue.oldestReadyAt;
  return {
    by_state: byState,
    by_priority: byPriority,
    counts: queue.counts.map(({ state, kind, priority, count }) => ({
      state,
      kind,
      priority,
      count,
    })),
    oldest_ready_at: instantOrNull(oldest),
    oldest_age_seconds: oldest === null ? null : Math.max(0, now - oldest) / 1000,
    delayed: queue.delayed.map(({ taskId, readyAt }) => ({
      task_id: taskId,
      ready_at: instant(readyAt),
    })),
    waiting: queue.waiting,
    outbox: { pending: queue.outbox.pending, failing: queue.outbox.failing },
    forge_budget: budgetView(budget),
  };
}
