import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createWorld, entry } from '../../../../test/contract/store/world.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { openRedisStore, type RedisStore } from '../redis-store.ts';

let server: RedisServer;
let one: RedisStore;
let other: RedisStore;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.raw.flushall();
  one = await openRedisStore({ connection: { url: server.url } });
  other = await openRedisStore({ connection: { url: server.url } });
});
afterEach(() => Promise.all([one.close(), other.close()]));

it('carries messages to an agent and back, from one instance to another, in order', async () => {
  const asked: unknown[] = [];
  const answered: unknown[] = [];
  await other.channels.listen('mirin', 'requests', (message) => asked.push(message));
  await one.channels.listen('mirin', 'responses', (message) => answered.push(message));
  expect(await one.channels.sendToAgent('mirin', { please: 'stop', n: 1 })).toBe(1);
  await one.channels.sendToAgent('mirin', { please: 'go on', n: 2 });
  await other.channels.sendFromAgent('mirin', { ok: '了解' });
  await eventually(
    async () => asked.length + answered.length,
    (count) => count === 3,
  );
  expect(asked).toEqual([
    { please: 'stop', n: 1 },
    { please: 'go on', n: 2 },
  ]);
  expect(answered).toEqual([{ ok: '了解' }]);
});

it('tells an agent of its lease on the same channel', async () => {
  const heard: { type?: string }[] = [];
  await one.channels.listen('a1', 'requests', (message) => heard.push(message as object));
  const world = createWorld({ store: other, advance: () => undefined, close: () => other.close() });
  await world.mirror(entry(7));
  await world.take('a1');
  await eventually(
    async () => heard.length,
    (count) => count === 1,
  );
  expect(heard[0]?.type).toBe('leased');
});

it('ends for the listener that ends it, and for no other', async () => {
  const first: unknown[] = [];
  const second: unknown[] = [];
  const end = await one.channels.listen('a1', 'requests', (message) => first.push(message));
  const endSecond = await one.channels.listen('a1', 'requests', (message) => second.push(message));
  await end();
  await other.channels.sendToAgent('a1', { n: 1 });
  await eventually(
    async () => second.length,
    (count) => count === 1,
  );
  expect(first).toEqual([]);
  await endSecond();
  expect(await other.channels.sendToAgent('a1', { n: 2 })).toBe(0);
});

it('refuses a name that is no agent id, so that nobody reaches another channel by it', async () => {
  await expect(one.channels.sendToAgent('events:issue', {})).rejects.toMatchObject({
    code: 'invalid_request',
  });
});
