// What the sweep forgets: history, results, closed issues, idle agents, empty buckets, old hours. And what it checks on
// the way: lists that do not say what the rows say are made right.

import type { BaseStore } from '../../../core/base-store.ts';
import {
  EMPTY_BUCKET_KEPT_MS,
  mayForgetIssue,
  withoutResult,
} from '../../../core/decide/forget.ts';
import type { TaskRow } from '../../../core/rows/task-row.ts';
import type { TaskReads } from '../../../core/store.ts';
import type { Projection } from '../display/projection.ts';
import type { Parts } from '../parts.ts';
import { holding } from '../rows/holds.ts';
import { type ListChange, listsOnly, type RowChange } from '../rows/step-arguments.ts';
import {
  type FiledTask,
  issueOf,
  issueOfName,
  nextWork,
  seenName,
  type Work,
} from '../rows/work.ts';
import { firstHourKept } from '../ttl.ts';
import type { Repair } from './repair.ts';
import { createSlices } from './slices.ts';

/** One step keeps everybody else waiting: it does at most this much. */
const MOST_PER_STEP = 100;
const LOOKED_AT = 1000;
const BUCKETS_PER_LOOK = 100;

interface Forgetting extends Parts, Pick<TaskReads, 'dependents'> {
  readonly projection: Projection;
  readonly repair: Repair;
  readonly flushAgents: () => Promise<void>;
}

export function createForget(env: Forgetting): BaseStore['forget'] {
  const { link, keys, identifiers, works, steps, buckets, projection, ttls, write } = env;
  const { at } = keys;
  /** Since when a bucket has been seen empty. */
  const emptySince = new Map<string, number>();
  const someBuckets = createSlices(BUCKETS_PER_LOOK);
  let hoursBefore = '';

  async function apply(work: Work, changes: readonly RowChange[], lists: readonly ListChange[]) {
    const word = await steps.change({ ...listsOnly(lists), rows: changes });
    works.forget(work.name);
    return word === 'ok';
  }

  /** The first members of a list whose instant has passed. */
  const older = (list: string, before: number, limit: number): Promise<string[]> =>
    link.send('ZRANGEBYSCORE', list, '-inf', `(${before}`, 'LIMIT', 0, limit);

  async function facts(before: number, projected: number, limit: number): Promise<boolean> {
    const reply = await link.send('XRANGE', at.facts, '-', `0-${projected}`, 'COUNT', limit);
    const old = (reply as [string, string[]][]).filter(([, fields]) => Number(fields[1]) < before);
    const last = old.at(-1);
    if (last === undefined) return false;
    await link.send('XTRIM', at.facts, 'MINID', `0-${Number(last[0].slice(2)) + 1}`);
    return old.length >= limit;
  }

  async function dropResult(
    work: Work,
    { id, bucket }: FiledTask,
    row: TaskRow,
    lists: ListChange[],
  ) {
    const without: FiledTask = { id, row, bucket, open: false, line: null };
    const tasks = work.tasks.map((task) => (task.id === id ? without : task));
    const next = nextWork(work, { tasks }, await env.now(), identifiers.lock);
    await apply(work, [[work.name, work.stamp, next.text]], lists);
  }

  async function results(before: number, limit: number): Promise<boolean> {
    const ids = await older(at.tasks_results, before, limit);
    const tasks = await works.found(ids);
    let forgotten = 0;
    // One after the other: several may be of one issue.
    for (const id of ids) {
      const found = tasks.get(id);
      const without = found === undefined ? null : withoutResult(found.task.row, before);
      // The list may call it a moment older than it is: then its place has to stay as long as it does.
      if (found !== undefined && found.task.row.result !== null && without === null) continue;
      forgotten += 1;
      const lists: ListChange[] = [
        ['DEL', `${at.task_result}${id}`],
        ['ZREM', at.tasks_results, id],
      ];
      if (found === undefined || without === null) await write(lists);
      else await dropResult(found.work, found.task, without, lists);
    }
    return forgotten >= limit;
  }

  function forgetTask({ row }: FiledTask): ListChange[] {
    const { id, state, kind, priority } = row;
    const agents = new Set(row.past.map(({ agentId }) => agentId));
    return [
      ...[...agents].map((agent): ListChange => ['ZREM', `${at.process_tasks}${agent}`, id]),
      ['HINCRBY', at.queue_counts, `${state} ${kind} ${priority}`, '-1'],
      ['ZREM', at.tasks_all, id],
      ['ZREM', `${at.tasks_state}${state}`, id],
      ['ZREM', at.tasks_results, id],
      ['DEL', `${at.task_info}${id}`],
      ['DEL', `${at.task_history}${id}`],
      ['DEL', `${at.task_result}${id}`],
      ['DEL', `${at.review_delay}${identifiers.delay(row)}`],
    ];
  }

  async function forgetIssue(work: Work): Promise<boolean> {
    const { name, repository, number } = work;
    const shown = identifiers.issueId(repository, number);
    const issue = issueOf(work);
    const labels = issue?.matchLabels ?? [];
    const dependsOn = issue?.dependsOn ?? [];
    const lists: ListChange[] = [
      ...work.tasks.flatMap(forgetTask),
      ...labels.map((label): ListChange => ['SREM', `${at.labels_issues}${label}`, name]),
      ...dependsOn.map(
        (n): ListChange => ['SREM', `${at.issues_dependents}${repository}:${n}`, name],
      ),
      ['ZREM', at.issues_closed, name],
      ['DEL', `${at.issue_status}${shown}`],
      ['DEL', `${at.issue_metadata}${shown}`],
      ['HDEL', at.issues_pictures, name],
    ];
    const gone: RowChange[] = [
      [name, work.stamp, '-'],
      [seenName(name), '*', '-'],
    ];
    return apply(work, gone, lists);
  }

  async function isForgettable(work: Work, before: number): Promise<boolean> {
    const { name, repository, number, ledger } = work;
    const row = issueOf(work);
    const tasks = work.tasks.map((task) => task.row);
    const may = (seenAt: number, awaited: boolean): boolean => {
      const issue = row === undefined ? undefined : { state: row.state, seenAt };
      return mayForgetIssue({ issue, ledger, tasks, awaited }, before);
    };
    // Most that stay do so whenever they were seen, whoever waits for them: nothing else is read for these.
    if (!may(0, false)) return false;
    const [[seenAt = ''], waiting] = await Promise.all([
      works.read([seenName(name)]),
      env.dependents(repository, number),
    ]);
    return may(Number(seenAt), waiting.length > 0);
  }

  async function closed(before: number, limit: number): Promise<boolean> {
    let forgotten = 0;
    for (const name of await older(at.issues_closed, before, LOOKED_AT)) {
      if (forgotten >= limit) break;
      const [work] = await works.get([issueOfName(name)]);
      if (work === undefined || !(await isForgettable(work, before))) continue;
      if (await forgetIssue(work)) forgotten += 1;
    }
    return forgotten >= limit;
  }

  async function agents(before: number, limit: number): Promise<void> {
    await env.flushAgents();
    const idle = await older(at.processes_known, before, limit);
    const busy = await holding(link, keys, idle);
    for (const id of idle) {
      if (busy.has(id)) continue;
      await write([
        ['DEL', `${at.process_info}${id}`],
        ['DEL', `${at.process_heartbeat}${id}`],
        ['DEL', `${at.process_tasks}${id}`],
        ['ZREM', at.processes_known, id],
        ['SREM', at.processes_zombies, id],
      ]);
    }
  }

  /** A bucket that has just run empty is likely to fill again; each coming and going outdates every ranking. */
  async function emptyBuckets(now: number): Promise<void> {
    const all = await buckets.all();
    const drop: string[] = [];
    await Promise.all(
      someBuckets([...all]).map(async ([name, number]) => {
        const filled = Number(await link.send('EXISTS', `${at.queue_bucket}${number}`)) === 1;
        const since = emptySince.get(name) ?? now;
        if (filled) emptySince.delete(name);
        else if (since <= now - EMPTY_BUCKET_KEPT_MS) drop.push(name, number);
        else emptySince.set(name, since);
      }),
    );
    if (drop.length > 0) await link.run('drop_buckets', drop);
    for (const name of emptySince.keys()) if (!all.has(name)) emptySince.delete(name);
  }

  async function oldHours(now: number): Promise<void> {
    const first = firstHourKept(ttls, now);
    if (first === hoursBefore) return;
    hoursBefore = first;
    const fields = await link.send<string[]>('HKEYS', at.stats_hourly);
    const old = fields.filter((field) => field < first);
    if (old.length > 0) await link.send('HDEL', at.stats_hourly, ...old);
  }

  return async (input) => {
    const projected = await projection.catchUp();
    const now = await env.now();
    const limit = Math.min(input.limit, MOST_PER_STEP);
    const before = now - input.resultsKeptMs;
    const more = [
      await facts(now - input.factsKeptMs, projected, limit),
      await results(before, limit),
      await closed(before, limit),
    ];
    await agents(before, limit);
    await emptyBuckets(now);
    await oldHours(now);
    const silent = now - ttls.heartbeat * 1000;
    await write([['ZREMRANGEBYSCORE', at.processes_active, '-inf', `(${silent}`]]);
    await env.repair();
    return more.some((one) => one);
  };
}
