// What a heartbeat and a look at its task cost does not grow with the heartbeats before it: counted in
// commands, bytes and facts, not in time.

import { afterEach, describe, expect, it } from 'vitest';
import { openRedisStore } from '../src/store/redis/redis-store.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { createWorld, entry, idOf, type World } from './contract/store/world.ts';
import { countCommands } from './support/redis-commands.ts';
import { type RedisServer, startRedisServer } from './support/redis-server.ts';
import { scratchDir } from './support/scratch.ts';

const HEARTBEATS = 10_000;
/** How often each cost is taken. */
const TIMES = 7;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function around(store: World['store']): World {
  ends.push(() => store.close());
  return createWorld({ store, advance: () => undefined, close: () => store.close() });
}

type Beat = (progress: string | null) => Promise<unknown>;

async function leased(world: World): Promise<Beat> {
  await world.mirror(entry(1));
  const { lease } = await world.take('a1');
  const call = { taskId: idOf(1), token: lease.token, agentId: 'a1' };
  return (progress) => world.store.heartbeat({ ...call, progress });
}

async function many(beat: Beat, noted: boolean): Promise<void> {
  for (let n = 0; n < HEARTBEATS; n += 100) {
    const notes = Array.from({ length: 100 }, (_, index) => (noted ? `note ${n + index}` : null));
    // One after the other, as an agent sends them.
    for (const note of notes) await beat(note);
  }
}

const sizeOf = async (world: World) => JSON.stringify(await world.store.task(idOf(1))).length;

interface Cost {
  readonly commands: number;
  readonly kilobytes: number;
}

/** Commands that Redis ran meanwhile, and bytes that it sent. */
async function costOnce(server: RedisServer, act: () => Promise<unknown>): Promise<Cost> {
  const commands = await countCommands(server, act);
  const sent = /total_net_output_bytes:(\d+)/.exec(await server.raw.info('stats'))?.[1];
  return { commands, kilobytes: Math.round(Number(sent) / 1024) };
}

/**
 * Display of what happened before, and that an agent was heard of, the store writes when it has time, which may be
 * now. A look before leaves nothing to display; the least of several times is without the rest.
 */
async function costOf(
  server: RedisServer,
  look: () => Promise<unknown>,
  act: () => Promise<unknown>,
): Promise<Cost> {
  const times: Cost[] = [];
  for (let n = 0; n < TIMES; n += 1) {
    await look();
    times.push(await costOnce(server, act));
  }
  return {
    commands: Math.min(...times.map(({ commands }) => commands)),
    kilobytes: Math.min(...times.map(({ kilobytes }) => kilobytes)),
  };
}

describe('after 10,000 heartbeats', () => {
  for (const noted of [false, true]) {
    const kind = noted ? 'with a new note each' : 'without a note';

    it(`${kind}, Redis does as much for the next one, and for a look, as after 200`, async () => {
      const server = await startRedisServer();
      ends.push(() => server.stop());
      let now = Date.now();
      const clock = { now: () => now };
      const world = around(await openRedisStore({ connection: { url: server.url }, clock }));
      const renew = await leased(world);
      // Each at an instant of its own: what comes within the same millisecond is cheaper.
      const beat: Beat = (progress) => {
        now += 1;
        return renew(progress);
      };
      for (let n = 0; n < 200; n += 1) await beat(noted ? `first ${n}` : null);
      const look = () => world.store.task(idOf(1));
      const beatAndLook = async () => {
        await beat(noted ? `now ${now}` : null);
        await look();
      };
      const measure = async () => ({
        beat: await costOf(server, look, () => beat(null)),
        look: await costOf(server, look, look),
        both: await costOf(server, look, beatAndLook),
      });
      const before = await measure();
      await many(beat, noted);
      const after = await measure();
      expect(after.beat.commands).toBeLessThanOrEqual(before.beat.commands);
      expect(after.look.commands).toBeLessThanOrEqual(before.look.commands);
      expect(after.both.commands).toBeLessThanOrEqual(before.both.commands);
      expect(after.look.kilobytes).toBeLessThanOrEqual(before.look.kilobytes + 16);
      expect(after.both.kilobytes).toBeLessThanOrEqual(before.both.kilobytes + 16);
      const record = await server.raw.memory('USAGE', `banto:task:info:${idOf(1)}`);
      expect(record).toBeLessThan(5000);
      expect(await server.raw.llen(`banto:task:history:${idOf(1)}`)).toBeLessThanOrEqual(1100);
      expect(await sizeOf(world)).toBeLessThan(40_000);
    }, 120_000);

    it(`${kind}, SQLite answers a look as short as after 200`, async () => {
      const world = around(await openSqliteStore({ dataDir: scratchDir() }));
      const beat = await leased(world);
      for (let n = 0; n < 200; n += 1) await beat(noted ? `first ${n}` : null);
      const [size, seq] = [await sizeOf(world), await world.store.lastSeq()];
      await many(beat, noted);
      expect(Math.abs((await sizeOf(world)) - size)).toBeLessThan(1000);
      if (!noted) expect((await world.store.lastSeq()) - seq).toBeLessThan(10);
    }, 120_000);
  }
});
