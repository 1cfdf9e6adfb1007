import { afterAll, beforeAll, expect, it } from 'vitest';
import { entry } from '../../../../test/contract/store/world.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { openRedisStore } from '../redis-store.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());

it('files the backlog again once, however many agents bring a capability at the same time', async () => {
  const store = await openRedisStore({ connection: { url: server.url } });
  await store.mirror(Array.from({ length: 300 }, (_, index) => entry(index + 1)));
  await server.raw.config('RESETSTAT');
  await Promise.all(Array.from({ length: 20 }, () => store.learn(['python'])));
  const stats = await server.raw.info('commandstats');
  const steps = Number(/cmdstat_sscan:calls=(\d+)/.exec(stats)?.[1]);
  expect(steps).toBeLessThan(10);
  const { buckets, unlearned } = await store.registry();
  expect(unlearned).toEqual([]);
  const peeks = await store.peek(buckets, 0);
  expect(peeks.reduce((sum, { ready }) => sum + ready, 0)).toBe(300);
  await store.close();
});
