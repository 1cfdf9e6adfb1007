// What the sweep asks Redis for does not grow with the issues that it looks at: counted in commands, not in time.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, entry, sweepInput } from '../../../../test/contract/store/world.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { openRedisStore } from '../redis-store.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());

/** Commands of a sweep that finds nothing to do, those inside functions too. */
async function commandsOfSweep(issues: number): Promise<number> {
  await server.raw.flushall();
  const now = Date.UTC(2026, 10, 15);
  const store = await openRedisStore({
    connection: { url: server.url },
    clock: { now: () => now },
  });
  const world = createWorld({ store, advance: () => undefined, close: () => store.close() });
  await world.mirror(...Array.from({ length: issues }, (_, index) => entry(index + 1)));
  for (let agent = 0; agent < issues / 4; agent += 1) await world.take(`a${agent}`);
  await store.sweep(sweepInput());
  await store.stats('daily', 1);
  await server.raw.call('CONFIG', 'RESETSTAT');
  await store.sweep(sweepInput());
  const stats = await server.raw.info('commandstats');
  await store.close();
  const calls = stats.matchAll(/^cmdstat_(?!config|info|client|publish)[^:]+:calls=(\d+)/gm);
  return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
}

it('asks once for each list, however many issues it looks at', async () => {
  const few = await commandsOfSweep(8);
  const many = await commandsOfSweep(120);
  expect(many).toBeLessThan(few + 20);
});
