// The model test of the stores, on Redis: random sequences of verbs, clock jumps and lost answers.

import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRedisStore, type RedisStore } from '../../src/store/redis/redis-store.ts';
import { createWorld } from '../contract/store/world.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { commands, compareAtTheEnd, runCommand } from './commands.ts';
import { createModel } from './model.ts';

// A run takes some 400 round trips: fewer runs than with the embedded store.
const RUNS = Number(process.env['MODEL_RUNS'] ?? 150);
const SEED = process.env['MODEL_SEED'];

describe('the redis store', () => {
  let server: RedisServer;
  let store: RedisStore;
  let now = Date.UTC(2026, 10, 15);

  beforeAll(async () => {
    server = await startRedisServer();
    store = await openRedisStore({
      connection: { url: server.url },
      clock: { now: () => now },
    });
  });
  afterAll(async () => {
    await store.close();
    await server.stop();
  });

  /** Empties Redis without a loss that the store would notice. */
  async function reset(): Promise<void> {
    await server.raw.multi().flushall().hset('banto:meta', 'generation', store.generation()).exec();
  }

  it(`does what the model does in ${RUNS} random runs`, { timeout: 2000 * RUNS }, async () => {
    const property = fc.asyncProperty(commands, async (script) => {
      await reset();
      const advance = (ms: number) => {
        now += ms;
      };
      const world = createWorld({ store, advance, close: async () => undefined });
      const run = { world, model: createModel(await store.now()), given: [] };
      for (const command of script) await runCommand(run, command);
      await compareAtTheEnd(run);
    });
    const seed = SEED === undefined ? {} : { seed: Number(SEED) };
    const checked = fc.assert(property, { numRuns: RUNS, ...seed });
    await expect(checked).resolves.toBeUndefined();
  });
});
