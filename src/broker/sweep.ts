// Expires leases, promotes what is due, forgets what is old; then sleeps until something falls due.

import { taskLimits } from '../core/attempt/budget.ts';
import { byKind, deadLedger, waitingLedger } from '../core/ledger.ts';
import type { Context } from './context.ts';
import { createLoop, type Loop } from './loop.ts';

const BATCH = 200;
/** Backs every timer: however a due instant was missed, it is found within this time. */
const MOST_SLEEP_MS = 1000;
const DAY_MS = 86_400_000;
const LOGS_EVERY_MS = 3_600_000;

export function createSweep(context: Context, leads: () => boolean): Loop {
  const { store, timers, log } = context;

  let lookedAt = Number.NEGATIVE_INFINITY;
  async function forgetLogs(keptMs: number): Promise<void> {
    const now = await store.now();
    if (now - lookedAt < LOGS_EVERY_MS) return;
    lookedAt = now;
    await store.logs.forget(keptMs);
  }

  async function turn(): Promise<number> {
    if (!leads()) return MOST_SLEEP_MS;
    const policy = context.policy();
    const { maxAttempts, historyDays } = policy;
    let result = null;
    do {
      result = await store.sweep({
        limit: BATCH,
        maxAttempts,
        limits: taskLimits(policy),
        ledger: byKind(waitingLedger),
        deadLedger: byKind(deadLedger),
        factsKeptMs: historyDays * DAY_MS,
        resultsKeptMs: historyDays * DAY_MS,
      });
      const { expired, promoted } = result;
      if (expired > 0) log.info({ expired }, 'leases expired');
      if (promoted > 0) log.debug({ promoted }, 'tasks became ready');
    } while (result.more);
    await forgetLogs(historyDays * DAY_MS);
    if (result.nextDueAt === null) return MOST_SLEEP_MS;
    const dueMs = result.nextDueAt - (await store.now());
    return Math.min(Math.max(dueMs, 1), MOST_SLEEP_MS);
  }

  return createLoop({ name: 'sweep', timers, log, turn, retryMs: MOST_SLEEP_MS });
}
