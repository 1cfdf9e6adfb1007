// Opens a store that is there already, in a process of its own, and tells what that cost. Started with --expose-gc.

import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';

const collect = globalThis.gc ?? (() => undefined);
collect();
const heapBefore = process.memoryUsage().heapUsed;
const cpuBefore = process.cpuUsage();
const store = await openSqliteStore({ dataDir: process.argv[2] ?? '' });
const { counts } = await store.queue(0);
const { user, system } = process.cpuUsage(cpuBefore);
collect();
process.send?.({
  tasks: counts.reduce((sum, { count }) => sum + count, 0),
  heapBytes: process.memoryUsage().heapUsed - heapBefore,
  cpuMs: (user + system) / 1000,
});
await store.close();
process.disconnect();
