// What work may cost. A task that used up its limits is stopped and held for a person; a day that used up its
// own hands nothing out until midnight UTC.

import { type Because, because } from '../because.ts';
import type { Policy } from '../settings.ts';
import { type Used, usdOf } from '../usage.ts';

/** Null: no limit. */
export interface Limits {
  readonly costUsd: number | null;
  readonly tokens: number | null;
}

export const NO_LIMITS: Limits = { costUsd: null, tokens: null };

export function taskLimits(policy: Pick<Policy, 'maxCostPerTaskUsd' | 'maxTokensPerTask'>): Limits {
  return { costUsd: policy.maxCostPerTaskUsd, tokens: policy.maxTokensPerTask };
}

/** The reason of a task that is held for its budget. */
export const BUDGET = 'budget';

/** What an operator set for one task stands above the settings. */
export function limitsFor(own: Limits | null, general: Limits): Limits {
  if (own === null) return general;
  return { costUsd: own.costUsd ?? general.costUsd, tokens: own.tokens ?? general.tokens };
}

const dollars = (usd: number): string => `$${usd.toFixed(2)}`;

/** A sentence that says what is used up; null: there is room. */
export function usedUp(used: Used | null, { costUsd, tokens }: Limits): string | null {
  if (used === null) return null;
  const cost = usdOf(used.costMicroUsd);
  if (costUsd !== null && cost >= costUsd) {
    return `The task has cost ${dollars(cost)} of the ${dollars(costUsd)} it may cost.`;
  }
  const spent = used.inputTokens + used.outputTokens;
  if (tokens !== null && spent >= tokens) {
    return `The task has used ${spent} of the ${tokens} tokens it may use.`;
  }
  return null;
}

export interface DayLimits {
  readonly costUsd: number | null;
  readonly agentCostUsd: number | null;
}

/** The day's counters, as statistics have them. */
export type DayCounters = Readonly<Record<string, number>>;

/** Why nothing is handed out any more today; null: there is room. A null agent asks for everybody. */
export function dayUsedUp(
  counters: DayCounters,
  limits: DayLimits,
  agentId: string | null,
): Because | null {
  const spent = usdOf(counters['cost_micro_usd'] ?? 0);
  if (limits.costUsd !== null && spent >= limits.costUsd) {
    const values = { spent: dollars(spent), limit: dollars(limits.costUsd) };
    return because(
      'day_budget',
      `Today's work has cost ${values.spent} of the ${values.limit} that a day may cost (MAX_COST_PER_DAY_USD). Hand-out goes on at midnight UTC.`,
      values,
    );
  }
  if (agentId === null || limits.agentCostUsd === null) return null;
  const own = usdOf(counters[`agent:${agentId}:cost_micro_usd`] ?? 0);
  if (own < limits.agentCostUsd) return null;
  const values = { agent: agentId, spent: dollars(own), limit: dollars(limits.agentCostUsd) };
  return because(
    'agent_day_budget',
    `Today's work of ${agentId} has cost ${values.spent} of the ${values.limit} that an agent may cost in a day (MAX_COST_PER_AGENT_DAY_USD). It gets tasks again at midnight UTC.`,
    values,
  );
}

const DAY_MS = 86_400_000;

export function midnightAfter(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}
