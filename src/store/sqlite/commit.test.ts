import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scratchDir } from '../../../test/support/scratch.ts';
import type { Store } from '../../core/store.ts';
import { openSqliteStore } from './sqlite-store.ts';

let dataDir: string;
let store: Store;
beforeEach(async () => {
  dataDir = scratchDir();
  store = await openSqliteStore({ dataDir });
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

const none = { implement: [], review: [], fix: [] };
const sizes = () =>
  readdirSync(dataDir).map((name) => [name, statSync(join(dataDir, name)).size] as const);

test('loops that find nothing to do write nothing to the disk', async () => {
  await store.putSetting('config:broker:x', 1);
  const before = sizes();
  for (let turn = 0; turn < 20; turn += 1) {
    await store.sweep({
      limit: 200,
      maxAttempts: 3,
      ledger: none,
      deadLedger: none,
      factsKeptMs: 1e9,
      resultsKeptMs: 1e9,
    });
    await store.takeWrites(50, 30_000);
  }
  expect(sizes()).toEqual(before);
  await store.putSetting('config:broker:x', 2);
  expect(sizes()).not.toEqual(before);
});
