// The sweep's look at rows and lists, a few at a time. Rows are right; a list that says something else, because a
// command failed or a key was removed by hand, is made right from them.

import type { Keys } from './keys.ts';
import type { Link } from './link.ts';
import type { Rows } from './rows.ts';
import { isOpenRow, type Standing } from './standing.ts';
import type { ListChange, Steps } from './steps.ts';
import { decodeFiled, decodeLedgerText, type FiledTask, issueOfName } from './texts.ts';

const PER_LOOK = 300;
const PER_QUEUE = 50;

export type Audit = () => Promise<void>;

interface Auditing {
  readonly link: Link;
  readonly keys: Keys;
  readonly rows: Rows;
  readonly steps: Steps;
  readonly standing: Standing;
  readonly now: () => Promise<number>;
  readonly setAside: (ids: readonly string[]) => void;
}

export function createAudit(env: Auditing): Audit {
  const { link, keys, rows, steps, standing } = env;
  const { at } = keys;
  let cursor = '0';
  const audited = new Map<string, number>();

  async function apply(task: FiledTask, lists: readonly ListChange[]): Promise<void> {
    await steps.change({
      rows: [[task.row.id, task.text, '=']],
      lists,
      facts: [],
      until: null,
      places: null,
      filing: '',
      buckets: task.row.state === 'ready' ? [task.bucket] : [],
      timed: false,
    });
  }

  async function checkTask(task: FiledTask): Promise<void> {
    const { row } = task;
    const lists: ListChange[] = [];
    const places = [...standing.places(task)];
    const scores = await Promise.all(
      places.map(([key]) => link.send('ZSCORE', key, row.id).catch(() => null)),
    );
    for (const [index, [key, score]] of places.entries()) {
      if (Number(scores[index] ?? Number.NaN) !== score)
        lists.push(['ZADD', key, String(score), row.id]);
    }
    if (row.lease !== null) {
      const key = `${at.process_holds}${row.lease.agentId}`;
      const held = await link.send('SISMEMBER', key, row.id).catch(() => 0);
      if (held !== 1) lists.push(['SADD', '@', key, row.id]);
    }
    if (lists.length > 0) await apply(task, lists);
  }

  async function checkLedger(name: string, text: string): Promise<void> {
    const ref = issueOfName(name.slice(1));
    const { row } = decodeLedgerText(ref, text);
    if (row.writes.length === 0) return;
    const found = await link.send('ZSCORE', at.outbox_due, name.slice(1)).catch(() => null);
    if (found !== null) return;
    const due = Math.min(...row.writes.map(({ availableAt }) => availableAt));
    await steps.change({
      rows: [[name, text, '=']],
      lists: [['ZADD', at.outbox_due, String(due), name.slice(1)]],
      facts: [],
      until: null,
      places: null,
      filing: '',
      buckets: [],
      timed: false,
    });
  }

  async function checkRows(): Promise<void> {
    const [next, flat] = (await link.send('HSCAN', at.rows, cursor, 'COUNT', PER_LOOK)) as [
      string,
      string[],
    ];
    cursor = next;
    const checks: Promise<void>[] = [];
    for (let index = 0; index < flat.length; index += 2) {
      const name = flat[index] ?? '';
      const text = flat[index + 1] ?? '';
      if (name.startsWith('#')) checks.push(checkLedger(name, text));
      if (!/^[!#?:]/.test(name)) {
        const task = decodeFiled(name, text);
        if (isOpenRow(task.row)) checks.push(checkTask(task));
      }
    }
    await Promise.all(checks);
  }

  /** Entries of the queues that belong to no ready task are set aside. */
  async function checkQueue(name: 'high' | 'normal' | 'low'): Promise<void> {
    const key = at[`queue_${name}`];
    const from = audited.get(name) ?? 0;
    const ids = (await link.send('ZRANGE', key, from, from + PER_QUEUE - 1)) as string[];
    audited.set(name, ids.length < PER_QUEUE ? 0 : from + ids.length);
    const texts = await rows.read(ids);
    const strange = ids.filter((_, index) => !(texts[index] ?? '').startsWith('r'));
    if (strange.length === 0) return;
    const now = await env.now();
    for (const id of strange) {
      // Compared with what was looked at: it may have become ready meanwhile.
      await steps.change({
        rows: [[id, texts[ids.indexOf(id)] ?? '', '=']],
        lists: [
          ['ZREM', key, id],
          ['HSET', at.queue_corrupt, id, `queue ${name} at ${now}`],
        ],
        facts: [],
        until: null,
        places: null,
        filing: '',
        buckets: [],
        timed: false,
      });
    }
    env.setAside(strange);
  }

  return async () => {
    await checkRows();
    for (const name of ['high', 'normal', 'low'] as const) await checkQueue(name);
    await link.run('check_heads', []);
  };
}
