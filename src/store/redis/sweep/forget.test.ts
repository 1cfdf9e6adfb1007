// What the sweep forgets, looked at with plain commands: a list says where to look, the row says whether it may go.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  entry,
  idOf,
  sweepInput,
  type World,
} from '../../../../test/contract/store/world.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { openRedisStore } from '../redis-store.ts';

const START = Date.UTC(2026, 10, 15, 12);
const KEPT_MS = 60_000;
const RESULTS = 'banto:tasks:results';

let server: RedisServer;
let world: World;
let now: number;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.raw.flushall();
  now = START;
  const store = await openRedisStore({
    connection: { url: server.url },
    clock: { now: () => now },
  });
  world = createWorld({
    store,
    advance: (ms) => {
      now += ms;
    },
    close: () => store.close(),
  });
  return () => world.close();
});

const sweep = () => world.store.sweep({ ...sweepInput(), resultsKeptMs: KEPT_MS });
const hasResult = async () => (await world.store.task(idOf(1)))?.task.result !== null;
const listed = async () => server.raw.zrange(RESULTS, '0', '-1');

it('a result goes with its place in the list when it is old', async () => {
  await world.mirror(entry(1));
  await world.complete(await world.take('a1'));
  await sweep();
  expect([await hasResult(), await listed()]).toEqual([true, [idOf(1)]]);
  now += KEPT_MS + 1;
  await sweep();
  expect([await hasResult(), await listed()]).toEqual([false, []]);
});

it('a result that the list calls older than it is stays there until it is old', async () => {
  await world.mirror(entry(1));
  await world.complete(await world.take('a1'));
  await world.store.stats('daily', 1);
  await server.raw.zadd(RESULTS, START - 2 * KEPT_MS, idOf(1));
  const { more } = await sweep();
  expect([await hasResult(), await listed(), more]).toEqual([true, [idOf(1)], false]);
  now += KEPT_MS + 1;
  await sweep();
  expect([await hasResult(), await listed()]).toEqual([false, []]);
});

it('an entry of the list whose result is gone already goes', async () => {
  await server.raw.zadd(RESULTS, START - 2 * KEPT_MS, idOf(9));
  await sweep();
  expect(await listed()).toEqual([]);
});
