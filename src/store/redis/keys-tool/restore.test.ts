// Restoring goes back in time while agents still hold what was given out since: none of it is handed out
// again before their leases have run out.

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, entry, idOf, type World } from '../../../../test/contract/store/world.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { scratchDir } from '../../../../test/support/scratch.ts';
import { succeeds } from '../../../../test/support/succeeds.ts';
import { openRedisStore, type RedisStore } from '../redis-store.ts';
import { openNamespaceKeys } from './namespace-keys.ts';

const quiet = () => undefined;
let server: RedisServer;
let file: string;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  server = await startRedisServer();
  file = join(scratchDir(), 'all.backup');
  ends.push(() => server.stop());
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(leaseSeconds: number): Promise<{ store: RedisStore; world: World }> {
  const store = await openRedisStore({ connection: { url: server.url }, leaseSeconds });
  ends.push(() => store.close());
  const world = createWorld({ store, advance: () => undefined, close: () => store.close() });
  return { store, world };
}

async function keys<T>(
  act: (room: Awaited<ReturnType<typeof openNamespaceKeys>>) => Promise<T>,
): Promise<T> {
  const connection = { url: server.url };
  const room = await openNamespaceKeys({ connection, namespace: 'banto' });
  try {
    return await act(room);
  } finally {
    await room.close();
  }
}

describe('a restore', () => {
  it('begins a new generation, in which nothing is handed out that may still be leased', async () => {
    const before = await open(600);
    await before.world.mirror(entry(1), entry(2));
    await before.store.markListed(86_400_000);
    await keys((room) => room.backup(file, quiet));
    const { lease } = await before.world.take('a1');
    const generation = before.store.generation();
    await before.store.close();

    // Right after an instance ran, although everything was listed.
    await keys((room) => room.restore(file, true, quiet));

    const { store, world } = await open(600);
    expect(store.generation()).not.toBe(generation);
    expect(await store.listed()).toBe(false);
    const answer = await world.claim('a2');
    expect(answer).toMatchObject({ outcome: 'quarantine' });
    expect(answer.outcome === 'quarantine' && answer.untilAt).toBeGreaterThanOrEqual(
      lease.expiresAt,
    );
    const beat = { taskId: idOf(1), token: lease.token, progress: null };
    expect(await store.heartbeat(beat)).toEqual({ outcome: 'lease_lost' });
    // An issue that was made after the restore cannot be leased by anybody.
    await world.mirror(entry(3, { issue: { createdAt: Date.now() + 60_000 } }));
    expect((await world.take('a2')).task.id).toBe(idOf(3));
    // The mark is used up: the next start is a start like any other.
    const next = await open(600);
    expect(next.store.generation()).toBe(store.generation());
  });

  it('hands everything out again after one lease time, with higher fences', async () => {
    const before = await open(1);
    await before.world.mirror(entry(1));
    await keys((room) => room.backup(file, quiet));
    const { lease } = await before.world.take('a1', { leaseSeconds: 1 });
    await before.store.close();
    await keys((room) => room.restore(file, true, quiet));
    const { world } = await open(1);
    expect((await world.claim('a2')).outcome).toBe('quarantine');
    const next = await succeeds(() => world.take('a2'));
    expect(next.lease.leasedAt).toBeGreaterThanOrEqual(lease.expiresAt);
    expect(next.lease.fence).toBeGreaterThan(lease.fence);
  });

  it('that was broken off half-way is as careful', async () => {
    const before = await open(600);
    await before.world.mirror(entry(1));
    await keys((room) => room.backup(file, quiet));
    await before.world.take('a1');
    await before.store.close();
    const broken = keys((room) =>
      room.restore(file, true, () => {
        throw new Error('the machine went down');
      }),
    );
    await expect(broken).rejects.toThrow('went down');
    const { world } = await open(600);
    await world.mirror(entry(1));
    expect((await world.claim('a2')).outcome).toBe('quarantine');
  });
});

describe('the mark that everything was listed', () => {
  it('ends with the Redis that it was set in, also when no data was lost', async () => {
    const kept = await startRedisServer({ aof: true });
    ends.push(() => kept.stop());
    const store = await openRedisStore({ connection: { url: kept.url }, settleMs: 1 });
    ends.push(() => store.close());
    await store.markListed(86_400_000);
    expect(await store.listed()).toBe(true);
    const { generation } = store;
    await kept.kill();
    await kept.start();
    const another = await openRedisStore({ connection: { url: kept.url }, settleMs: 1 });
    ends.push(() => another.close());
    expect(another.generation()).toBe(generation());
    expect(await another.listed()).toBe(false);
  });
});
