import { rm } from 'node:fs/promises';
import { testStore } from '../../../test/contract/store.ts';
import { scratchDir } from '../../../test/support/scratch.ts';
import { openSqliteStore } from './sqlite-store.ts';

testStore('sqlite', async () => {
  const dataDir = scratchDir();
  let now = Date.UTC(2026, 10, 15, 9, 30);
  const open = () => openSqliteStore({ dataDir, clock: { now: () => now } });
  const store = await open();
  let current = store;
  return {
    store,
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
