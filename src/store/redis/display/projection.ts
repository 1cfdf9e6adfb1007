// What is derived from facts: what people read of tasks and issues, counts, lists by state, statistics. Steps only
// append their facts; the projection catches up, each fact exactly once, before anybody reads through Banto, and at
// the latest after half a second.

import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HISTORY_KEPT, isHistory } from '../../../core/attempt/history.ts';
import { busy } from '../../../core/errors.ts';
import { countFacts } from '../../../core/reporting/count-facts.ts';
import type { TaskRow } from '../../../core/rows/task-row.ts';
import { scriptOf } from '../connection/library.ts';
import type { Parts } from '../parts.ts';
import { createCache } from '../rows/cache.ts';
import type { CountedFact, Left, Shift } from '../rows/fact-lines.ts';
import { type ListChange, spellLists } from '../rows/step-arguments.ts';
import { issueOfName, nameOfTask } from '../rows/work.ts';
import type { FactLog } from './fact-log.ts';
import { createDisplay } from './task-display.ts';

const TRIM_EVERY = 16;
/** One step keeps everybody else waiting: it is derived from at most so many. */
const FACTS_PER_STEP = 500;
/** What is shown of so many tasks goes out by itself: Redis is kept for a tenth of the time that all of it takes. */
const TASKS_PER_PART = 50;
const REMEMBERED = 20_000;
const OWN_KEPT = 2000;

export interface Projection {
  /** What this instance has done itself need not be read again. */
  offer(facts: readonly CountedFact[]): void;
  /** Derives from every fact that nobody has derived from; returns the last one's number. */
  catchUp(): Promise<number>;
}

type Projecting = Pick<Parts, 'link' | 'silent' | 'keys' | 'identifiers' | 'works' | 'ttls'> & {
  readonly log: FactLog;
};

/** What the facts of one task add up to. */
interface Moved {
  /** The number of the fact that made it; null: it was there before. */
  madeBy: number | null;
  /** How it moved from the first of them to the last; null: it did not. */
  shift: Shift | null;
  readonly history: string[];
  readonly agents: string[];
  /** The row before the first of them; null: there was none, undefined: that is not known. */
  readonly before: TaskRow | null | undefined;
  /** The row that the last of them left; undefined: it has to be read. */
  left: Left | undefined;
}

const unmoved = (left: Left | undefined): Moved => ({
  madeBy: null,
  shift: null,
  history: [],
  agents: [],
  before: left?.before,
  left,
});

function byTask(facts: readonly CountedFact[]): Map<string, Moved> {
  const tasks = new Map<string, Moved>();
  for (const { fact, shift, left } of facts) {
    if (!('taskId' in fact)) continue;
    const { taskId } = fact;
    const moved = tasks.get(taskId) ?? unmoved(left);
    // The task that changed last comes last.
    tasks.delete(taskId);
    tasks.set(taskId, moved);
    moved.left = left;
    if (isHistory(fact)) moved.history.push(String(fact.seq));
    if (fact.type === 'leased' && !moved.agents.includes(fact.agentId)) {
      moved.agents.push(fact.agentId);
    }
    if (shift === null) continue;
    if (shift.from === 'none') moved.madeBy = fact.seq;
    const { from, before } = moved.shift ?? shift;
    moved.shift = { from, before, to: shift.to, after: shift.after };
  }
  return tasks;
}

const GUARD = scriptOf('guard');
const MOST_TRIES = 5;
const DAY_MS = 86_400_000;

/** `<number of the last fact> <the instance that derived from it>` */
const seqOf = (projected: string): number => Number(projected.split(' ', 1)[0]);

const kindOf = (taskId: string): string =>
  taskId.slice(taskId.lastIndexOf('~') + 1, taskId.lastIndexOf('.'));

export function createProjection(env: Projecting): Projection {
  const { link, silent, keys, identifiers, works, log, ttls } = env;
  const instance = randomBytes(6).toString('base64url');
  const { at } = keys;
  const display = createDisplay(keys, identifiers, ttls);
  /** Lists are in the order tasks were made: by the number of the fact that says so. */
  const madeBy = createCache<string>(REMEMBERED);
  /** The last fact that this instance derived from; what was shown since then is known. */
  let projected = '';
  let underWay: Promise<number> | null = null;
  /** Facts of this instance's own steps, in one row without a gap. */
  let own: CountedFact[] = [];

  function counts(tasks: ReadonlyMap<string, Moved>, all: ListChange[]): void {
    const sums = new Map<string, number>();
    const add = (name: string, by: number) => void sums.set(name, (sums.get(name) ?? 0) + by);
    for (const [id, { shift }] of tasks) {
      if (shift === null) continue;
      const kind = kindOf(id);
      if (shift.from !== 'none') add(`${shift.from} ${kind} ${shift.before}`, -1);
      add(`${shift.to} ${kind} ${shift.after}`, 1);
    }
    for (const [name, by] of sums) {
      if (by !== 0) all.push(['HINCRBY', at.queue_counts, name, String(by)]);
    }
  }

  function statistics(facts: readonly CountedFact[], all: ListChange[]): void {
    const expiring = new Set<string>();
    for (const { period, start, counter, value } of countFacts(facts.map(({ fact }) => fact))) {
      const [key, field] =
        period === 'daily'
          ? [`${at.stats_daily}${start}`, counter]
          : [at.stats_hourly, `${start} ${counter}`];
      all.push(['HINCRBY', key, field, String(value)]);
      expiring.add(key);
    }
    let day = -1;
    let key = '';
    for (const { fact } of facts) {
      if (fact.type !== 'completed') continue;
      // Most are of one day, and its name takes longer than the rest.
      if (Math.floor(fact.at / DAY_MS) !== day) {
        day = Math.floor(fact.at / DAY_MS);
        key = `${at.issues_completed}${new Date(fact.at).toISOString().slice(0, 10)}`;
        expiring.add(key);
      }
      const { repository, number } = issueOfName(nameOfTask(fact.taskId));
      all.push(['SADD', key, identifiers.issueId(repository, number)]);
      all.push(['ZADD', at.tasks_results, String(fact.at), fact.taskId]);
    }
    for (const key of expiring) all.push(['EXPIRE', key, String(ttls.stats)]);
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

  function lists(id: string, moved: Moved, all: ListChange[]): void {
    const { madeBy: made, shift, history, agents } = moved;
    const order = madeBy.get(id) ?? '0';
    if (made !== null) all.push(['ZADD', at.tasks_all, order, id]);
    if (shift !== null && shift.from !== shift.to) {
      if (shift.from !== 'none') all.push(['ZREM', `${at.tasks_state}${shift.from}`, id]);
      all.push(['ZADD', `${at.tasks_state}${shift.to}`, order, id]);
    }
    for (const agent of agents) all.push(['ZADD', `${at.process_tasks}${agent}`, order, id]);
    if (history.length === 0) return;
    const key = `${at.task_history}${id}`;
    all.push(['RPUSH', key, ...history]);
    // It may be a little longer for a while.
    if (history.some((seq) => Number(seq) % TRIM_EVERY === 0)) {
      all.push(['LTRIM', key, String(-HISTORY_KEPT), '-1']);
    }
  }

  /** What each of these tasks is now: as it was left here, or read. */
  async function leftBy(tasks: ReadonlyMap<string, Moved>): Promise<Map<string, Left>> {
    const found = new Map<string, Left>();
    const unknown: string[] = [];
    for (const [id, { left }] of tasks) {
      if (left === undefined) unknown.push(id);
      else found.set(id, left);
    }
    if (unknown.length === 0) return found;
    for (const [id, { task, work }] of await works.found(unknown)) {
      const leased = work.tasks.some((one) => one.open && one.row.lease !== null);
      found.set(id, { row: task.row, leased });
    }
    return found;
  }

  /** Nothing of it is made where somebody else has derived since. */
  function guarded(from: string, to: string, all: readonly ListChange[]): Promise<void> {
    return silent.send(at.facts_projected, (args) => {
      args.command(['WATCH', at.facts_projected]);
      args.command(['EVAL', GUARD, '1', at.facts_projected, from]);
      args.command(['MULTI']);
      spellLists(all, args);
      if (to !== from) args.command(['SET', at.facts_projected, to]);
      args.command(['HINCRBY', at.meta, 'steps', '1']);
      args.command(['EXEC']);
    });
  }

  /**
   * Rows as they are now: what was between two facts of one task is not shown. Where nobody else derives, in parts,
   * between which Redis and this process do what others want: whoever comes after a part that was the last one shows the
   * same tasks again. Returns the last part.
   */
  async function show(
    from: string,
    moved: ReadonlyMap<string, Moved>,
    inParts: boolean,
  ): Promise<ListChange[]> {
    const left = await leftBy(moved);
    const latest = new Map<string, Left>();
    for (const [id, one] of left) latest.set(nameOfTask(id), one);
    const sent: Promise<void>[] = [];
    let part: ListChange[] = [];
    let tasks = 0;
    for (const [id, one] of left) {
      if (inParts && tasks === TASKS_PER_PART) {
        const sending = guarded(from, from, part);
        // What goes wrong is thrown when all are sent, not before somebody listens.
        sending.catch(() => undefined);
        sent.push(sending);
        await nextTurn();
        part = [];
        tasks = 0;
      }
      tasks += 1;
      display.task(one.row, moved.get(id)?.before, part);
      if (latest.get(nameOfTask(id)) === one) display.issue(one.row, one.leased, part);
    }
    await Promise.all(sent);
    return part;
  }

  /** Lists and counts in one transaction, at the end: made twice or in parts they would be wrong. */
  async function derive(from: string, facts: readonly CountedFact[], to: string): Promise<void> {
    const isOurs = from === projected;
    if (!isOurs) madeBy.clear();
    projected = '';
    const tasks = byTask(facts);
    const [all] = await Promise.all([show(from, tasks, isOurs), readOrder(tasks)]);
    for (const [id, moved] of tasks) lists(id, moved, all);
    counts(tasks, all);
    statistics(facts, all);
    await guarded(from, to, all);
    projected = to;
  }

  /** Null: somebody else derived last, or what comes next is not known here. */
  function takeOwn(from: string): CountedFact[] | null {
    const at = seqOf(from) - (own[0]?.fact.seq ?? Number.POSITIVE_INFINITY) + 1;
    const taken = own;
    own = [];
    return from !== projected || at < 0 || at >= taken.length ? null : taken.slice(at);
  }

  /** Up to this fact: what comes meanwhile waits to be many, since a task is shown once however often it moved. */
  async function project(last: number): Promise<number> {
    let before = '';
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      let from = (await link.send<string | null>('GET', at.facts_projected)) ?? '';
      if (from !== before) tries = 0;
      if (seqOf(from) >= last && (last > 0 || before !== '')) return seqOf(from);
      before = from;
      const facts = takeOwn(from) ?? (await log.next(seqOf(from)));
      if (facts.length === 0) return seqOf(from);
      for (let done = 0; done < facts.length; done += FACTS_PER_STEP) {
        const some = facts.slice(done, done + FACTS_PER_STEP);
        const to = `${some.at(-1)?.fact.seq} ${instance}`;
        await derive(from, some, to);
        from = to;
      }
    }
    silent.reconnect();
    throw busy(new Error('What is derived from facts could not be written.'));
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
