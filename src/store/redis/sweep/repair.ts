// The sweep's look at rows and lists, a few at a time. Rows are right; a list that says something else, because a
// command failed or a key was removed by hand, is made right from them.

import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import type { Buckets } from '../rows/buckets.ts';
import type { Changes } from '../rows/change.ts';
import { holdName, taskOfHold } from '../rows/holds.ts';
import { type Indexes, isOpenRow } from '../rows/indexes.ts';
import {
  decodeFiled,
  decodeHead,
  decodeLedgerText,
  type FiledTask,
  headName,
  issueOfName,
} from '../rows/row-codec.ts';
import type { Rows } from '../rows/rows.ts';
import { type ListChange, listsOnly } from '../rows/step-arguments.ts';
import { type Steps } from '../rows/steps.ts';

const PER_LOOK = 300;
const PER_QUEUE = 50;
const BUCKETS_PER_LOOK = 20;

export type Repair = () => Promise<void>;

interface Repairing {
  readonly link: Link;
  readonly keys: Keys;
  readonly rows: Rows;
  readonly steps: Steps;
  readonly indexes: Indexes;
  readonly buckets: Buckets;
  readonly refile: Changes['refile'];
  readonly now: () => Promise<number>;
  readonly setAside: (ids: readonly string[]) => void;
}

export function createRepair(env: Repairing): Repair {
  const { link, keys, rows, steps, indexes, buckets } = env;
  const { at } = keys;
  let cursor = '0';
  const audited = new Map<string, number>();

  /** If the row is still as it was looked at. */
  async function fix(
    name: string,
    text: string,
    lists: readonly ListChange[],
    touched: readonly string[],
  ): Promise<void> {
    await steps.change({ ...listsOnly(lists, touched), rows: [[name, text, '=']] });
  }

  async function checkTask(task: FiledTask): Promise<void> {
    const { row } = task;
    const lists: ListChange[] = [];
    const places = [...indexes.places(task)];
    const scores = await Promise.all(
      places.map(([key]) => link.send('ZSCORE', key, row.id).catch(() => null)),
    );
    for (const [index, [key, score]] of places.entries()) {
      if (Number(scores[index] ?? Number.NaN) !== score)
        lists.push(['ZADD', key, String(score), row.id]);
    }
    if (row.lease !== null) {
      const hold = holdName(row.lease.agentId, row.id);
      const held = await link.send('ZSCORE', at.process_holds, hold).catch(() => null);
      if (held === null) lists.push(['ZADD', at.process_holds, '0', hold]);
    }
    const touched = row.state === 'ready' ? [task.bucket] : [];
    if (lists.length > 0) await fix(row.id, task.text, lists, touched);
  }

  async function checkLedger(name: string, text: string): Promise<void> {
    const ref = issueOfName(name.slice(1));
    const { row } = decodeLedgerText(ref, text);
    if (row.writes.length === 0) return;
    const found = await link.send('ZSCORE', at.outbox_due, name.slice(1)).catch(() => null);
    if (found !== null) return;
    const due = Math.min(...row.writes.map(({ availableAt }) => availableAt));
    await fix(name, text, [['ZADD', at.outbox_due, String(due), name.slice(1)]], []);
  }

  /** Lists of issues: open ones, those that carry a label, those that wait for another. */
  async function checkHead(name: string, text: string): Promise<void> {
    const head = decodeHead(issueOfName(name.slice(1)), text);
    const wanted = indexes
      .moveIssue(undefined, head, await env.now(), () => true)
      .filter(([verb]) => verb === 'ZADD' || verb === 'SADD');
    const missing = await Promise.all(
      wanted.map(async ([verb, key = '', first = '', second = '']) => {
        const look =
          verb === 'ZADD' ? link.send('ZSCORE', key, second) : link.send('SISMEMBER', key, first);
        const found = await look.catch(() => null);
        return found === null || found === 0;
      }),
    );
    const lists = wanted.filter((_, index) => missing[index]);
    if (lists.length > 0) await fix(name, text, lists, []);
  }

  /** A task that became ready while its labels could not be looked up stands in the wrong bucket. */
  async function checkBuckets(tasks: readonly FiledTask[]): Promise<void> {
    if (tasks.length === 0) return;
    const heads = await rows.read(tasks.map(({ row }) => headName(row)));
    const filing = await buckets.filing(true);
    for (const [index, { row, bucket }] of tasks.entries()) {
      const text = heads[index] ?? '';
      if (text === '') continue;
      const name = indexes.bucketOf(row, decodeHead(row, text).row, filing) ?? '';
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

  /** Entries that belong to no task which stands there are set aside. */
  async function checkList(name: string, key: string): Promise<void> {
    const from = audited.get(name) ?? 0;
    const ids = (await link.send('ZRANGE', key, from, from + PER_QUEUE - 1)) as string[];
    audited.set(name, ids.length < PER_QUEUE ? 0 : from + ids.length);
    const texts = await rows.read(ids);
    const strange = ids.filter((id, index) => {
      const text = texts[index] ?? '';
      return text === '' || !indexes.places(decodeFiled(id, text)).has(key);
    });
    if (strange.length === 0) return;
    const now = await env.now();
    for (const id of strange) {
      // Compared with what was looked at: it may have come to stand there meanwhile.
      const text = texts[ids.indexOf(id)] ?? '';
      const lists: ListChange[] = [['ZREM', key, id]];
      if (text === '') lists.push(['HSET', at.queue_corrupt, id, `${name} at ${now}`]);
      const bucket = key.slice(at.queue_bucket.length);
      await fix(id, text, lists, key.startsWith(at.queue_bucket) ? [bucket] : []);
    }
    env.setAside(strange);
  }

  async function checkHolds(): Promise<void> {
    const from = audited.get('holds') ?? 0;
    const last = from + PER_QUEUE - 1;
    const holds = (await link.send('ZRANGE', at.process_holds, from, last)) as string[];
    audited.set('holds', holds.length < PER_QUEUE ? 0 : from + holds.length);
    const tasks = await rows.tasks([...new Set(holds.map(taskOfHold))], true);
    for (const hold of holds) {
      const id = taskOfHold(hold);
      const task = tasks.get(id);
      if (hold === holdName(task?.row.lease?.agentId ?? '', id)) continue;
      await fix(id, task?.text ?? '', [['ZREM', at.process_holds, hold]], []);
    }
  }

  /** A few buckets at a time. */
  async function checkBucketLists(): Promise<void> {
    const numbers = [...(await buckets.all()).values()];
    const from = (audited.get('buckets') ?? 0) % Math.max(1, numbers.length);
    audited.set('buckets', from + BUCKETS_PER_LOOK);
    for (const number of numbers.slice(from, from + BUCKETS_PER_LOOK)) {
      await checkList(`bucket ${number}`, `${at.queue_bucket}${number}`);
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
