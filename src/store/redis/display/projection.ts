// What is derived from facts: what people read of tasks and issues, counts, lists by state, statistics. Steps only
// append their facts; the projection catches up, each fact exactly once, before anybody reads through Banto, and at
// the latest after half a second.

import { HISTORY_KEPT, isHistory } from '../../../core/attempt/history.ts';
import type { Fact } from '../../../core/facts.ts';
import { countFacts } from '../../../core/reporting/count-facts.ts';
import { parseTaskId, type TaskState } from '../../../core/task.ts';
import type { Link } from '../connection/link.ts';
import type { Identifiers, Keys } from '../keys.ts';
import { createCache } from '../rows/cache.ts';
import type { CountedFact, Left } from '../rows/fact-lines.ts';
import { issueName, PROJECTED } from '../rows/row-codec.ts';
import type { Rows } from '../rows/rows.ts';
import { type ListChange, listsOnly } from '../rows/step-arguments.ts';
import { type Steps } from '../rows/steps.ts';
import type { Ttls } from '../ttl.ts';
import type { FactLog } from './fact-log.ts';
import { createDisplay } from './task-display.ts';

const TRIM_EVERY = 16;
/** One step keeps everybody else waiting: it is derived from at most so many. */
const FACTS_PER_STEP = 500;
const REMEMBERED = 20_000;
const OWN_KEPT = 2000;

export interface Projection {
  /** What this instance has done itself need not be read again. */
  offer(facts: readonly CountedFact[]): void;
  /** Derives from every fact that nobody has derived from; returns the last one's number. */
  catchUp(): Promise<number>;
}

interface Projecting {
  readonly link: Link;
  readonly keys: Keys;
  readonly identifiers: Identifiers;
  readonly rows: Rows;
  readonly steps: Pick<Steps, 'change'>;
  readonly log: FactLog;
  readonly ttls: Ttls;
}

/** What the facts of one task add up to. */
interface Moved {
  /** The number of the fact that made it; null: it was there before. */
  madeBy: number | null;
  from: TaskState | 'none' | null;
  to: TaskState | null;
  readonly history: string[];
  readonly agents: Set<string>;
  /** The row that the last of them left; undefined: it has to be read. */
  left: Left | undefined;
}

const unmoved = (): Moved => ({
  madeBy: null,
  from: null,
  to: null,
  history: [],
  agents: new Set(),
  left: undefined,
});

function byTask(facts: readonly CountedFact[]): Map<string, Moved> {
  const tasks = new Map<string, Moved>();
  for (const { fact, shift, left } of facts) {
    if (!('taskId' in fact)) continue;
    const { taskId } = fact;
    const moved: Moved = tasks.get(taskId) ?? unmoved();
    // The task that changed last comes last.
    tasks.delete(taskId);
    tasks.set(taskId, moved);
    moved.left = left;
    if (isHistory(fact)) moved.history.push(String(fact.seq));
    if (fact.type === 'leased') moved.agents.add(fact.agentId);
    if (shift === null) continue;
    if (shift.from === 'none') moved.madeBy = fact.seq;
    moved.from ??= shift.from;
    moved.to = shift.to;
  }
  return tasks;
}

export function createProjection(env: Projecting): Projection {
  const { link, keys, identifiers, rows, steps, log, ttls } = env;
  const { at } = keys;
  const display = createDisplay(keys, identifiers, ttls);
  /** Lists are in the order tasks were made: by the number of the fact that says so. */
  const madeBy = createCache<string>(REMEMBERED);
  /** The last fact that this instance derived from; what was shown since then is known. */
  let projected = '';
  let underWay: Promise<number> | null = null;
  /** Facts of this instance's own steps, in one row without a gap. */
  let own: CountedFact[] = [];

  function counts(facts: readonly CountedFact[]): ListChange[] {
    const sums = new Map<string, number>();
    const add = (name: string, by: number) => void sums.set(name, (sums.get(name) ?? 0) + by);
    for (const { fact, shift } of facts) {
      if (shift === null || !('taskId' in fact)) continue;
      const kind = parseTaskId(fact.taskId)?.kind ?? '';
      if (shift.from !== 'none') add(`${shift.from} ${kind} ${shift.before}`, -1);
      add(`${shift.to} ${kind} ${shift.after}`, 1);
    }
    const changed = [...sums].filter(([, by]) => by !== 0);
    return changed.map(([name, by]) => ['HINCRBY', at.queue_counts, name, String(by)]);
  }

  function statistics(facts: readonly Fact[]): ListChange[] {
    const lists: ListChange[] = [];
    const expiring = new Set<string>();
    for (const { period, start, counter, value } of countFacts(facts)) {
      const [key, field] =
        period === 'daily'
          ? [`${at.stats_daily}${start}`, counter]
          : [at.stats_hourly, `${start} ${counter}`];
      lists.push(['HINCRBY', key, field, String(value)]);
      expiring.add(key);
    }
    for (const fact of facts) {
      if (fact.type !== 'completed') continue;
      const name = parseTaskId(fact.taskId);
      if (name === null) continue;
      const key = `${at.issues_completed}${new Date(fact.at).toISOString().slice(0, 10)}`;
      lists.push(['SADD', key, identifiers.issueId(name.repository, name.number)]);
      lists.push(['ZADD', at.tasks_results, String(fact.at), fact.taskId]);
      expiring.add(key);
    }
    for (const key of expiring) lists.push(['EXPIRE', key, String(ttls.stats)]);
    return lists;
  }

  async function readOrder(tasks: ReadonlyMap<string, Moved>): Promise<void> {
    const unknown: string[] = [];
    for (const [id, moved] of tasks) {
      if (moved.madeBy !== null) madeBy.set(id, String(moved.madeBy));
      else if (madeBy.get(id) === undefined) unknown.push(id);
    }
    if (unknown.length === 0) return;
    const scores = (await link.send('ZMSCORE', at.tasks_all, ...unknown)) as (string | null)[];
    for (const [index, id] of unknown.entries()) madeBy.set(id, scores[index] ?? '0');
  }

  function lists(id: string, { madeBy: made, from, to, history, agents }: Moved): ListChange[] {
    const order = madeBy.get(id) ?? '0';
    const found: ListChange[] = [];
    if (made !== null) found.push(['ZADD', at.tasks_all, order, id]);
    if (from !== to && to !== null) {
      if (from !== null && from !== 'none') found.push(['ZREM', `${at.tasks_state}${from}`, id]);
      found.push(['ZADD', `${at.tasks_state}${to}`, order, id]);
    }
    for (const agent of agents) {
      found.push(['ZADD', `${at.process_tasks}${agent}`, order, id]);
    }
    if (history.length > 0) {
      const key = `${at.task_history}${id}`;
      found.push(['RPUSH', key, ...history]);
      // It may be a little longer for a while.
      if (history.some((seq) => Number(seq) % TRIM_EVERY === 0)) {
        found.push(['LTRIM', key, String(-HISTORY_KEPT), '-1']);
      }
    }
    return found;
  }

  /** What each of these tasks is now, and which tasks its issue has: as it was left here, or read. */
  async function leftBy(tasks: ReadonlyMap<string, Moved>): Promise<Map<string, Left>> {
    const found = new Map<string, Left>();
    const unknown: string[] = [];
    for (const [id, { left }] of tasks) {
      if (left === undefined) unknown.push(id);
      else found.set(id, left);
    }
    if (unknown.length === 0) return found;
    const [heads, read] = await Promise.all([
      rows.heads(unknown.flatMap((id) => parseTaskId(id) ?? [])),
      rows.tasks(unknown, true),
    ]);
    for (const [index, id] of unknown.entries()) {
      const task = read.get(id);
      if (task !== undefined) found.set(id, { row: task.row, tasks: heads[index]?.tasks ?? [] });
    }
    return found;
  }

  /** Rows as they are now: what was between two facts of one task is not shown. */
  async function shown(moved: ReadonlyMap<string, Moved>): Promise<ListChange[]> {
    const left = await leftBy(moved);
    const latest = new Map<string, Left>();
    const found: ListChange[] = [];
    for (const [, one] of left) {
      found.push(...display.task(one.row));
      latest.set(issueName(one.row), one);
    }
    const others = [...latest.values()].flatMap(({ tasks }) => (tasks.length > 1 ? tasks : []));
    const beside = await rows.tasks(others, true);
    const holds = (id: string) => (left.get(id)?.row ?? beside.get(id)?.row)?.lease ?? null;
    for (const { row, tasks } of latest.values()) {
      const leased = row.lease !== null || tasks.some((id) => holds(id) !== null);
      found.push(...display.issue(row, leased));
    }
    return found;
  }

  /** One step; false: somebody else was faster, and nothing of this was written. */
  async function derive(from: string, facts: readonly CountedFact[], to: string): Promise<boolean> {
    if (from !== projected) {
      display.forget();
      madeBy.clear();
    }
    projected = '';
    const tasks = byTask(facts);
    const [rowsShown] = await Promise.all([shown(tasks), readOrder(tasks)]);
    const all = [
      ...[...tasks].flatMap(([id, moved]) => lists(id, moved)),
      ...counts(facts),
      ...statistics(facts.map(({ fact }) => fact)),
      ...rowsShown,
    ];
    const word = await steps.change({ ...listsOnly(all), rows: [[PROJECTED, from, to]] });
    if (word === 'ok') projected = to;
    return word === 'ok';
  }

  /** Null: somebody else derived last, or what comes next is not known here. */
  function takeOwn(from: string): CountedFact[] | null {
    const at = Number(from) - (own[0]?.fact.seq ?? Number.POSITIVE_INFINITY) + 1;
    const taken = own;
    own = [];
    return from !== projected || at < 0 || at >= taken.length ? null : taken.slice(at);
  }

  /** Up to this fact: what comes meanwhile waits to be many, since a task is shown once however often it moved. */
  async function project(last: number): Promise<number> {
    for (;;) {
      let [from = ''] = await rows.read([PROJECTED]);
      const facts = takeOwn(from) ?? (await log.next(Number(from)));
      if (facts.length === 0) return Number(from);
      for (let done = 0; done < facts.length; done += FACTS_PER_STEP) {
        const some = facts.slice(done, done + FACTS_PER_STEP);
        const to = String(some.at(-1)?.fact.seq);
        if (!(await derive(from, some, to))) break;
        from = to;
      }
      if (Number(from) >= last) return Number(from);
    }
  }

  function begin(last: number): Promise<number> {
    underWay ??= project(last).finally(() => {
      underWay = null;
    });
    return underWay;
  }

  return {
    offer(facts) {
      const joins = own.at(-1)?.fact.seq === (facts[0]?.fact.seq ?? 0) - 1;
      if (!joins || own.length > OWN_KEPT) own = [];
      for (const fact of facts) own.push(fact);
      // Soon enough that nothing has to be kept for long; what fails is tried again by the timer.
      if (own.length >= FACTS_PER_STEP) begin(0).catch(() => undefined);
    },
    async catchUp() {
      const last = await log.lastSeq();
      // Whoever asks while it is under way wants what happened since as well.
      while (underWay !== null) await underWay.catch(() => 0);
      return begin(last);
    },
  };
}
