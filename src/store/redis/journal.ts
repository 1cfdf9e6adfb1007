// Facts, and what is drawn from them: counts, lists by state, statistics. Steps only append their facts;
// folding brings the rest up to date, each fact exactly once, before anybody reads it.

import { COUNTED_FACTS, type Fact } from '../../core/facts.ts';
import type { StatsRow } from '../../core/store.ts';
import { parseTaskId } from '../../core/task.ts';
import type { Identifiers, Keys } from './keys.ts';
import type { Link } from './link.ts';
import { type StreamEntry, toEntry, toRow } from './rows.ts';

const BATCH = 500;
const DAY_MS = 86_400_000;
const DAYS_SHOWN = 8;

type Counters = Record<string, number>;

interface Folding {
  counts: Counters;
  moves: [string, string, string, string][];
  daily: Record<string, Counters>;
  hourly: Counters;
  completed: Record<string, string[]>;
  held: [string, string, string][];
  results: [string, string][];
}

function add(counters: Counters, name: string, by: number): void {
  counters[name] = (counters[name] ?? 0) + by;
}

function countFact(fact: Fact, into: Folding): void {
  const raised: [string, number][] = [];
  const counter = (COUNTED_FACTS as Partial<Record<string, string>>)[fact.type];
  if (counter !== undefined) raised.push([counter, 1]);
  if (fact.type === 'leased') raised.push(['waited_ms', fact.waitedMs]);
  if (fact.type === 'completed' || fact.type === 'failed') {
    raised.push(['worked_ms', fact.workedMs]);
  }
  const iso = new Date(fact.at).toISOString();
  for (const [name, by] of raised) {
    const day = (into.daily[iso.slice(0, 10)] ??= {});
    add(day, name, by);
    add(into.hourly, `${iso.slice(0, 13)} ${name}`, by);
  }
}

/** What these facts change in everything that is drawn from facts. Pure. */
function fold(entries: readonly StreamEntry[], identifiers: Identifiers): Folding {
  const into: Folding = {
    counts: {},
    moves: [],
    daily: {},
    hourly: {},
    completed: {},
    held: [],
    results: [],
  };
  for (const { fact, shift } of entries) {
    countFact(fact, into);
    if (!('taskId' in fact)) continue;
    const { taskId } = fact;
    if (shift !== '') {
      const [from = '', to = '', kind = '', before = '', after = '', seq = ''] = shift.split(' ');
      if (from !== 'none') add(into.counts, `${from} ${kind} ${before}`, -1);
      add(into.counts, `${to} ${kind} ${after}`, 1);
      if (from !== to) into.moves.push([taskId, from, to, seq]);
      if (fact.type === 'leased') into.held.push([fact.agentId, taskId, seq]);
    }
    const name = fact.type === 'completed' ? parseTaskId(taskId) : null;
    if (name === null) continue;
    const date = new Date(fact.at).toISOString().slice(0, 10);
    (into.completed[date] ??= []).push(identifiers.issueId(name.repository, name.number));
    into.results.push([taskId, String(fact.at)]);
  }
  return into;
}

export interface Journal {
  after(seq: number, limit: number): Promise<Fact[]>;
  lastSeq(): Promise<number>;
  /** Counts every fact that nobody has counted; returns the last one's number. */
  foldAll(): Promise<number>;
  stats(period: 'daily' | 'hourly', limit: number, now: number): Promise<StatsRow[]>;
}

export function createJournal(link: Link, keys: Keys, identifiers: Identifiers): Journal {
  async function entriesAfter(seq: number, limit: number): Promise<StreamEntry[]> {
    if (limit <= 0) return [];
    const reply = await link.send('XRANGE', keys.at.facts, `0-${seq + 1}`, '+', 'COUNT', limit);
    return (reply as [string, string[]][]).map(toEntry);
  }

  async function lastSeq(): Promise<number> {
    return Number(await link.read('reads.lastSeq'));
  }

  async function foldAll(): Promise<number> {
    const folded = (await link.send('HGET', keys.at.meta, 'folded')) as string | null;
    let from = folded ?? '0';
    for (;;) {
      const entries = await entriesAfter(Number(from), BATCH);
      const last = entries.at(-1);
      if (last === undefined) return Number(from);
      const to = String(last.fact.seq);
      const reply = await link.run('fold', { from, to, ...fold(entries, identifiers) });
      from = reply[0] === 'ok' ? to : String(reply[1]);
      if (entries.length < BATCH && reply[0] === 'ok') return Number(from);
    }
  }

  async function daily(now: number): Promise<StatsRow[]> {
    const rows: StatsRow[] = [];
    for (let day = 0; day < DAYS_SHOWN; day += 1) {
      const start = new Date(now - day * DAY_MS).toISOString().slice(0, 10);
      const row = toRow(await link.send('HGETALL', `${keys.at.stats_daily}${start}`));
      if (row.size > 0) rows.push({ start, counters: numbers(row) });
    }
    return rows;
  }

  async function hourly(): Promise<StatsRow[]> {
    const hours = new Map<string, Map<string, string>>();
    for (const [field, value] of toRow(await link.send('HGETALL', keys.at.stats_hourly))) {
      const [start = '', name = ''] = field.split(' ');
      const hour = hours.get(start) ?? new Map<string, string>();
      hours.set(start, hour.set(name, value));
    }
    return [...hours]
      .sort(([one], [other]) => (one < other ? 1 : -1))
      .map(([start, counters]) => ({ start, counters: numbers(counters) }));
  }

  return {
    after: async (seq, limit) => (await entriesAfter(seq, limit)).map(({ fact }) => fact),
    lastSeq,
    foldAll,
    async stats(period, limit, now) {
      await foldAll();
      return (period === 'daily' ? await daily(now) : await hourly()).slice(0, limit);
    },
  };
}

function numbers(row: ReadonlyMap<string, string>): Counters {
  return Object.fromEntries([...row].map(([name, value]) => [name, Number(value)]));
}
