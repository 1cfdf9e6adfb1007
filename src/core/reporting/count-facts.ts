// Statistics are counted from facts, by day and by hour.

import { COUNTED_FACTS, type Fact } from '../facts.ts';
import { usageCounters } from '../usage.ts';

export interface Counted {
  readonly period: 'daily' | 'hourly';
  /** ISO date, or date and hour, in UTC. */
  readonly start: string;
  readonly counter: string;
  readonly value: number;
}

function raisedBy(fact: Fact): [string, number][] {
  const raised: [string, number][] = [];
  const counter = (COUNTED_FACTS as Partial<Record<string, string>>)[fact.type];
  if (counter !== undefined) raised.push([counter, 1]);
  if (fact.type === 'leased') raised.push(['waited_ms', fact.waitedMs]);
  if (fact.type === 'completed' || fact.type === 'failed')
    raised.push(['worked_ms', fact.workedMs]);
  if ('usage' in fact && fact.usage !== undefined) {
    raised.push(...usageCounters(fact.agentId, fact.usage));
  }
  return raised;
}

/** There may be many agents and models: what each used is counted by day alone. */
const isOfOne = (counter: string): boolean => /^(?:agent|model):/.test(counter);

/** Sums of the counters that these facts raise. */
export function countFacts(facts: readonly Fact[]): Counted[] {
  const sums = new Map<number, Map<string, number>>();
  for (const fact of facts) {
    for (const [counter, value] of raisedBy(fact)) {
      const hour = Math.floor(fact.at / 3_600_000);
      const ofHour = sums.get(hour) ?? new Map<string, number>();
      sums.set(hour, ofHour.set(counter, (ofHour.get(counter) ?? 0) + value));
    }
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
