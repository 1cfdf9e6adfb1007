// Several instances derive from the same facts at the same time: each fact counts once. What people see of many tasks
// comes in parts, and is right in the end whoever derived it.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createWorld, entry, idOf, type World } from '../../../../test/contract/store/world.ts';
import { task } from '../../../../test/support/decide.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { openClient } from '../connection/connect.ts';
import { openSilent } from '../connection/silent.ts';
import { createIdentifiers, createKeys } from '../keys.ts';
import { openRedisStore, type RedisStore } from '../redis-store.ts';
import type { CountedFact } from '../rows/fact-lines.ts';
import { DEFAULT_TTLS } from '../ttl.ts';
import { createProjection } from './projection.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());
beforeEach(() => server.raw.flushall());

const TASKS = 120;

async function openWorld(): Promise<{ world: World; store: RedisStore }> {
  const repositories = ['octo/park'];
  const store = await openRedisStore({ connection: { url: server.url }, repositories });
  const close = () => store.close();
  return { store, world: createWorld({ store, advance: () => undefined, close }) };
}

async function commands(name: string): Promise<number> {
  const stats = await server.raw.info('commandstats');
  return Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

const MANY = 240;
const numbers = Array.from({ length: MANY }, (_, index) => index + 1);

/** What people see of each task and of its issue. */
async function seen(): Promise<string[]> {
  const all = numbers.map(async (number) => {
    const [state, agent] = await server.raw.hmget(
      `banto:task:info:${idOf(number)}`,
      'state',
      'agent',
    );
    const [shown, holder] = await server.raw.hmget(
      `banto:issue:status:${number}`,
      'state',
      'holder',
    );
    const result = await server.raw.hget(`banto:task:result:${idOf(number)}`, 'agent');
    return [state, agent, shown, holder, result].join(' ');
  });
  return Promise.all(all);
}

it('what people see of many tasks is written in parts, and all of it is there in the end', async () => {
  const { world, store } = await openWorld();
  await world.mirror(...numbers.map((number) => entry(number)));
  await store.stats('daily', 1);
  await server.raw.config('RESETSTAT');
  const handOuts = await Promise.all(numbers.map((number) => world.take(`a${number}`)));
  await store.stats('daily', 1);
  expect(await commands('exec')).toBeGreaterThan(MANY / 60);
  expect(await server.raw.scard('banto:issues:processing')).toBe(MANY);
  await Promise.all(handOuts.map((handOut) => world.complete(handOut)));
  await store.stats('daily', 1);
  const agents = new Map(handOuts.map(({ task, lease }) => [task.id, lease.agentId]));
  expect(await seen()).toEqual(numbers.map((n) => `done  done  ${agents.get(idOf(n))}`));
  expect(await server.raw.scard('banto:issues:processing')).toBe(0);
  const { counts } = await store.queue(0);
  expect(counts).toEqual([{ state: 'done', kind: 'implement', priority: 50, count: MANY }]);
  await store.close();
});

it('nothing is written any more where somebody else has derived between two parts', async () => {
  const client = openClient(
    { url: server.url },
    { commandTimeoutMs: 5000, connectTimeoutMs: 5000 },
  );
  const keys = createKeys({ namespace: 'banto' });
  const silent = await openSilent(client, keys.at.facts_projected, () => undefined);
  const marks: (string | null)[] = [];
  let sent = Promise.resolve();
  const facts = numbers.map((number): CountedFact => {
    const row = task({ id: idOf(number), number, state: 'ready' });
    const fact = { type: 'ready', taskId: row.id, state: 'ready', reason: null } as const;
    const shift = { from: 'none', to: 'ready', before: 50, after: 50 } as const;
    return { fact: { seq: number, at: 0, ...fact }, shift, left: { row, leased: false } };
  });
  const projection = createProjection({
    link: { send: (command: string, ...args: string[]) => server.raw.call(command, ...args) },
    silent: {
      ...silent,
      send(key: string, fill: Parameters<typeof silent.send>[1]) {
        const before = sent;
        const sendNext = async () => {
          await before;
          await silent.send(key, fill);
          marks.push(await server.raw.get(keys.at.facts_projected));
          if (marks.length === 2) await server.raw.set(keys.at.facts_projected, `${MANY} other`);
        };
        sent = sendNext();
        return sent;
      },
    },
    keys,
    identifiers: createIdentifiers(() => 'octo/park'),
    works: { found: async () => new Map() },
    ttls: DEFAULT_TTLS,
    log: { lastSeq: async () => MANY, next: async () => facts },
  } as unknown as Parameters<typeof createProjection>[0]);
  expect(await projection.catchUp()).toBe(MANY);
  // Parts leave the mark alone. Those before it was another's are there, of those after it nothing is.
  expect(marks.slice(0, 2)).toEqual([null, null]);
  expect(marks.at(-1)).toBe(`${MANY} other`);
  expect((await seen()).filter((text) => text.startsWith('ready'))).toHaveLength(100);
  expect(await server.raw.zcard(`${keys.at.tasks_state}ready`)).toBe(0);
  expect(await server.raw.hlen(keys.at.queue_counts)).toBe(0);
  silent.close();
});

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
