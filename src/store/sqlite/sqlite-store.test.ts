import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testStore } from '../../../test/contract/store.ts';
import { openSqliteStore } from './sqlite-store.ts';

testStore('sqlite', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'banto-store-'));
  let now = Date.UTC(2026, 10, 15, 9, 30);
  const open = () => openSqliteStore({ dataDir, clock: { now: () => now } });
  const opened = await open();
  let current = opened;
  return {
    store: opened,
    advance(ms) {
      now += ms;
    },
    async reopen() {
      await current.close();
      current = await open();
      return current;
    },
    async close() {
      await current.close();
      await rm(dataDir, { recursive: true });
    },
  };
});
