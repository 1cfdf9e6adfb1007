// Facts, and what is drawn from them for people: hashes of tasks and issues, counts, lists by state, statistics.
// Steps only append their facts; folding brings the rest up to date, each fact exactly once, before anybody reads it
// through Banto, and at the latest after half a second.

import { countFacts } from '../../core/count-facts.ts';
import type { Fact } from '../../core/facts.ts';
import { HISTORY_KEPT, isHistory } from '../../core/history.ts';
import type { StatsRow } from '../../core/store.ts';
import { parseTaskId, type TaskState } from '../../core/task.ts';
import { type CountedFact, readEntry } from './fact-lines.ts';
import type { Identifiers, Keys } from './keys.ts';
import type { Link } from './link.ts';
import type { Rows } from './rows.ts';
import type { ListChange, Steps } from './steps.ts';
import { decodeHead, type FiledTask, FOLDED, headName, issueName } from './texts.ts';
import type { Ttls } from './ttl.ts';

const ENTRIES = 100;
const TRIM_EVERY = 16;
/** One step keeps everybody else waiting: it draws from at most so many. */
const FACTS_PER_STEP = 400;
const DAY_MS = 86_400_000;
const DAYS_SHOWN = 8;

export interface Journal {
  after(seq: number, limit: number): Promise<Fact[]>;
  /** The facts with these numbers that are still there. */
  numbered(seqs: readonly number[]): Promise<Fact[]>;
  lastSeq(): Promise<number>;
  /** Draws from every fact that nobody has drawn from; returns the last one's number. */
  foldAll(): Promise<number>;
  stats(period: 'daily' | 'hourly', limit: number, now: number): Promise<StatsRow[]>;
}

interface Folding {
  readonly link: Link;
  readonly keys: Keys;
  readonly identifiers: Identifiers;
  readonly rows: Rows;
  readonly steps: Pick<Steps, 'change'>;
  readonly ttls: Ttls;
}

type Counters = Record<string, number>;

function toRow(flat: unknown): Map<string, string> {
  const row = new Map<string, string>();
  const values = (flat ?? []) as string[];
  for (let at = 0; at < values.length; at += 2) row.set(values[at] ?? '', values[at + 1] ?? '');
  return row;
}

export function createJournal(env: Folding): Journal {
  const { link, keys, identifiers, rows, steps, ttls } = env;
  const { at } = keys;
  let folding: Promise<number> | null = null;

  async function entriesAfter(seq: number, count: number): Promise<CountedFact[]> {
    const reply = await link.send('XRANGE', at.facts, `0-${seq + 1}`, '+', 'COUNT', count);
    const facts = (reply as [string, string[]][]).flatMap(readEntry);
    return facts.filter(({ fact }) => fact.seq > seq);
  }

  function drawCounts(facts: readonly CountedFact[]): ListChange[] {
    const counts: Counters = {};
    const add = (name: string, by: number) => {
      counts[name] = (counts[name] ?? 0) + by;
    };
    for (const { fact, shift } of facts) {
      if (shift === null || !('taskId' in fact)) continue;
      const kind = parseTaskId(fact.taskId)?.kind ?? '';
      if (shift.from !== 'none') add(`${shift.from} ${kind} ${shift.before}`, -1);
      add(`${shift.to} ${kind} ${shift.after}`, 1);
    }
    const changed = Object.entries(counts).filter(([, by]) => by !== 0);
    return changed.map(([name, by]) => ['HINCRBY', '@', at.queue_counts, name, String(by)]);
  }

  function drawStats(facts: readonly Fact[]): ListChange[] {
    const lists: ListChange[] = [];
    const seconds = String(ttls.stats);
    const daily = new Set<string>();
    const days = new Set<string>();
    for (const { period, start, counter, value } of countFacts(facts)) {
      if (period === 'daily') {
        daily.add(start);
        lists.push(['HINCRBY', '@', `${at.stats_daily}${start}`, counter, String(value)]);
      } else lists.push(['HINCRBY', '@', at.stats_hourly, `${start} ${counter}`, String(value)]);
    }
    for (const day of daily) lists.push(['EXPIRE', '@', `${at.stats_daily}${day}`, seconds]);
    if (daily.size > 0) lists.push(['EXPIRE', '@', at.stats_hourly, seconds]);
    for (const fact of facts) {
      if (fact.type !== 'completed') continue;
      const name = parseTaskId(fact.taskId);
      if (name === null) continue;
      const key = `${at.issues_completed}${new Date(fact.at).toISOString().slice(0, 10)}`;
      lists.push(['SADD', key, identifiers.issueId(name.repository, name.number)]);
      days.add(key);
      lists.push(['ZADD', at.tasks_results, String(fact.at), fact.taskId]);
    }
    for (const key of days) lists.push(['EXPIRE', '@', key, seconds]);
    return lists;
  }

  /** What people see of a task, beside the row that Banto goes by. */
  function showTask({ row }: FiledTask): ListChange[] {
    const key = `${at.task_info}${row.id}`;
    const { lease } = row;
    const text = (value: string | number | null) => (value === null ? '' : String(value));
    const fields = {
      state: row.state,
      reason: text(row.reason),
      kind: row.kind,
      round: text(row.round),
      priority: text(row.priority),
      attempts: text(row.attempts),
      fence: text(row.fence),
      agent: text(lease?.agentId ?? null),
      expires_at: text(lease?.expiresAt ?? null),
      ready_at: text(row.readyAt),
      branch: row.branch,
      pr_number: text(row.prNumber),
      created_at: text(row.createdAt),
      updated_at: text(row.updatedAt),
    };
    const lists: ListChange[] = [['HSET', '@', key, ...Object.entries(fields).flat()]];
    if (row.result === null) return lists;
    const { agentId, summary, verdict, comments, at: instant } = row.result;
    const result = {
      agent: agentId,
      summary: JSON.stringify(summary),
      verdict: JSON.stringify(verdict),
      comments: JSON.stringify(comments),
      at: String(instant),
    };
    const shown = `${at.task_result}${row.id}`;
    lists.push(['HSET', '@', shown, ...Object.entries(result).flat()]);
    lists.push(['EXPIRE', '@', shown, String(ttls.task_result)]);
    return lists;
  }

  /** A review was found once, and is never found again. */
  function showDelay({ row }: FiledTask): ListChange[] {
    if (row.kind !== 'review') return [];
    const key = `${at.review_delay}${identifiers.filedName(row.id).delay}`;
    const seconds = String(ttls.review_delay);
    if (row.state === 'delayed' || row.state === 'held') {
      const pr = row.prNumber === null ? '' : String(row.prNumber);
      return [
        ['HSETNX', '@', key, 'found_at', new Date(row.createdAt).toISOString()],
        ['HSET', '@', key, 'pr_number', pr, 'status', 'PENDING'],
        ['EXPIRE', '@', key, seconds],
      ];
    }
    if (row.state !== 'ready') return [];
    const pr = row.prNumber === null ? '' : String(row.prNumber);
    return [
      ['HSETNX', '@', key, 'found_at', new Date(row.createdAt).toISOString()],
      ['HSET', '@', key, 'pr_number', pr, 'status', 'READY_FOR_ASSIGNMENT'],
      ['EXPIRE', '@', key, seconds],
    ];
  }

  function showIssue(last: FiledTask, all: readonly FiledTask[]): ListChange[] {
    const { row } = last;
    const id = identifiers.issueId(row.repository, row.number);
    const fields = {
      state: row.state,
      holder: row.lease?.agentId ?? '',
      attempts: String(row.attempts),
      task: row.id,
      updated_at: String(row.updatedAt),
    };
    const leased = all.some((task) => task.row.lease !== null);
    return [
      ['HSET', '@', `${at.issue_status}${id}`, ...Object.entries(fields).flat()],
      [leased ? 'SADD' : 'SREM', at.issues_processing, id],
    ];
  }

  /** Lists by state and by agent, in the order tasks were made: by the number of the fact that says so. */
  function drawLists(
    facts: readonly CountedFact[],
    seqs: ReadonlyMap<string, number>,
  ): ListChange[] {
    const lists: ListChange[] = [];
    const first = new Map<string, TaskState | 'none'>();
    const last = new Map<string, TaskState>();
    for (const { fact, shift } of facts) {
      if (!('taskId' in fact)) continue;
      const { taskId } = fact;
      const seq = String(seqs.get(taskId) ?? fact.seq);
      if (shift?.from === 'none') lists.push(['ZADD', at.tasks_all, seq, taskId]);
      if (shift !== null && !first.has(taskId)) first.set(taskId, shift.from);
      if (shift !== null) last.set(taskId, shift.to);
      if (fact.type === 'leased') {
        lists.push(['ZADD', '@', `${at.process_tasks}${fact.agentId}`, seq, taskId]);
      }
    }
    for (const [taskId, to] of last) {
      const from = first.get(taskId) ?? 'none';
      if (from !== 'none' && from !== to) lists.push(['ZREM', `${at.tasks_state}${from}`, taskId]);
      if (from !== to) {
        const seq = String(seqs.get(taskId) ?? 0);
        lists.push(['ZADD', `${at.tasks_state}${to}`, seq, taskId]);
      }
    }
    return lists;
  }

  async function drawHolds(facts: readonly CountedFact[]): Promise<ListChange[]> {
    const agents = facts.flatMap(({ fact, shift }) =>
      shift !== null && 'agentId' in fact && fact.agentId !== null ? [fact.agentId] : [],
    );
    return Promise.all(
      [...new Set(agents)].map(async (agent): Promise<ListChange> => {
        const holds = (await link.send('SMEMBERS', `${at.process_holds}${agent}`)) as string[];
        return ['HSET', '@', `${at.process_info}${agent}`, 'holds', holds.sort().join(' ')];
      }),
    );
  }

  async function draw(
    facts: readonly CountedFact[],
  ): Promise<{ readonly once: ListChange[]; readonly shown: ListChange[] }> {
    const own = new Set<string>();
    const made = new Map<string, number>();
    const history = new Map<string, string[]>();
    for (const { fact, shift } of facts) {
      if (!('taskId' in fact)) continue;
      own.add(fact.taskId);
      if (shift?.from === 'none') made.set(fact.taskId, fact.seq);
      if (!isHistory(fact)) continue;
      const seqs = history.get(fact.taskId);
      if (seqs === undefined) history.set(fact.taskId, [String(fact.seq)]);
      else seqs.push(String(fact.seq));
    }
    const ids = [...own];
    const known = ids.filter((id) => !made.has(id));
    const refs = new Map(
      ids.flatMap((id) => {
        const name = parseTaskId(id);
        return name === null ? [] : [[issueName(name), name] as const];
      }),
    );
    const [scores, heads] = await Promise.all([
      known.length === 0 ? [] : (link.send('ZMSCORE', at.tasks_all, ...known) as Promise<string[]>),
      rows.read([...refs.values()].map(headName)),
    ]);
    const seqs = new Map(made);
    for (const [index, id] of known.entries()) seqs.set(id, Number(scores[index] ?? 0));
    const all = new Map<string, readonly string[]>();
    for (const [index, [name, ref]] of [...refs].entries()) {
      const text = heads[index] ?? '';
      all.set(name, text === '' ? [] : decodeHead(ref, text).tasks);
    }
    const tasks = await rows.tasks([...new Set([...ids, ...[...all.values()].flat()])], true);

    const lists: ListChange[] = [
      ...[...history].flatMap(([id, seqs]): ListChange[] => {
        const key = `${at.task_history}${id}`;
        const keep: ListChange = ['LTRIM', '@', key, String(-HISTORY_KEPT), '-1'];
        // It may be a little longer for a while.
        const trims = seqs.some((seq) => Number(seq) % TRIM_EVERY === 0);
        return trims ? [['RPUSH', '@', key, ...seqs], keep] : [['RPUSH', '@', key, ...seqs]];
      }),
      ...drawCounts(facts),
      ...drawStats(facts.map(({ fact }) => fact)),
      ...drawLists(facts, seqs),
    ];
    const shown = await drawHolds(facts);
    const latest = new Map<string, string>();
    for (const id of ids) {
      const task = tasks.get(id);
      if (task !== undefined) shown.push(...showTask(task), ...showDelay(task));
    }
    for (const { fact } of facts) {
      if (!('taskId' in fact)) continue;
      const name = parseTaskId(fact.taskId);
      if (name !== null) latest.set(issueName(name), fact.taskId);
    }
    for (const [name, id] of latest) {
      const last = tasks.get(id);
      const others = (all.get(name) ?? []).flatMap((other) => tasks.get(other) ?? []);
      if (last !== undefined) shown.push(...showIssue(last, others));
    }
    return { once: lists, shown };
  }

  async function fold(): Promise<number> {
    for (;;) {
      const [from = ''] = await rows.read([FOLDED]);
      const facts = (await entriesAfter(Number(from), ENTRIES)).slice(0, FACTS_PER_STEP);
      const last = facts.at(-1);
      if (last === undefined) return Number(from);
      // What shows a row may be written again; what counts is counted once, in a step that nobody was faster than.
      const { once, shown } = await draw(facts);
      await link.sendAll(
        shown.map(([verb, key, ...rest]) => (key === '@' ? [verb, ...rest] : [verb, key, ...rest])),
      );
      await steps.change({
        rows: [[FOLDED, from, String(last.fact.seq)]],
        lists: once,
        facts: [],
        until: null,
        places: null,
        filing: '',
        buckets: [],
        timed: false,
      });
    }
  }

  async function daily(now: number): Promise<StatsRow[]> {
    const found: StatsRow[] = [];
    for (let day = 0; day < DAYS_SHOWN; day += 1) {
      const start = new Date(now - day * DAY_MS).toISOString().slice(0, 10);
      const row = toRow(await link.send('HGETALL', `${at.stats_daily}${start}`));
      if (row.size > 0) found.push({ start, counters: numbers(row) });
    }
    return found;
  }

  async function hourly(): Promise<StatsRow[]> {
    const hours = new Map<string, Map<string, string>>();
    for (const [field, value] of toRow(await link.send('HGETALL', at.stats_hourly))) {
      const [start = '', name = ''] = field.split(' ');
      const hour = hours.get(start) ?? new Map<string, string>();
      hours.set(start, hour.set(name, value));
    }
    return [...hours]
      .sort(([one], [other]) => (one < other ? 1 : -1))
      .map(([start, counters]) => ({ start, counters: numbers(counters) }));
  }

  async function foldAll(): Promise<number> {
    // Whoever asks while it is under way wants what happened since as well.
    if (folding !== null) await folding.catch(() => 0);
    folding ??= fold().finally(() => {
      folding = null;
    });
    return folding;
  }

  return {
    foldAll,
    async after(seq, limit) {
      if (limit <= 0) return [];
      const found: Fact[] = [];
      for (let from = seq; found.length < limit; ) {
        const facts = await entriesAfter(from, ENTRIES);
        const last = facts.at(-1);
        if (last === undefined) break;
        found.push(...facts.map(({ fact }) => fact));
        from = last.fact.seq;
      }
      return found.slice(0, limit);
    },
    async numbered(seqs) {
      const found = await Promise.all(
        seqs.map(async (seq) => {
          const reply = await link.send('XRANGE', at.facts, `0-${seq}`, '+', 'COUNT', 1);
          const facts = (reply as [string, string[]][]).flatMap(readEntry);
          return facts.find(({ fact }) => fact.seq === seq)?.fact;
        }),
      );
      return found.filter((fact) => fact !== undefined);
    },
    async lastSeq() {
      return Number((await link.send('HGET', at.meta, 'seq')) ?? 0);
    },
    async stats(period, limit, now) {
      await foldAll();
      return (period === 'daily' ? await daily(now) : await hourly()).slice(0, limit);
    },
  };
}

function numbers(row: ReadonlyMap<string, string>): Counters {
  return Object.fromEntries([...row].map(([name, value]) => [name, Number(value)]));
}
