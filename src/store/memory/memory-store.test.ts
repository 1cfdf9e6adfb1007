import { testStore } from '../../../test/contract/store.ts';
import { createMapArchive } from '../../../test/support/memory-store/map-archive.ts';
import { createMemoryStore } from '../../../test/support/memory-store/memory-store.ts';

testStore('memory', async () => {
  const archive = createMapArchive();
  let now = Date.UTC(2026, 10, 15, 9, 30);
  const open = () => createMemoryStore(archive, { clock: { now: () => now } });
  let current = open();
  return {
    store: current,
    advance(ms) {
      now += ms;
    },
    async reopen() {
      await current.close();
      current = open();
      return current;
    },
    close: () => current.close(),
  };
});
