// Several instances derive from the same facts at the same time: each fact counts once.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, entry, type World } from '../../../../test/contract/store/world.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { openRedisStore, type RedisStore } from '../redis-store.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());

const TASKS = 120;

it('each fact is derived from once, however many instances look at once', async () => {
  const stores: RedisStore[] = [];
  for (let count = 0; count < 3; count += 1) {
    stores.push(await openRedisStore({ connection: { url: server.url } }));
  }
  const worlds = stores.map((store) =>
    createWorld({ store, advance: () => undefined, close: () => store.close() }),
  );
  const world = (index: number): World => worlds[index % worlds.length] as World;
  await world(0).mirror(...Array.from({ length: TASKS }, (_, index) => entry(index + 1)));

  let working = true;
  const looking = stores.map(async (store) => {
    while (working) await store.stats('daily', 1);
  });
  await Promise.all(
    Array.from({ length: TASKS }, async (_, index) => {
      const handOut = await world(index).take(`a${index}`);
      await world(index + 1).complete(handOut);
    }),
  );
  working = false;
  await Promise.all(looking);

  for (const store of stores) {
    const [today] = await store.stats('daily', 1);
    expect(today?.counters).toMatchObject({ handed_out: TASKS, completed: TASKS });
    const { counts } = await store.queue(0);
    expect(counts).toEqual([{ state: 'done', kind: 'implement', priority: 50, count: TASKS }]);
    expect((await store.tasks({ state: 'done', limit: 1000 })).tasks).toHaveLength(TASKS);
  }
  for (const store of stores) await store.close();
});
