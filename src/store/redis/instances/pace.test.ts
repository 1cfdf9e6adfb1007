// The pace that instances share, on a real Redis: the contract, and what only several instances can show.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testPace } from '../../../../test/contract/pace.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import type { PaceLimits } from '../../../core/pace/pace.ts';
import { openRedisStore, type RedisStore } from '../redis-store.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());
beforeEach(() => server.raw.flushall());

testPace('Redis', async () => {
  let now = Date.now();
  const store = await openRedisStore({
    connection: { url: server.url },
    clock: { now: () => now },
  });
  return {
    open: store.openPace,
    advance(ms) {
      now += ms;
    },
    close: () => store.close(),
  };
});

const LIMITS: PaceLimits = {
  writes: { burst: 20, perMinute: 60 },
  reads: { burst: 60, perMinute: 420 },
  content: { perMinute: 78, perHour: 490 },
  sent: { perMinute: 78, perHour: null },
  writesAtOnce: 1,
  atOnce: 80,
  readReserve: 0.1,
};

describe('instances on one Redis', () => {
  let stores: RedisStore[] = [];
  beforeEach(async () => {
    const open = () => openRedisStore({ connection: { url: server.url }, commandTimeoutMs: 500 });
    stores = [await open(), await open(), await open()];
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
  });
  const paces = (identity = 'me') => stores.map((store) => store.openPace(identity, LIMITS));

  it('have one bucket, one block and one budget together, by the clock of Redis', async () => {
    const all = paces();
    const take = async (index: number) => all[index % 3]?.take('writes', 0);
    const places = await Promise.all(Array.from({ length: 30 }, (_, index) => take(index)));
    expect(places.filter((place) => place !== undefined && !('reason' in place))).toHaveLength(20);
    const budget = { of: 'core', limit: 5000, remaining: 77, resetMs: 60_000 } as const;
    await all[0]?.arrive('r1', { blockedMs: 5000, budget });
    for (const pace of all) {
      expect(await pace.leave('w1', 'write')).toMatchObject({ reason: 'blocked' });
      const known = await pace.status();
      expect(known.blockedMs).toBeGreaterThan(4500);
      expect(known.blockedMs).toBeLessThanOrEqual(5000);
      expect(known.budget).toMatchObject({ limit: 5000, remaining: 77 });
    }
  });

  it('share nothing with whoever is somebody else to the forge', async () => {
    const [mine] = paces('me');
    const [other] = paces('other');
    await mine?.arrive('r1', { blockedMs: 60_000, budget: null });
    await mine?.leave('w1', 'write');
    expect(await other?.leave('w1', 'write')).toBeNull();
    expect(await other?.status()).toEqual({ blockedMs: 0, budget: null });
  });

  it('remember what they were told while Redis was away, also when it comes back empty', async () => {
    const [one, other] = paces();
    await one?.leave('w1', 'write');
    await server.kill();
    const budget = { of: 'core', limit: 5000, remaining: 9, resetMs: 3_600_000 } as const;
    await one?.arrive('w1', { blockedMs: 600_000, budget });
    await expect(one?.leave('w2', 'write')).rejects.toMatchObject({ code: 'busy' });
    await server.start();
    const wait = await eventually(
      () => one?.leave('w2', 'write').catch(() => null) ?? Promise.resolve(null),
      (answer) => answer !== null,
    );
    expect(wait).toMatchObject({ reason: 'blocked' });
    expect(wait?.waitMs).toBeGreaterThan(590_000);
    const known = await eventually(
      () => other?.status().catch(() => null) ?? Promise.resolve(null),
      (answer) => answer !== null,
    );
    expect(known?.blockedMs).toBeGreaterThan(590_000);
    expect(known?.budget).toMatchObject({ remaining: 9 });
  });

  it('write nothing for a minute after data was lost: nobody knows what was sent before', async () => {
    const [one] = paces();
    await one?.leave('w1', 'write');
    await stores[0]?.learn(['seen']);
    await server.raw.flushall();
    await expect(one?.leave('w2', 'write')).rejects.toMatchObject({ code: 'busy' });
    const wait = await eventually(
      () => one?.leave('w2', 'write').catch(() => null) ?? Promise.resolve(null),
      (answer) => answer !== null,
    );
    expect(wait).toMatchObject({ reason: 'blocked' });
    expect(wait?.waitMs).toBeGreaterThan(50_000);
    expect(wait?.waitMs).toBeLessThanOrEqual(60_000);
  });

  it('leave keys that expire and name no secret', async () => {
    const [one] = paces('0123456789abcdef');
    await one?.take('content', 0);
    await one?.leave('w1', 'write');
    const key = 'banto:pace:state:0123456789abcdef';
    expect(await server.raw.keys('banto:pace:*')).toEqual([key]);
    expect(await server.raw.ttl(key)).toBeGreaterThan(7000);
    await one?.arrive('w1', { blockedMs: 86_400_000, budget: null });
    expect(await server.raw.ttl(key)).toBeGreaterThan(86_400);
  });
});
