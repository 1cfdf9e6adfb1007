// A look for those who wait, on Redis: what it asks for does not grow with the kinds of work that are ready. Counted in
// commands, not in time.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { createChooser } from '../../src/broker/hand-out/chooser.ts';
import { createPairing } from '../../src/broker/waiting/pairing.ts';
import type { Ticket } from '../../src/core/ticket.ts';
import { openRedisStore } from '../../src/store/redis/redis-store.ts';
import { createWorld, entry, type World } from '../contract/store/world.ts';
import { leastCommands } from '../support/redis-commands.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';

let server: RedisServer;
let world: World;
beforeEach(async () => {
  server = await startRedisServer();
  const store = await openRedisStore({ connection: { url: server.url } });
  world = createWorld({ store, advance: () => undefined, close: () => store.close() });
});
afterEach(async () => {
  await world.close();
  await server.stop();
});

const waiting = (capabilities: string[]): Ticket => ({
  id: 't1',
  agentId: 'a1',
  instanceId: 'i1',
  capabilities,
  requestId: 'r1',
  kinds: null,
  repositories: null,
  leaseSeconds: 60,
  createdAt: 0,
});

it('asks for as much with 300 kinds of work as with 20', async () => {
  const { store } = world;
  const numbers = Array.from({ length: 300 }, (_, index) => index + 1);
  const labelled = (number: number) => entry(number, { labels: [`label-${number}`] });
  await store.learn(numbers.map((number) => `label-${number}`));
  const serve = () => Promise.reject(new Error('Nothing is handed out here.'));
  const context = { store, instanceId: 'i1' } as Parameters<typeof createPairing>[0];
  const pairing = createPairing(context, createChooser(store), serve);
  const look = async () => expect(await pairing.workFor([waiting(['cobol'])])).toBeNull();
  const settle = async () => {
    await look();
    await store.stats('daily', 1);
  };
  const commandsOfLook = () => leastCommands(server, settle, look);
  await world.mirror(...numbers.slice(0, 20).map(labelled));
  const few = await commandsOfLook();
  await world.mirror(...numbers.map(labelled));
  expect(await commandsOfLook()).toBeLessThanOrEqual(few);
  expect((await pairing.workFor([waiting(['label-300'])]))?.keys).toHaveLength(1);
});
