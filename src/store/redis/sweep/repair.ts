// The sweep's look at rows and lists, a few at a time. Rows are right; a list that says something else, because a
// command failed or a key was removed by hand, is made right from them.

import { noLedger } from '../../../core/rows/ledger-row.ts';
import type { Parts } from '../parts.ts';
import type { Changes } from '../rows/change.ts';
import { holdName, taskOfHold } from '../rows/holds.ts';
import { isOpenRow } from '../rows/indexes.ts';
import {
  decodeFiled,
  decodeHead,
  decodeLedgerText,
  type FiledTask,
  issueOfName,
} from '../rows/row-codec.ts';
import { type ListChange, listsOnly } from '../rows/step-arguments.ts';

const PER_LOOK = 300;
const PER_QUEUE = 50;
const BUCKETS_PER_LOOK = 20;

export type Repair = () => Promise<void>;

/** What a row that nobody knew would put into lists. */
const entered = (lists: readonly ListChange[]): ListChange[] =>
  lists.filter(([verb]) => verb === 'ZADD' || verb === 'SADD');

export function createRepair(env: Parts & Pick<Changes, 'refile'>): Repair {
  const { link, keys, rows, steps, indexes, buckets } = env;
  const { at } = keys;
  let cursor = '0';
  const audited = new Map<string, number>();

  /** If the row is still as it was looked at. */
  async function fix(
    name: string,
    text: string,
    lists: readonly ListChange[],
    touched: readonly string[] = [],
  ): Promise<void> {
    if (lists.length === 0) return;
    await steps.change({ ...listsOnly(lists, touched), rows: [[name, text, '=']] });
  }

  /** Those of the entries that are not there; `exact`: or have another score. A list that is no list has none. */
  async function missing(wanted: readonly ListChange[], exact: boolean): Promise<ListChange[]> {
    const there = await Promise.all(
      wanted.map(async ([verb, key = '', first = '', second = '']) => {
        if (verb === 'SADD') {
          return (await link.send('SISMEMBER', key, first).catch(() => 0)) === 1;
        }
        const score = await link.send('ZSCORE', key, second).catch(() => null);
        return score !== null && (!exact || Number(score) === Number(first));
      }),
    );
    return wanted.filter((_, index) => !there[index]);
  }

  async function checkTask(task: FiledTask): Promise<void> {
    const { row } = task;
    const wanted = entered(indexes.moveTask(undefined, task));
    if (row.lease !== null) {
      wanted.push(['ZADD', at.process_holds, '0', holdName(row.lease.agentId, row.id)]);
    }
    const touched = row.state === 'ready' ? [task.bucket] : [];
    await fix(row.id, task.text, await missing(wanted, true), touched);
  }

  async function checkLedger(name: string, text: string): Promise<void> {
    const ref = issueOfName(name.slice(1));
    const wanted = indexes.moveLedger(noLedger(ref), decodeLedgerText(ref, text).row);
    await fix(name, text, await missing(wanted, false));
  }

  /** Lists of issues: open ones, those that carry a label, those that wait for another. */
  async function checkHead(name: string, text: string): Promise<void> {
    const head = decodeHead(issueOfName(name.slice(1)), text);
    const wanted = entered(indexes.moveIssue(undefined, head, await env.now(), () => true));
    await fix(name, text, await missing(wanted, false));
  }

  /** A task that became ready while its labels could not be looked up stands in the wrong bucket. */
  async function checkBuckets(tasks: readonly FiledTask[]): Promise<void> {
    if (tasks.length === 0) return;
    const heads = await rows.heads(tasks.map(({ row }) => row));
    const filing = await buckets.filing(true);
    for (const [index, { row, bucket }] of tasks.entries()) {
      const head = heads[index];
      if (head === undefined) continue;
      const name = indexes.bucketOf(row, head.row, filing) ?? '';
      if (filing.number(name) !== bucket) await env.refile(row);
    }
  }

  async function checkRows(): Promise<void> {
    const page = await link.send('HSCAN', at.rows, cursor, 'COUNT', PER_LOOK);
    const [next, flat] = page as [string, string[]];
    cursor = next;
    const checks: Promise<void>[] = [];
    const ready: FiledTask[] = [];
    for (let index = 0; index < flat.length; index += 2) {
      const name = flat[index] ?? '';
      const text = flat[index + 1] ?? '';
      if (name.startsWith('#')) checks.push(checkLedger(name, text));
      else if (name.startsWith('!')) checks.push(checkHead(name, text));
      else if (!/^[?:]/.test(name)) {
        const task = decodeFiled(name, text);
        if (isOpenRow(task.row)) checks.push(checkTask(task));
        if (task.row.state === 'ready') ready.push(task);
      }
    }
    await Promise.all(checks);
    await checkBuckets(ready);
  }

  /** The next members of a list, from where the last look ended. */
  async function nextOf(key: string): Promise<string[]> {
    const from = audited.get(key) ?? 0;
    const members = await link.send<string[]>('ZRANGE', key, from, from + PER_QUEUE - 1);
    audited.set(key, members.length < PER_QUEUE ? 0 : from + members.length);
    return members;
  }

  /** Entries that belong to no task which stands there are set aside. */
  async function checkList(name: string, key: string, touched: readonly string[] = []) {
    const ids = await nextOf(key);
    const texts = await rows.read(ids);
    const strange = [...ids.entries()].flatMap(([index, id]) => {
      const text = texts[index] ?? '';
      return text !== '' && indexes.places(decodeFiled(id, text)).has(key) ? [] : [{ id, text }];
    });
    if (strange.length === 0) return;
    const now = await env.now();
    for (const { id, text } of strange) {
      const lists: ListChange[] = [['ZREM', key, id]];
      if (text === '') lists.push(['HSET', at.queue_corrupt, id, `${name} at ${now}`]);
      // Compared with what was looked at: it may have come to stand there meanwhile.
      await fix(id, text, lists, touched);
    }
    env.setAside(strange.map(({ id }) => id));
  }

  async function checkHolds(): Promise<void> {
    const holds = await nextOf(at.process_holds);
    const tasks = await rows.tasks([...new Set(holds.map(taskOfHold))], true);
    for (const hold of holds) {
      const id = taskOfHold(hold);
      const task = tasks.get(id);
      if (hold === holdName(task?.row.lease?.agentId ?? '', id)) continue;
      await fix(id, task?.text ?? '', [['ZREM', at.process_holds, hold]]);
    }
  }

  /** A few buckets at a time. */
  async function checkBucketLists(): Promise<void> {
    const numbers = [...(await buckets.all()).values()];
    const from = (audited.get('buckets') ?? 0) % Math.max(1, numbers.length);
    audited.set('buckets', from + BUCKETS_PER_LOOK);
    for (const number of numbers.slice(from, from + BUCKETS_PER_LOOK)) {
      await checkList(`bucket ${number}`, `${at.queue_bucket}${number}`, [number]);
    }
  }

  return async () => {
    await checkRows();
    await checkList('queue high', at.queue_high);
    await checkList('queue normal', at.queue_normal);
    await checkList('queue low', at.queue_low);
    await checkList('leases', at.leases);
    await checkList('delayed', at.queue_delayed);
    await checkList('opening', at.queue_opening);
    await checkBucketLists();
    await checkHolds();
    await link.run('rebuild_heads', []);
  };
}
