import { afterAll, beforeAll, beforeEach } from 'vitest';
import { testStore } from '../../../test/contract/store.ts';
import { type RedisServer, startRedisServer } from '../../../test/support/redis-server.ts';
import { openRedisStore } from './redis-store.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());
beforeEach(() => server.raw.flushall());

testStore('redis', async () => {
  let now = Date.UTC(2026, 10, 15);
  const open = () => openRedisStore({ connection: { url: server.url }, clock: { now: () => now } });
  let store = await open();
  return {
    store,
    advance(ms) {
      now += ms;
    },
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    close: () => store.close(),
  };
});
