// Every list that a step changes is broken in turn, so that its command fails. The verb is done all the same: rows and
// facts are right, nothing is handed out twice, and the sweep makes the list right from the rows.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  entry,
  followUp,
  idOf,
  sweepInput,
  type World,
} from '../../../../test/contract/store/world.ts';
import { expectFactsHold } from '../../../../test/support/invariants.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { openRedisStore, type RedisStore } from '../redis-store.ts';

let server: RedisServer;
let now = Date.UTC(2026, 10, 15);
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());

let namespace = 'n0';
let opened = 0;

async function open(): Promise<{ store: RedisStore; world: World }> {
  const store = await openRedisStore({
    connection: { url: server.url },
    namespace,
    clock: { now: () => now },
  });
  const advance = (ms: number) => {
    now += ms;
  };
  return { store, world: createWorld({ store, advance, close: () => store.close() }) };
}

/** A story in which every list of a task is used: ready, leased, delayed, reserved, done, with writes. */
const STORY: readonly ((world: World) => Promise<unknown>)[] = [
  ({ mirror }) => mirror(entry(1), entry(2, { dependsOn: [1] }), entry(3)),
  ({ store }) => store.learn(['python']),
  ({ take }) => take('a1', { token: 'one' }),
  ({ store }) => store.heartbeat({ taskId: idOf(1), token: 'one', progress: 'half' }),
  ({ store }) =>
    store.complete({
      taskId: idOf(1),
      token: 'one',
      summary: 'did it',
      prNumber: 7,
      verdict: null,
      comments: [],
      followUp: followUp(idOf(1, 'fix'), { authorFirstMs: 3_600_000 }),
      ledger: ['done'],
    }),
  ({ take }) => take('a2', { token: 'two' }),
  ({ store }) =>
    store.fail({
      taskId: idOf(2),
      token: 'two',
      reason: 'broke',
      retryable: true,
      retryDelaysMs: [3_600_000],
      delayMs: null,
      ledger: [],
      deadLedger: [],
    }),
  ({ store }) => store.prioritize({ taskId: idOf(3), priority: 100 }),
];

const LISTS = [
  'queue:bucket:*',
  'queue:high',
  'queue:normal',
  'queue:delayed',
  'queue:opening',
  'queue:counts',
  'leases:deadline',
  'outbox:due',
  'process:holds',
  'process:info:a1',
  'processes:known',
  'issues:open:octo/park',
  'issues:dependents:octo/park:1',
  'labels:issues:python',
  'tasks:all',
  'task:info:octo~park~1~implement.1',
  'task:history:octo~park~1~implement.1',
  'issue:status:octo~park~1',
  'stats:performance:hourly',
];

/** What the rows say. */
async function told(): Promise<unknown> {
  const rows = await server.raw.hgetall(`${namespace}:rows`);
  const names = Object.keys(rows).filter((name) => !name.startsWith('?'));
  // How often a row was written, and the ledger, whose writes the sweep may have taken up meanwhile, are left out.
  return names.sort().map((name) => {
    const [, issue, , ...tasks] = (rows[name] ?? '').replace(/^(L.*\n)+/, '').split('\n');
    return [name, issue, tasks];
  });
}

/** Lists by which tasks are found. */
async function lists(): Promise<unknown> {
  const found: Record<string, string[]> = {};
  for (const pattern of ['queue:*', 'leases:deadline', 'outbox:due', 'process:holds']) {
    for (const key of (await server.raw.keys(`${namespace}:${pattern}`)).sort()) {
      if (/corrupt|counts|buckets|heads/.test(key)) continue;
      const type = await server.raw.type(key);
      found[key.slice(namespace.length)] =
        type === 'zset'
          ? await server.raw.zrange(key, '0', '-1', 'WITHSCORES')
          : Object.entries(await server.raw.hgetall(key)).flat();
    }
  }
  return found;
}

interface Breaks {
  readonly at: number;
  readonly list: string;
}

async function tell(breaks: Breaks | null) {
  now = Date.UTC(2026, 10, 15);
  opened += 1;
  namespace = `n${opened}`;
  const { store, world } = await open();
  try {
    return await play(store, world, breaks);
  } finally {
    await store.close();
  }
}

async function play(store: RedisStore, world: World, breaks: Breaks | null) {
  for (const [index, step] of STORY.entries()) {
    now += 10;
    const broken: [string, string | null][] = [];
    if (breaks?.at === index) {
      const keys = breaks.list.includes('*')
        ? await server.raw.keys(`${namespace}:${breaks.list}`)
        : [`${namespace}:${breaks.list}`];
      for (const key of keys) {
        const kept = (await server.raw.exists(key)) === 1 ? `${key}:kept` : null;
        if (kept !== null) await server.raw.rename(key, kept);
        await server.raw.set(key, 'broken');
        broken.push([key, kept]);
      }
    }
    await step(world);
    for (const [key, kept] of broken) {
      await server.raw.del(key);
      if (kept !== null) await server.raw.rename(kept, key);
    }
    if (breaks !== null && breaks.at !== index) continue;
    for (let time = 0; time < 2; time += 1) await store.sweep(sweepInput());
  }
  const rows = await told();
  expectFactsHold(await world.facts());
  return { rows, lists: await lists() };
}

describe('a list that cannot be changed', () => {
  it.each(LISTS)('%s: rows and facts are right, and the sweep makes it right', async (list) => {
    const expected = await tell(null);
    for (const at of STORY.keys()) {
      const choosing = STORY[at]?.toString().includes('take(') === true;
      // What a claim or `learn` cannot look at, it cannot choose from; nothing is changed then.
      if (choosing && /bucket|queue:|holds/.test(list)) continue;
      if (at === 1 && list.startsWith('labels:issues')) continue;
      const found = await tell({ at, list });
      expect(found.rows, `step ${at}`).toEqual(expected.rows);
      expect(found.lists, `step ${at}`).toEqual(expected.lists);
    }
  });
});
