// What a day may cost. Statistics are read again now and then: a limit is reached within seconds, not exactly.

import { type DayCounters, dayUsedUp, midnightAfter } from '../../core/attempt/budget.ts';
import type { Because } from '../../core/because.ts';
import type { Context } from '../context.ts';

const READ_AGAIN_MS = 2000;
/** A limit may be raised before midnight: nobody is sent away for longer. */
const MOST_RETRY_SECONDS = 300;

export interface DayBudget {
  /** Why this agent gets nothing more today; null: it may have what there is. */
  closed(agentId: string | null): Promise<Because | null>;
  retryAfterSeconds(): Promise<number>;
}

export function createDayBudget({ store, policy }: Pick<Context, 'store' | 'policy'>): DayBudget {
  let known: { readonly at: number; readonly counters: DayCounters } | null = null;

  async function counters(): Promise<DayCounters> {
    const now = await store.now();
    const fresh = known !== null && now - known.at < READ_AGAIN_MS && now >= known.at;
    if (known !== null && fresh && midnightAfter(known.at) === midnightAfter(now)) {
      return known.counters;
    }
    const today = new Date(now).toISOString().slice(0, 10);
    const rows = await store.stats('daily', 1);
    known = { at: now, counters: rows.find(({ start }) => start === today)?.counters ?? {} };
    return known.counters;
  }

  return {
    async closed(agentId) {
      const { maxCostPerDayUsd: costUsd, maxCostPerAgentDayUsd: agentCostUsd } = policy();
      if (costUsd === null && agentCostUsd === null) return null;
      return dayUsedUp(await counters(), { costUsd, agentCostUsd }, agentId);
    },
    async retryAfterSeconds() {
      const now = await store.now();
      return Math.min(MOST_RETRY_SECONDS, Math.ceil((midnightAfter(now) - now) / 1000));
    },
  };
}
