// What the sweep asks Redis for does not grow with what there is: counted in commands, not in time. And heads of
// buckets that are wrong are made right, however they became so.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  entry,
  idOf,
  sweepInput,
  type World,
} from '../../../../test/contract/store/world.ts';
import { countCommands } from '../../../../test/support/redis-commands.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { openRedisStore } from '../redis-store.ts';

const NOW = Date.UTC(2026, 10, 15);
const HEADS = 'banto:queue:heads';

let server: RedisServer;
let world: World;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.raw.flushall();
  const connection = { url: server.url };
  const store = await openRedisStore({ connection, clock: { now: () => NOW } });
  world = createWorld({ store, advance: () => undefined, close: () => store.close() });
});
afterEach(() => world.close());

const sweep = () => world.store.sweep(sweepInput());
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/** Commands of a sweep that finds nothing to do. */
async function commandsOfSweep(): Promise<number> {
  await sweep();
  await world.store.stats('daily', 1);
  return countCommands(server, sweep);
}

describe('a sweep', () => {
  it('asks once for each list, however many issues it looks at', async () => {
    await world.mirror(...upTo(8).map((number) => entry(number)));
    await world.take('a1');
    const few = await commandsOfSweep();
    await world.mirror(...upTo(120).map((number) => entry(number)));
    for (const agent of upTo(30)) await world.take(`b${agent}`);
    expect(await commandsOfSweep()).toBeLessThan(few + 20);
  });

  it('asks for no more the more buckets there are', async () => {
    const labelled = (number: number) => entry(number, { labels: [`label-${number}`] });
    await world.store.learn(upTo(900).map((number) => `label-${number}`));
    await world.mirror(...upTo(300).map(labelled));
    const some = await commandsOfSweep();
    await world.mirror(...upTo(900).map(labelled));
    const buckets = await server.raw.zcard(HEADS);
    expect(buckets).toBe(900);
    expect(await commandsOfSweep()).toBeLessThan(some * 1.3);
  });
});

describe('heads of buckets', () => {
  const spoil: Readonly<Record<string, () => Promise<unknown>>> = {
    'that are lost': () => server.raw.del(HEADS),
    'that are no list any more': () => server.raw.set(HEADS, 'text'),
    'of which one is missing': () => server.raw.zpopmin(HEADS),
    'of which one has another score': async () => {
      const [bucket = ''] = await server.raw.zrange(HEADS, '0', '0');
      await server.raw.zadd(HEADS, 1, bucket);
    },
    'of which one belongs to no bucket': () => server.raw.zadd(HEADS, 5, '4711'),
  };
  for (const [how, harm] of Object.entries(spoil)) {
    it(`${how} are made right`, async () => {
      await world.store.learn(['python', 'rust']);
      await world.mirror(entry(1), entry(2, { labels: ['rust'] }), entry(3));
      const right = await server.raw.zrange(HEADS, '0', '-1', 'WITHSCORES');
      await harm();
      await sweep();
      expect(await server.raw.zrange(HEADS, '0', '-1', 'WITHSCORES')).toEqual(right);
      const { task } = await world.take('a1');
      expect(task.id).toBe(idOf(1));
    });
  }

  it('that are no list do not keep claims from being answered where nothing is ready', async () => {
    await server.raw.set(HEADS, 'text');
    await expect(world.claim('a1')).rejects.toThrow('WRONGTYPE');
    await sweep();
    expect(await world.claim('a1')).toMatchObject({ outcome: 'none' });
  });

  it('are not looked for where nothing is ready', async () => {
    await world.store.learn(['python', 'rust']);
    await world.mirror(entry(1), entry(2, { labels: ['rust'] }));
    await world.take('a1', { capabilities: ['python'] });
    await world.take('a2', { capabilities: ['rust'] });
    expect(await server.raw.exists(HEADS)).toBe(0);
    const before = await commandsOfSweep();
    await world.store.learn(upTo(50).map((number) => `label-${number}`));
    await world.mirror(...upTo(50).map((n) => entry(n + 2, { labels: [`label-${n}`] })));
    for (const n of upTo(50)) await world.take(`b${n}`, { capabilities: [`label-${n}`] });
    // Each bucket is asked whether it is empty, and what is in it; heads would be two commands more for each.
    expect(await commandsOfSweep()).toBeLessThan(before + 50 * 3);
  });
});
