// Statistics are counted from facts, by day and by hour.

import { COUNTED_FACTS, type Fact } from '../facts.ts';
import { usageCounters } from '../usage.ts';

export const STATS_KEPT_MS = 7 * 86_400_000;

export interface Counted {
  readonly period: 'daily' | 'hourly';
  /** ISO date, or date and hour, in UTC. */
  readonly start: string;
  readonly counter: string;
  readonly value: number;
}

const COUNTERS: Partial<Record<string, string>> = COUNTED_FACTS;

function countFact(fact: Fact, raise: (counter: string, value: number) => void): void {
  const counter = COUNTERS[fact.type];
  if (counter !== undefined) raise(counter, 1);
  if (fact.type === 'leased') raise('waited_ms', fact.waitedMs);
  if (fact.type === 'completed' || fact.type === 'failed') raise('worked_ms', fact.workedMs);
  if ('usage' in fact && fact.usage !== undefined) {
    for (const [name, value] of usageCounters(fact.agentId, fact.usage)) raise(name, value);
  }
}

/** There may be many agents and models: what each used is counted by day alone. */
const isOfOne = (counter: string): boolean => /^(?:agent|model):/.test(counter);

/** Sums of the counters that these facts raise. */
export function countFacts(facts: readonly Fact[]): Counted[] {
  const sums = new Map<number, Map<string, number>>();
  for (const fact of facts) {
    const hour = Math.floor(fact.at / 3_600_000);
    const ofHour = sums.get(hour) ?? new Map<string, number>();
    sums.set(hour, ofHour);
    countFact(fact, (counter, value) => ofHour.set(counter, (ofHour.get(counter) ?? 0) + value));
  }
  return [...sums].flatMap(([hour, counters]) => {
    const iso = new Date(hour * 3_600_000).toISOString();
    return [...counters].flatMap(([counter, value]): Counted[] => [
      { period: 'daily', start: iso.slice(0, 10), counter, value },
      ...(isOfOne(counter)
        ? []
        : [{ period: 'hourly', start: iso.slice(0, 13), counter, value } as const]),
    ]);
  });
}
