// Statistics by day and by hour, as they were counted from the facts.

import type { StatsRow } from '../../../core/store.ts';
import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';

const DAY_MS = 86_400_000;
const DAYS_SHOWN = 8;

function pairsOf(flat: unknown): [string, number][] {
  const values = (flat ?? []) as string[];
  return values.flatMap((name, index): [string, number][] =>
    index % 2 === 0 ? [[name, Number(values[index + 1])]] : [],
  );
}

export type ReadStats = (
  period: 'daily' | 'hourly',
  limit: number,
  now: number,
) => Promise<StatsRow[]>;

export function createStats(link: Link, { at }: Keys): ReadStats {
  async function daily(now: number): Promise<StatsRow[]> {
    const found: StatsRow[] = [];
    for (let day = 0; day < DAYS_SHOWN; day += 1) {
      const start = new Date(now - day * DAY_MS).toISOString().slice(0, 10);
      const counters = pairsOf(await link.send('HGETALL', `${at.stats_daily}${start}`));
      if (counters.length > 0) found.push({ start, counters: Object.fromEntries(counters) });
    }
    return found;
  }

  async function hourly(): Promise<StatsRow[]> {
    const hours = new Map<string, Record<string, number>>();
    for (const [field, value] of pairsOf(await link.send('HGETALL', at.stats_hourly))) {
      const [start = '', name = ''] = field.split(' ');
      hours.set(start, { ...hours.get(start), [name]: value });
    }
    return [...hours]
      .sort(([one], [other]) => (one < other ? 1 : -1))
      .map(([start, counters]) => ({ start, counters }));
  }

  return async (period, limit, now) =>
    (period === 'daily' ? await daily(now) : await hourly()).slice(0, limit);
}
