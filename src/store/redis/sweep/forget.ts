// What the sweep forgets: history, results, closed issues, idle agents, empty buckets, old hours. And what it checks on
// the way: lists that do not say what the rows say are made right.

import type { BaseStore } from '../../../core/base-store.ts';
import type { IssueRef } from '../../../core/rows/ledger-row.ts';
import type { TaskReads } from '../../../core/store.ts';
import type { Projection } from '../display/projection.ts';
import type { Parts } from '../parts.ts';
import { holdsAny } from '../rows/holds.ts';
import { isOpenRow } from '../rows/indexes.ts';
import {
  encodeFiled,
  type FiledTask,
  headName,
  type IssueHead,
  issueName,
  issueOfName,
  type Ledger,
  ledgerName,
  seenName,
} from '../rows/row-codec.ts';
import { type ListChange, listsOnly, type RowChange } from '../rows/step-arguments.ts';
import { firstHourKept } from '../ttl.ts';
import type { Repair } from './repair.ts';

/** One step keeps everybody else waiting: it does at most this much. */
const MOST_PER_STEP = 100;
const LOOKED_AT = 1000;
const EMPTY_BUCKET_KEPT_MS = 60_000;

/** An issue with everything that is kept of it. */
interface Known {
  readonly head: IssueHead;
  readonly ledger: Ledger;
  readonly tasks: readonly FiledTask[];
}

interface Forgetting extends Parts, Pick<TaskReads, 'dependents'> {
  readonly projection: Projection;
  readonly repair: Repair;
  readonly flushAgents: () => Promise<void>;
}

export function createForget(env: Forgetting): BaseStore['forget'] {
  const { link, keys, identifiers, rows, steps, buckets, projection, ttls, write } = env;
  const { at } = keys;
  /** Since when a bucket has been seen empty. */
  const emptySince = new Map<string, number>();
  let hoursBefore = '';

  async function apply(changes: readonly RowChange[], lists: readonly ListChange[]) {
    const word = await steps.change({ ...listsOnly(lists), rows: changes });
    rows.forget(changes.map(([name]) => name));
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

  async function results(before: number, limit: number): Promise<boolean> {
    const ids = await older(at.tasks_results, before, limit);
    const tasks = await rows.tasks(ids, true);
    await Promise.all(
      ids.map(async (id) => {
        const task = tasks.get(id);
        const lists: ListChange[] = [
          ['DEL', `${at.task_result}${id}`],
          ['ZREM', at.tasks_results, id],
        ];
        if (task === undefined) return write(lists);
        const { lock } = identifiers.filedName(id);
        const next = encodeFiled({ ...task.row, result: null }, task.bucket, task.born, lock);
        return apply([[id, task.text, next.text]], lists);
      }),
    );
    return ids.length >= limit;
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
      ['DEL', `${at.review_delay}${identifiers.filedName(id).delay}`],
    ];
  }

  async function forgetIssue(ref: IssueRef, { head, ledger, tasks }: Known): Promise<boolean> {
    const name = issueName(ref);
    const shown = identifiers.issueId(ref.repository, ref.number);
    const lists: ListChange[] = [
      ...tasks.flatMap(forgetTask),
      ...head.row.matchLabels.map(
        (label): ListChange => ['SREM', `${at.labels_issues}${label}`, name],
      ),
      ...head.row.dependsOn.map(
        (n): ListChange => ['SREM', `${at.issues_dependents}${ref.repository}:${n}`, name],
      ),
      ['ZREM', at.issues_closed, name],
      ['DEL', `${at.issue_status}${shown}`],
      ['DEL', `${at.issue_metadata}${shown}`],
      ['HDEL', at.issues_pictures, name],
    ];
    const gone: RowChange[] = [
      [headName(ref), head.text, '-'],
      [ledgerName(ref), ledger.text, '-'],
      [seenName(ref), '*', '-'],
      ...tasks.map(({ row, text }): RowChange => [row.id, text, '-']),
    ];
    return apply(gone, lists);
  }

  async function isForgettable(
    ref: IssueRef,
    { head, ledger, tasks }: Known,
    before: number,
  ): Promise<boolean> {
    if (head.row.state !== 'closed' || head.open > 0 || ledger.row.writes.length > 0) return false;
    if (tasks.some(({ row }) => isOpenRow(row) || row.state === 'dead')) return false;
    const [seenAt = ''] = await rows.read([seenName(ref)]);
    if (Number(seenAt) >= before) return false;
    return (await env.dependents(ref.repository, ref.number)).length === 0;
  }

  async function closed(before: number, limit: number): Promise<boolean> {
    let forgotten = 0;
    for (const name of await older(at.issues_closed, before, LOOKED_AT)) {
      if (forgotten >= limit) break;
      const ref = issueOfName(name);
      const { head, ledger } = await rows.issue(ref, true);
      if (head === undefined) continue;
      const known = { head, ledger, tasks: [...(await rows.tasks(head.tasks, true)).values()] };
      if (!(await isForgettable(ref, known, before))) continue;
      if (await forgetIssue(ref, known)) forgotten += 1;
    }
    return forgotten >= limit;
  }

  async function agents(before: number, limit: number): Promise<void> {
    await env.flushAgents();
    for (const id of await older(at.processes_known, before, limit)) {
      if (await holdsAny(link, keys, id)) continue;
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
      [...all].map(async ([name, number]) => {
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
