// Random sequences of verbs, clock jumps and lost answers: the store against the model, shrunk to a readable case.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/core/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createWorld } from '../contract/store/world.ts';
import { createMapArchive } from '../support/memory-store/map-archive.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { scratchDir } from '../support/scratch.ts';
import { commands, compareAtTheEnd, runCommand } from './commands.ts';
import { createModel } from './model.ts';

const RUNS = Number(process.env['MODEL_RUNS'] ?? 2_000);
const SEED = process.env['MODEL_SEED'];

interface ModelledStore {
  store: Store;
  readonly advance: (ms: number) => void;
  /** Empties the store between runs: opening one for each would take most of the time. */
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
}

function testStoreModel(name: string, setup: () => Promise<ModelledStore>, runs = RUNS): void {
  describe(`the ${name} store`, () => {
    it(`does what the model does in ${runs} random runs`, { timeout: 2000 * runs }, async () => {
      const under = await setup();
      const property = fc.asyncProperty(commands, async (script) => {
        await under.reset();
        const world = createWorld(under);
        const run = { world, model: createModel(await under.store.now()), given: [] };
        for (const command of script) await runCommand(run, command);
        await compareAtTheEnd(run);
      });
      const seed = SEED === undefined ? {} : { seed: Number(SEED) };
      try {
        const checked = fc.assert(property, { numRuns: runs, ...seed });
        await expect(checked).resolves.toBeUndefined();
      } finally {
        await under.close();
      }
    });
  });
}

testStoreModel('memory', async () => {
  let now = Date.UTC(2026, 10, 15);
  const open = () => createMemoryStore(createMapArchive(), { clock: { now: () => now } });
  const under: ModelledStore = {
    store: open(),
    advance(ms) {
      now += ms;
    },
    async reset() {
      under.store = open();
    },
    close: () => under.store.close(),
  };
  return under;
});

// A file for each run: fewer of them than in memory, where the same decisions are applied.
testStoreModel(
  'sqlite',
  async () => {
    const dataDir = scratchDir();
    let now = Date.UTC(2026, 10, 15);
    let run = 0;
    const open = () =>
      openSqliteStore({ dataDir: join(dataDir, `${run}`), clock: { now: () => now } });
    const under: ModelledStore = {
      store: await open(),
      advance(ms) {
        now += ms;
      },
      async reset() {
        await under.close();
        run += 1;
        under.store = await open();
      },
      async close() {
        await under.store.close();
        rmSync(dataDir, { recursive: true });
      },
    };
    return under;
  },
  Math.ceil(RUNS / 8),
);
