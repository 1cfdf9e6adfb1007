// Redis away, frozen, restarted, emptied and rolled back: nothing is handed out twice, nothing is lost
// without being noticed, and no instance has to be restarted.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  entry,
  idOf,
  plan,
  sweepInput,
  type World,
} from '../../../test/contract/store/world.ts';
import { expectFactsHold } from '../../../test/support/invariants.ts';
import {
  type RedisServer,
  type RedisServerOptions,
  startRedisServer,
} from '../../../test/support/redis-server.ts';
import { succeeds } from '../../../test/support/succeeds.ts';
import { openRedisStore, type RedisStore, type RedisStoreOptions } from './redis-store.ts';

const servers: RedisServer[] = [];
const stores: RedisStore[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const server of servers.splice(0)) await server.stop();
});

async function start(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await startRedisServer(options);
  servers.push(server);
  return server;
}

async function open(
  { url }: { url: string },
  options: Partial<RedisStoreOptions> = {},
): Promise<{ store: RedisStore; world: World }> {
  const store = await openRedisStore({
    connection: { url },
    commandTimeoutMs: 1000,
    settleMs: 200,
    ...options,
  });
  stores.push(store);
  const world = createWorld({ store, advance: () => undefined, close: () => store.close() });
  return { store, world };
}

const busy = { code: 'busy' };
const isBack = (store: RedisStore) => succeeds(() => store.ping());
const taken = (world: World, agent: string) => succeeds(() => world.take(agent));

describe('while Redis is away', () => {
  it('every call is told busy, and all is well again without a restart', async () => {
    const server = await start({ aof: true });
    const { store, world } = await open(server);
    await world.mirror(entry(1), entry(2));
    const handOut = await world.take('a1');
    await server.kill();
    await expect(store.ping()).rejects.toMatchObject(busy);
    await expect(world.take('a2')).rejects.toMatchObject(busy);
    const { token } = handOut.lease;
    const beat = { taskId: handOut.task.id, token, progress: null };
    await expect(store.heartbeat(beat)).rejects.toMatchObject(busy);
    await server.start();
    await isBack(store);
    expect((await store.heartbeat(beat)).outcome).toBe('ok');
    expect((await taken(world, 'a2')).task.id).toBe(idOf(2));
    expectFactsHold(await world.facts());
  });

  it('a frozen one is noticed within the timeout, and what ran meanwhile counts once', async () => {
    const server = await start();
    const { store, world } = await open(server);
    await world.mirror(entry(1), entry(2));
    await world
      .take('warm-up')
      .then(({ task, lease }) =>
        store.release({ taskId: task.id, token: lease.token, reason: null, ledger: [] }),
      );
    server.freeze();
    const lost = world.claim('a1', { requestId: 'r1' });
    await expect(lost).rejects.toMatchObject(busy);
    server.thaw();
    await isBack(store);
    const again = await succeeds(() => world.take('a1', { requestId: 'r1' }));
    const leases = (await world.facts()).filter(({ type }) => type === 'leased');
    expect(leases).toHaveLength(2);
    expect(leases.at(-1)).toMatchObject({ agentId: 'a1', fence: again.lease.fence });
  });

  it('frozen for longer than a lease, the lease is expired once and the holder is told', async () => {
    const server = await start();
    const { store, world } = await open(server);
    await world.mirror(entry(1));
    const handOut = await world.take('a1', { leaseSeconds: 1 });
    server.freeze();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    server.thaw();
    await isBack(store);
    expect(await world.complete(handOut)).toEqual({ outcome: 'lease_lost' });
    await store.sweep(sweepInput());
    expect((await world.take('a2')).lease.fence).toBeGreaterThan(handOut.lease.fence);
    expectFactsHold(await world.facts());
  });
});

describe('a Redis that lost everything', () => {
  it('is noticed by every instance; nothing is handed out but what is proved free', async () => {
    const server = await start();
    const one = await open(server, { leaseSeconds: 600 });
    const two = await open(server, { leaseSeconds: 600 });
    await one.world.mirror(entry(1));
    const before = one.store.generation();
    const lost = await one.world.take('a1');
    const seq = await one.store.lastSeq();
    await server.kill();
    await server.start();
    await isBack(one.store);
    await isBack(two.store);
    await succeeds(() => expect(one.store.generation()).not.toBe(before));
    await succeeds(() => expect(two.store.generation()).toBe(one.store.generation()));
    expect(await one.store.lastSeq()).toBeGreaterThan(seq);

    await succeeds(() => two.world.mirror(entry(1)));
    const answer = await succeeds(() => two.world.claim('a2'));
    expect(answer).toMatchObject({ outcome: 'quarantine' });
    expect(answer.outcome === 'quarantine' && answer.untilAt - Date.now()).toBeGreaterThan(590_000);
    // An issue that is younger than the loss cannot have been handed out before it.
    await two.world.mirror(entry(2, { issue: { createdAt: Date.now() + 60_000 } }));
    expect((await two.world.take('a2')).task.id).toBe(idOf(2));
    expect(await one.world.complete(lost)).toEqual({ outcome: 'lease_lost' });
  });

  it('is noticed also when a new instance comes first and knows nothing of it', async () => {
    const server = await start();
    const old = await open(server, { leaseSeconds: 600 });
    await old.world.mirror(entry(1));
    await old.world.take('a1');
    await server.raw.flushall();
    const fresh = await open(server, { leaseSeconds: 600 });
    await fresh.world.mirror(entry(1));
    await expect(old.store.sweep(sweepInput())).rejects.toMatchObject(busy);
    expect((await fresh.world.claim('a2')).outcome).toBe('quarantine');
    expect(old.store.generation()).toBe(fresh.store.generation());
  });

  it('hands out again after one lease time, with higher fences', async () => {
    const server = await start();
    const { store, world } = await open(server, { leaseSeconds: 1 });
    await world.mirror(entry(1));
    const lost = await world.take('a1', { leaseSeconds: 1 });
    await server.raw.flushall();
    await expect(world.mirror(entry(1))).rejects.toMatchObject(busy);
    await world.mirror(entry(1));
    expect(await world.claim('a2')).toMatchObject({ outcome: 'quarantine' });
    const next = await taken(world, 'a2');
    expect(next.lease.leasedAt).toBeGreaterThanOrEqual(lost.lease.expiresAt);
    expect(next.lease.fence).toBeGreaterThan(lost.lease.fence);
    await store.ping();
  });

  it('is not suspected at a first start', async () => {
    const server = await start();
    const { world } = await open(server);
    await world.mirror(entry(1));
    expect((await world.take('a1')).task.id).toBe(idOf(1));
  });
});

describe('another server that answers', () => {
  it('makes hand-outs rest for a moment, in which everyone says what they have seen', async () => {
    const server = await start({ aof: true });
    const { store, world } = await open(server, { settleMs: 3000 });
    await world.mirror(entry(1));
    await server.kill();
    await server.start();
    await isBack(store);
    const answer = await world.claim('a1');
    expect(answer.outcome).toBe('quarantine');
    const untilAt = answer.outcome === 'quarantine' ? answer.untilAt : 0;
    const { lease } = await taken(world, 'a1');
    expect(lease.leasedAt).toBeGreaterThanOrEqual(untilAt);
    expect(lease.leasedAt).toBeLessThan(untilAt + 5000);
  });
});

describe('a failover that lost the last writes', () => {
  it('lets no fence go down, also where it lost that the clock had been set back', async () => {
    const server = await start();
    let at = 1_000_000;
    const options = { clock: { now: () => at }, leaseSeconds: 60, settleMs: 10 };
    const old = await open(server, options);
    await old.world.mirror(entry(1));
    await server.raw.save();
    const dump = join(server.dir, 'dump.rdb');
    copyFileSync(dump, `${dump}.kept`);
    at += 200_000;
    await old.store.now();
    // Set back: the store goes on from where it was, and that is what will be lost.
    at -= 100_000;
    const lost = await old.world.take('hana');
    await server.kill();
    copyFileSync(`${dump}.kept`, dump);
    await server.start();
    const young = await open(server, options);
    await isBack(old.store);
    at += 62_000;
    const again = await taken(young.world, 'kenji');
    expect(again.lease.fence).toBeGreaterThan(lost.lease.fence);
  });

  it('is noticed by whoever saw them, before anything is handed out twice', async () => {
    const server = await start({ aof: true });
    const saw = await open(server, { leaseSeconds: 600 });
    const blind = await open(server, { leaseSeconds: 600 });
    await saw.world.mirror(entry(1, { plans: [plan(idOf(1), { priority: 100 })] }));
    // The copy that will be promoted is made here; the lease is not in it.
    const replica = await start({ replicaOf: server });
    await succeeds(async () =>
      expect(await replica.raw.info('replication')).toContain('master_link_status:up'),
    );
    await succeeds(async () => expect(await replica.raw.exists('banto:meta')).toBe(1));
    await replica.raw.replicaof('NO', 'ONE');
    const lost = await saw.world.take('a1');
    const snapshot = await dump(replica);
    await server.kill();
    await server.start();
    await server.raw.flushall();
    await restore(server, snapshot);
    await server.raw.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await isBack(blind.store);
    await isBack(saw.store);
    // Not only for the moment in which instances are heard: for a whole lease.
    await succeeds(async () => {
      const answer = await blind.world.claim('a2');
      const untilAt = answer.outcome === 'quarantine' ? answer.untilAt : 0;
      expect(untilAt - Date.now()).toBeGreaterThan(590_000);
    });
    // Whoever asks while data is being compared is told busy.
    const shown = await succeeds(() => saw.world.task(idOf(1)));
    expect(shown.fence).toBeLessThan(lost.lease.fence);
    expect(saw.store.generation()).toBe(blind.store.generation());
  });

  async function dump(from: RedisServer): Promise<[string, Buffer][]> {
    const keys = await from.raw.keys('*');
    return Promise.all(
      keys.map(async (key): Promise<[string, Buffer]> => [key, await from.raw.dumpBuffer(key)]),
    );
  }

  async function restore(to: RedisServer, snapshot: [string, Buffer][]): Promise<void> {
    for (const [key, bytes] of snapshot) await to.raw.restore(key, 0, bytes, 'REPLACE');
  }
});

describe('a Redis that cannot be trusted', () => {
  it('is refused when it evicts keys, with the sentence that says what to set', async () => {
    const server = await start({ args: ['--maxmemory-policy', 'allkeys-lru'] });
    await expect(open(server)).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('CONFIG SET maxmemory-policy noeviction'),
    });
  });

  it('is refused when an earlier version of Banto wrote its data, and nothing is changed', async () => {
    const server = await start();
    await server.raw.hset('banto:meta', 'generation', 'old');
    await expect(open(server)).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('an earlier version of Banto'),
    });
    expect(await server.raw.hgetall('banto:meta')).toEqual({ generation: 'old' });
  });

  it('is warned of when it keeps nothing on disk', async () => {
    const warnings: string[] = [];
    const log = (message: string) => void warnings.push(message);
    await open(await start(), { log });
    expect(warnings.join()).toContain('appendonly yes');
    warnings.length = 0;
    await open(await start({ aof: true }), { log });
    expect(warnings).toEqual([]);
  });

  it('is busy, not open, when nobody answers', async () => {
    const server = await start();
    await server.kill();
    await expect(open(server)).rejects.toMatchObject(busy);
  });

  it('that is full refuses a step as a whole', async () => {
    const server = await start();
    const { store, world } = await open(server);
    await world.mirror(entry(1));
    await world.claim('warm-up', { groups: [] });
    const seq = await store.lastSeq();
    await server.raw.config('SET', 'maxmemory', '1');
    await expect(world.mirror(entry(2))).rejects.toMatchObject(busy);
    await expect(world.claim('a1')).rejects.toMatchObject(busy);
    await server.raw.config('SET', 'maxmemory', '0');
    expect(await store.lastSeq()).toBe(seq);
    expect((await world.take('a1')).task.id).toBe(idOf(1));
  });
});
