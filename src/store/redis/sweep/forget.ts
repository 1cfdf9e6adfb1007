// What the sweep forgets: history, results, closed issues, idle agents, empty buckets, old hours. And what it checks on
// the way: lists that do not say what the rows say are made right.

import type { BaseStore } from '../../../core/base-store.ts';
import type { IssueRef } from '../../../core/rows/ledger-row.ts';
import { toTask } from '../../../core/rows/task-row.ts';
import type { Link } from '../connection/link.ts';
import type { Projection } from '../display/projection.ts';
import type { Identifiers, Keys } from '../keys.ts';
import type { Buckets } from '../rows/buckets.ts';
import { holdsAny } from '../rows/holds.ts';
import { isOpenRow } from '../rows/indexes.ts';
import {
  encodeFiled,
  type FiledTask,
  headName,
  type IssueHead,
  issueName,
  issueOfName,
  ledgerName,
  seenName,
} from '../rows/row-codec.ts';
import type { Rows } from '../rows/rows.ts';
import { type ListChange, listsOnly, type RowChange } from '../rows/step-arguments.ts';
import { type Steps } from '../rows/steps.ts';
import type { Ttls } from '../ttl.ts';
import type { Repair } from './repair.ts';

/** One step keeps everybody else waiting: it does at most this much. */
const MOST_PER_STEP = 100;
const LOOKED_AT = 1000;
const EMPTY_BUCKET_KEPT_MS = 60_000;

interface Forgetting {
  readonly link: Link;
  readonly keys: Keys;
  readonly identifiers: Identifiers;
  readonly rows: Rows;
  readonly steps: Steps;
  readonly buckets: Buckets;
  readonly projection: Projection;
  readonly ttls: Ttls;
  readonly repair: Repair;
  readonly now: () => Promise<number>;
  readonly flushAgents: () => Promise<void>;
  readonly dependents: (repository: string, number: number) => Promise<number[]>;
}

export function createForget(env: Forgetting): BaseStore['forget'] {
  const { link, keys, identifiers, rows, steps, buckets, projection, ttls } = env;
  const { at } = keys;
  /** Since when a bucket has been seen empty. */
  const emptySince = new Map<string, number>();
  let hoursBefore = '';

  async function apply(
    rowChanges: readonly RowChange[],
    lists: readonly ListChange[],
  ): Promise<boolean> {
    const word = await steps.change({ ...listsOnly(lists), rows: rowChanges });
    rows.forget(rowChanges.map(([name]) => name));
    return word === 'ok';
  }

  async function facts(before: number, projected: number, limit: number): Promise<boolean> {
    const reply = await link.send('XRANGE', at.facts, '-', `0-${projected}`, 'COUNT', limit);
    const old = (reply as [string, string[]][]).filter(([, fields]) => Number(fields[1]) < before);
    const last = old.at(-1);
    if (last === undefined) return false;
    await link.send('XTRIM', at.facts, 'MINID', `0-${Number(last[0].slice(2)) + 1}`);
    return old.length >= limit;
  }

  async function results(before: number, limit: number): Promise<boolean> {
    const page = ['LIMIT', 0, limit] as const;
    const ids = (await link.send(
      'ZRANGEBYSCORE',
      at.tasks_results,
      '-inf',
      `(${before}`,
      ...page,
    )) as string[];
    const tasks = await rows.tasks(ids, true);
    await Promise.all(
      ids.map(async (id) => {
        const task = tasks.get(id);
        const lists: ListChange[] = [
          ['DEL', `${at.task_result}${id}`],
          ['ZREM', at.tasks_results, id],
        ];
        if (task === undefined) return apply([], lists);
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

  async function forgetIssue(ref: IssueRef, head: IssueHead, tasks: FiledTask[]): Promise<boolean> {
    const name = issueName(ref);
    const shown = identifiers.issueId(ref.repository, ref.number);
    const { ledger } = await rows.issue(ref, true);
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
    const gone = (row: string, text: string): RowChange => [row, text, '-'];
    return apply(
      [
        gone(headName(ref), head.text),
        gone(ledgerName(ref), ledger.text),
        [seenName(ref), '*', '-'],
        ...tasks.map(({ row, text }) => gone(row.id, text)),
      ],
      lists,
    );
  }

  async function isForgettable(
    ref: IssueRef,
    head: IssueHead,
    tasks: FiledTask[],
    before: number,
  ): Promise<boolean> {
    if (head.row.state !== 'closed' || head.open > 0) return false;
    if (tasks.some(({ row }) => isOpenRow(row) || toTask(row).state === 'dead')) return false;
    const { ledger } = await rows.issue(ref, true);
    if (ledger.row.writes.length > 0) return false;
    const [seenAt = ''] = await rows.read([seenName(ref)]);
    if (Number(seenAt) >= before) return false;
    return (await env.dependents(ref.repository, ref.number)).length === 0;
  }

  async function closed(before: number, limit: number): Promise<boolean> {
    const page = ['LIMIT', 0, LOOKED_AT] as const;
    const names = (await link.send(
      'ZRANGEBYSCORE',
      at.issues_closed,
      '-inf',
      `(${before}`,
      ...page,
    )) as string[];
    let forgotten = 0;
    for (const name of names) {
      if (forgotten >= limit) break;
      const ref = issueOfName(name);
      const { head } = await rows.issue(ref, true);
      if (head === undefined) continue;
      const tasks = [...(await rows.tasks(head.tasks, true)).values()];
      if (!(await isForgettable(ref, head, tasks, before))) continue;
      if (await forgetIssue(ref, head, tasks)) forgotten += 1;
    }
    return forgotten >= limit;
  }

  async function agents(before: number, limit: number): Promise<void> {
    await env.flushAgents();
    const page = ['LIMIT', 0, limit] as const;
    const ids = (await link.send(
      'ZRANGEBYSCORE',
      at.processes_known,
      '-inf',
      `(${before}`,
      ...page,
    )) as string[];
    for (const id of ids) {
      if (await holdsAny(link, keys, id)) continue;
      await apply(
        [],
        [
          ['DEL', `${at.process_info}${id}`],
          ['DEL', `${at.process_heartbeat}${id}`],
          ['DEL', `${at.process_tasks}${id}`],
          ['ZREM', at.processes_known, id],
          ['SREM', at.processes_zombies, id],
        ],
      );
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
    const first = new Date(Math.max(0, now - ttls.stats * 1000)).toISOString().slice(0, 13);
    if (first === hoursBefore) return;
    hoursBefore = first;
    const fields = (await link.send('HKEYS', at.stats_hourly)) as string[];
    const old = fields.filter((field) => field.slice(0, first.length) < first);
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
    await apply(
      [],
      [['ZREMRANGEBYSCORE', at.processes_active, '-inf', `(${now - ttls.heartbeat * 1000}`]],
    );
    await env.repair();
    return more.some((one) => one);
  };
}
