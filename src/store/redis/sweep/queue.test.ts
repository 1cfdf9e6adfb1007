// The queue on a real Redis: scores, order, delays, locks, and entries that make no sense.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  entry,
  idOf,
  sweepInput,
  type World,
} from '../../../../test/contract/store/world.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { succeeds } from '../../../../test/support/succeeds.ts';
import { score } from '../../../core/priority.ts';
import { openRedisStore, type RedisStore } from '../redis-store.ts';

let server: RedisServer;
let raw: RedisServer['raw'];
let stores: RedisStore[];
let worlds: World[];
let logged: string[];
const key = (name: string) => `banto:${name}`;

beforeAll(async () => {
  server = await startRedisServer();
  raw = server.raw;
});
afterAll(() => server.stop());
beforeEach(async () => {
  await raw.flushall();
  logged = [];
  stores = await Promise.all(
    [1, 2, 3].map(() =>
      openRedisStore({
        connection: { url: server.url },
        log: (message) => void logged.push(message),
      }),
    ),
  );
  worlds = stores.map((store) =>
    createWorld({ store, advance: () => undefined, close: () => store.close() }),
  );
});
afterEach(() => Promise.all(stores.map((store) => store.close())));

const world = (index = 0): World => worlds[index % worlds.length] as World;

describe('the queues', () => {
  it('have exactly the score of the formula', async () => {
    await world().mirror(
      entry(1, { plan: { priority: 100 } }),
      entry(2),
      entry(3, { plan: { priority: 25 } }),
    );
    for (const [number, queue, priority] of [
      [1, 'high', 100],
      [2, 'normal', 50],
      [3, 'low', 25],
    ] as const) {
      const { enqueuedAt } = await world().task(idOf(number));
      const found = await raw.zscore(key(`queue:${queue}`), idOf(number));
      expect(Number(found)).toBe(score(priority, enqueuedAt ?? 0));
    }
  });

  it('are strictly rising and first come, first served, also across instances', async () => {
    const numbers = Array.from({ length: 90 }, (_, index) => index + 1);
    await Promise.all(numbers.map((number) => world(number).mirror(entry(number))));
    const scores = await raw.zrange(key('queue:normal'), '0', '-1', 'WITHSCORES');
    const values = scores.filter((_, index) => index % 2 === 1).map(Number);
    expect(new Set(values).size).toBe(90);
    const order = scores.filter((_, index) => index % 2 === 0);
    const taken: string[] = [];
    for (const number of numbers) taken.push((await world(number).take(`a${number}`)).task.id);
    expect(taken).toEqual(order);
  });

  it('serve high before normal before low with many callers at once, and nobody twice', async () => {
    const priorities = [25, 50, 100];
    await world().mirror(
      ...Array.from({ length: 60 }, (_, index) =>
        entry(index + 1, { plan: { priority: priorities[index % 3] ?? 50 } }),
      ),
    );
    const first = await Promise.all(
      Array.from({ length: 20 }, (_, index) => world(index).take(`a${index}`)),
    );
    expect(new Set(first.map(({ task }) => task.priority))).toEqual(new Set([100]));
    const rest = await Promise.all(
      Array.from({ length: 45 }, (_, index) => world(index).claim(`b${index}`)),
    );
    const handed = rest.flatMap((result) => (result.outcome === 'leased' ? [result.handOut] : []));
    expect(handed).toHaveLength(40);
    const ids = [...first, ...handed].map(({ task }) => task.id);
    expect(new Set(ids).size).toBe(60);
  });

  it('have a task once, however often it is enqueued', async () => {
    for (let time = 0; time < 3; time += 1) await world(time).mirror(entry(1));
    expect(await raw.zcard(key('queue:normal'))).toBe(1);
  });

  it('never give out a delayed task before its instant, also when nothing else is there', async () => {
    await world().mirror(entry(1));
    const handOut = await world().take('a1');
    await world().fail(handOut, { delayMs: 400 });
    const readyAt = Number(await raw.zscore(key('queue:delayed'), idOf(1)));
    const taken = await succeeds(async () => {
      await stores[0]?.sweep(sweepInput());
      return world(1).take('a2');
    });
    expect(taken.lease.leasedAt).toBeGreaterThanOrEqual(readyAt);
  });

  it('are sized by what waits, leases and delays', async () => {
    await world().mirror(entry(1), entry(2), entry(3, { plan: { priority: 100 } }));
    await world(1).take('a1');
    const { counts } = (await stores[2]?.queue(10)) ?? { counts: [] };
    const count = (state: string) =>
      counts.filter((one) => one.state === state).reduce((sum, one) => sum + one.count, 0);
    expect([count('ready'), count('leased')]).toEqual([2, 1]);
  });
});

describe('processing locks', () => {
  it('say whether a task is locked, and are released by hand', async () => {
    await world().mirror(entry(1));
    await world().take('a1');
    const lock = key('lock:issue:octo~park~1');
    expect(await raw.exists(lock)).toBe(1);
    await stores[1]?.unlock({ taskId: idOf(1), ledger: [] });
    expect(await raw.exists(lock)).toBe(0);
    expect((await world(2).take('a2')).task.id).toBe(idOf(1));
  });

  it('expire with a worker that died, and the task is taken again with a higher fence', async () => {
    await world().mirror(entry(1));
    const lost = await world().take('a1', { leaseSeconds: 1 });
    const next = await succeeds(async () => {
      await stores[1]?.sweep(sweepInput());
      return world(1).take('a2');
    });
    expect(next.lease.fence).toBeGreaterThan(lost.lease.fence);
    expect(next.lease.leasedAt).toBeGreaterThanOrEqual(lost.lease.expiresAt);
    expect(await world().complete(lost)).toEqual({ outcome: 'lease_lost' });
  });
});

describe('an entry that makes no sense', () => {
  async function bucket(): Promise<string> {
    const [filled = ''] = await raw.keys(key('queue:bucket:*'));
    return filled;
  }

  it('is passed over, logged, set aside and not lost', async () => {
    await world().mirror(entry(1));
    await world().claim('warm-up', { capabilities: ['python'], groups: [] });
    await raw.zadd(await bucket(), 1, 'not-a-task', 2, 'octo~park~99~implement.1');
    expect((await world().take('a1')).task.id).toBe(idOf(1));
    expect(await raw.hkeys(key('queue:corrupt'))).toEqual([
      'not-a-task',
      'octo~park~99~implement.1',
    ]);
    expect(logged.join()).toContain('not-a-task');
  });

  it('is found in every other list too', async () => {
    await world().mirror(entry(1));
    await raw.zadd(key('queue:high'), 1, 'garbage');
    await raw.zadd(key('queue:delayed'), 1, 'rubbish');
    await raw.zadd(key('queue:opening'), 1, 'litter');
    await raw.zadd(key('leases:deadline'), 1, 'waste');
    await stores[0]?.sweep(sweepInput());
    const found = ['garbage', 'litter', 'rubbish', 'waste'];
    expect((await raw.hkeys(key('queue:corrupt'))).sort()).toEqual(found);
    for (const entry of found) expect(logged.join()).toContain(entry);
    expect(await raw.zrange(key('queue:high'), '0', '-1')).toEqual([]);
    expect(await raw.zcard(key('queue:normal'))).toBe(1);
  });

  it('that went missing is filed again by the next sweep', async () => {
    await world().mirror(entry(1));
    await world().claim('warm-up', { groups: [] });
    await raw.del(await bucket());
    expect((await world().claim('a1')).outcome).toBe('none');
    await stores[0]?.sweep(sweepInput());
    expect((await world().take('a1')).task.id).toBe(idOf(1));
  });
});
