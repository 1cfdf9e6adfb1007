// Changes that share a step stand and fall by themselves: one that was overtaken takes nothing of the others with it.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, entry, idOf, type World } from '../../../../test/contract/store/world.ts';
import { expectFactsHold } from '../../../../test/support/invariants.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { openRedisStore, type RedisStore } from '../redis-store.ts';

let server: RedisServer;
let stores: [RedisStore, RedisStore];
let here: World;
let elsewhere: World;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.raw.flushall();
  const open = () => openRedisStore({ connection: { url: server.url } });
  stores = [await open(), await open()];
  const worldOf = (store: RedisStore) =>
    createWorld({ store, advance: () => undefined, close: () => store.close() });
  [here, elsewhere] = [worldOf(stores[0]), worldOf(stores[1])];
});
afterEach(async () => {
  for (const store of stores) await store.close();
});

const zset = (key: string) => server.raw.zrange(`banto:${key}`, '0', '-1');

describe('of changes in one step', () => {
  it('those that hold are made with all their lists, and the one that was overtaken looks again', async () => {
    await here.mirror(...[1, 2, 3, 4].map((number) => entry(number)));
    const first = await here.take('a1');
    const second = await here.take('a2');
    const third = await here.take('a3');
    const fourth = await here.take('a4');
    // Here nobody knows of it: the second lease is remembered as it was.
    await elsewhere.complete(second, { summary: 'by the other instance' });

    const answers = await Promise.all([
      here.complete(first),
      here.complete(second, { summary: 'by the other instance' }),
      here.fail(third),
    ]);
    expect(answers.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
    expect(await zset('leases:deadline')).toEqual([idOf(4)]);
    expect(await server.raw.hgetall('banto:process:holds')).toEqual({ a4: idOf(4) });
    expect(await zset('queue:delayed')).toEqual([idOf(3)]);
    expect(await server.raw.keys('banto:lock:issue:*')).toHaveLength(1);
    const ended = (await here.facts()).filter(({ type }) => type === 'completed');
    expect(ended).toHaveLength(2);
    expectFactsHold(await here.facts());
    expect((await here.complete(fourth)).outcome).toBe('ok');
  });
});
