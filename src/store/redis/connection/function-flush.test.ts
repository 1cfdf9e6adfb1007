// Somebody removed every function from Redis (FUNCTION FLUSH): the data is all there, and whatever is asked
// next brings the functions back.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, entry, idOf, type World } from '../../../../test/contract/store/world.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { openRedisStore, type RedisStore } from '../redis-store.ts';

let server: RedisServer;
let store: RedisStore;
let world: World;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.raw.flushall();
  store = await openRedisStore({ connection: { url: server.url } });
  world = createWorld({ store, advance: () => undefined, close: () => store.close() });
  await world.mirror(entry(1), entry(2));
});
afterEach(() => store.close());

const READS: Record<string, () => Promise<unknown>> = {
  now: () => store.now(),
  lastSeq: () => store.lastSeq(),
  registry: () => store.registry(),
  filled: () => store.filled(),
  peek: async () => store.peek((await store.registry()).buckets, 10),
  task: () => store.task(idOf(1)),
  tasks: () => store.tasks({ limit: 10 }),
  issuesNumbered: () => store.issuesNumbered('octo/park', [1, 2]),
  openIssues: () => store.openIssues('octo/park', 0, 10),
  agents: () => store.agents(),
  queue: () => store.queue(10),
  stats: () => store.stats('daily', 7),
};

describe('after FUNCTION FLUSH', () => {
  for (const [name, read] of Object.entries(READS)) {
    it(`the first read of ${name} is answered as before`, async () => {
      const before = name === 'now' ? null : await read();
      await server.raw.call('FUNCTION', 'FLUSH', 'SYNC');
      const after = await read();
      if (before !== null) expect(after).toEqual(before);
    });
  }

  it('the first step is answered, and many at once are', async () => {
    await server.raw.call('FUNCTION', 'FLUSH', 'SYNC');
    const answers = await Promise.all([
      world.take('a1'),
      store.task(idOf(1)),
      store.now(),
      world.mirror(entry(3)),
      store.tickets.perAgent(),
    ]);
    expect(answers[0].task.id).toBe(idOf(1));
    await server.raw.call('FUNCTION', 'FLUSH', 'SYNC');
    expect((await world.take('a2')).task.id).toBe(idOf(2));
  });
});
