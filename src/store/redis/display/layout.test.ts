// The documented key table, looked at with plain commands while a task lives its life.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  entry,
  followUp,
  idOf,
  sweepInput,
  type World,
} from '../../../../test/contract/store/world.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { openRedisStore, type RedisStore } from '../redis-store.ts';

const START = Date.UTC(2026, 10, 15, 12);
let server: RedisServer;
let raw: RedisServer['raw'];
let store: RedisStore;
let world: World;
let now: number;

beforeAll(async () => {
  server = await startRedisServer();
  raw = server.raw;
});
afterAll(() => server.stop());
beforeEach(async () => {
  await raw.flushall();
  now = START;
  store = await openRedisStore({
    connection: { url: server.url },
    repositories: ['octo/park'],
    clock: { now: () => now },
  });
  const advance = (ms: number) => {
    now += ms;
  };
  world = createWorld({ store, advance, close: () => store.close() });
});
afterEach(() => store.close());

const key = (name: string) => `banto:${name}`;

/** What is drawn from facts is there before anybody reads through Banto, and otherwise within a second. */
const drawn = async () => void (await store.queue(0));

describe('while a task waits', () => {
  it('its issue, its queue and its age are there to be read', async () => {
    await world.mirror(entry(7, { issue: { title: 'Fix the login' } }));
    await drawn();
    expect(await raw.hgetall(key('issue:status:7'))).toMatchObject({
      state: 'ready',
      attempts: '0',
    });
    expect(await raw.hgetall(key('issue:metadata:7'))).toMatchObject({
      number: '7',
      title: 'Fix the login',
      labels: '["python"]',
      url: 'https://forge.example/7',
    });
    expect(await raw.hget(key(`task:info:${idOf(7)}`), 'state')).toBe('ready');
    expect(await raw.zrange(key('queue:normal'), '0', '-1', 'WITHSCORES')).toEqual([
      idOf(7),
      String(50 * 1e13 + START),
    ]);
  });

  it('a delayed one is listed by the instant it becomes ready', async () => {
    const want = { state: 'delayed', delayMs: 5000, reason: 'wait' } as const;
    await world.mirror(entry(7, { plan: { want } }));
    expect(await raw.zrange(key('queue:delayed'), '0', '-1', 'WITHSCORES')).toEqual([
      idOf(7),
      String(START + 5000),
    ]);
    expect(await raw.exists(key('queue:normal'))).toBe(0);
  });
});

describe('what is drawn from facts', () => {
  it('is there within a second for whoever reads Redis alone', async () => {
    await world.mirror(entry(7));
    await expect
      .poll(() => raw.hget(key('issue:status:7'), 'state'), { timeout: 1000, interval: 20 })
      .toBe('ready');
    await world.take('a1');
    await expect
      .poll(() => raw.hget(key(`task:info:${idOf(7)}`), 'state'), { timeout: 1000, interval: 20 })
      .toBe('leased');
  });
});

describe('while a task is leased', () => {
  it('its lock names owner and token, and expires with the lease', async () => {
    await world.mirror(entry(7));
    const { lease } = await world.take('a1', { leaseSeconds: 60 });
    expect(await raw.get(key('lock:issue:7'))).toBe(`a1 ${lease.token}`);
    expect(await raw.pttl(key('lock:issue:7'))).toBeGreaterThan(55_000);
    await drawn();
    expect(await raw.smembers(key('issues:processing'))).toEqual(['7']);
    expect(await raw.hgetall(key('issue:status:7'))).toMatchObject({
      state: 'leased',
      holder: 'a1',
    });
    expect(await raw.hgetall(key('process:holds'))).toEqual({ a1: idOf(7) });
    expect(await raw.ttl(key('process:heartbeat:a1'))).toBeGreaterThan(1790);
    expect(await raw.zscore(key('processes:active'), 'a1')).toBe(String(START));
    expect(await raw.zrange(key('leases:deadline'), '0', '-1')).toEqual([idOf(7)]);
    expect(await raw.exists(key('queue:normal'))).toBe(0);
  });

  it('its end is shown as it is, also after renewals that no fact tells of', async () => {
    await world.mirror(entry(7));
    const { lease } = await world.take('a1', { leaseSeconds: 60 });
    await drawn();
    now += 1000;
    const { token } = lease;
    await store.heartbeat({ taskId: idOf(7), token, progress: null });
    await store.heartbeat({ taskId: idOf(7), token, progress: 'half of it' });
    await drawn();
    expect(await raw.hgetall(key(`task:info:${idOf(7)}`))).toMatchObject({
      state: 'leased',
      agent: 'a1',
      expires_at: String(START + 61_000),
      updated_at: String(START + 1000),
    });
  });

  it('what is shown of it is right however much of it changed at once', async () => {
    await world.mirror(entry(7));
    await drawn();
    await world.complete(await world.take('a1'));
    await drawn();
    const shown = await raw.hgetall(key(`task:info:${idOf(7)}`));
    expect(shown).toMatchObject({ state: 'done', agent: '', expires_at: '', round: '1' });
    expect(await raw.hget(key('issue:status:7'), 'holder')).toBe('');
  });

  it('a lock that another owner has is neither taken nor removed', async () => {
    await world.mirror(entry(7), entry(8));
    await raw.set(key('lock:issue:7'), 'somebody else', 'PX', 60_000);
    const { task, lease } = await world.take('a1');
    expect(task.number).toBe(8);
    await raw.set(key('lock:issue:8'), 'somebody else', 'PX', 60_000);
    await store.release({ taskId: task.id, token: lease.token, reason: null, ledger: [] });
    expect(await raw.mget(key('lock:issue:7'), key('lock:issue:8'))).toEqual([
      'somebody else',
      'somebody else',
    ]);
    await raw.del(key('lock:issue:7'), key('lock:issue:8'));
    expect((await world.take('a2')).task.number).toBe(7);
  });

  it('an agent whose lease ran out is a zombie until it is heard of again', async () => {
    await world.mirror(entry(7));
    await world.take('a1');
    world.advance(600_000);
    await store.sweep(sweepInput());
    expect(await raw.smembers(key('processes:zombies'))).toEqual(['a1']);
    expect(await raw.exists(key('lock:issue:7'))).toBe(0);
    await world.claim('a1', { capabilities: ['nothing'] });
    await expect.poll(() => raw.exists(key('processes:zombies')), { timeout: 1000 }).toBe(0);
  });
});

describe('when a task is done', () => {
  it('its result, the day and the statistics say so', async () => {
    await world.mirror(entry(7));
    await world.complete(await world.take('a1'), { summary: 'All done.' });
    await drawn();
    expect(await raw.exists(key('lock:issue:7'), key('issues:processing'))).toBe(0);
    expect(await raw.hgetall(key(`task:result:${idOf(7)}`))).toMatchObject({
      agent: 'a1',
      summary: '"All done."',
    });
    expect(await raw.ttl(key(`task:result:${idOf(7)}`))).toBeGreaterThan(29 * 86_400);
    await store.sweep(sweepInput());
    expect(await raw.smembers(key('issues:completed:2026-11-15'))).toEqual(['7']);
    expect(await raw.ttl(key('issues:completed:2026-11-15'))).toBeGreaterThan(6 * 86_400);
    expect(await raw.hgetall(key('stats:issues:daily:2026-11-15'))).toMatchObject({
      accepted: '1',
      completed: '1',
    });
    expect(await raw.hget(key('stats:performance:hourly'), '2026-11-15T12 completed')).toBe('1');
    expect(await raw.ttl(key('stats:performance:hourly'))).toBeGreaterThan(6 * 86_400);
  });

  it('its review was found once, and is never found again', async () => {
    const review = idOf(7, 'review');
    await world.mirror(entry(7));
    await world.complete(await world.take('a1'), {
      prNumber: 12,
      followUp: followUp(review, { state: 'delayed', reason: 'review_delay', delayMs: 300_000 }),
    });
    await drawn();
    const found = { found_at: '2026-11-15T12:00:00.000Z', pr_number: '12' };
    expect(await raw.hgetall(key('review:delay:7'))).toEqual({ ...found, status: 'PENDING' });
    expect(await raw.ttl(key('review:delay:7'))).toBeGreaterThan(86_000);
    world.advance(300_000);
    await raw.expire(key('review:delay:7'), 100);
    await store.sweep(sweepInput());
    expect(await raw.hgetall(key('review:delay:7'))).toEqual({
      ...found,
      status: 'READY_FOR_ASSIGNMENT',
    });
    expect(await raw.ttl(key('review:delay:7'))).toBeGreaterThan(86_000);
  });
});

describe('beside tasks', () => {
  it('tickets, settings, locks and metrics have the types and times of the table', async () => {
    const ticket = {
      id: 't1',
      agentId: 'a1',
      capabilities: ['python'],
      kinds: null,
      repositories: null,
      requestId: 'r1',
      leaseSeconds: 600,
      instanceId: 'i1',
      createdAt: START,
    };
    await store.tickets.create(ticket, 600_000);
    await store.tickets.listActive(1, 5000);
    expect(await raw.pttl(key('ticket:data:t1'))).toBeGreaterThan(590_000);
    expect(await raw.smembers(key('tickets:index'))).toEqual(['t1']);
    expect(await raw.ttl(key('tickets:index'))).toBe(-1);
    expect(await raw.zscore(key('tickets:pending'), 't1')).toBe(String(START + 5000));

    await store.putSetting('config:broker:lease_seconds', 60);
    await store.putSetting('flags:debug:enabled', true);
    expect(await raw.mget(key('config:broker:lease_seconds'), key('flags:debug:enabled'))).toEqual([
      '60',
      'true',
    ]);
    await raw.set(key('flags:maintenance'), 'true');
    expect((await store.settings('flags:')).get('flags:maintenance')).toBe(true);

    expect(await store.lead('leader', 'i1', 5000)).toBe(true);
    expect(await store.lead('leader', 'i2', 5000)).toBe(false);
    await store.resign('leader', 'i2');
    expect(await raw.get(key('lock:process:leader'))).toBe('i1');
    expect(await raw.pttl(key('lock:process:leader'))).toBeGreaterThan(4000);
    await store.resign('leader', 'i1');
    expect(await raw.get(key('lock:process:leader'))).toBeNull();
    expect(await store.lead('leader', 'i2', 5000)).toBe(true);

    await store.recordMetrics('i1', 0.25, 1_000_000);
    expect(await raw.hget(key('metrics:cpu:current'), 'i1')).toBe(`{"cpu":0.250,"at":${START}}`);
    expect(await raw.llen(key('metrics:memory:history'))).toBe(1);
    expect(await raw.ttl(key('metrics:memory:history'))).toBeGreaterThan(3500);
  });

  it('the first repository keeps its plain numbers when others join it later', async () => {
    await world.mirror(entry(7));
    await store.close();
    store = await openRedisStore({
      connection: { url: server.url },
      repositories: ['octo/zoo', 'octo/park'],
    });
    expect(await store.issuesNumbered('octo/park', [7])).toHaveLength(1);
    await store.touchLabels('octo/park', 7);
    expect(await raw.keys('banto:issue:status:*')).toEqual([key('issue:status:7')]);
  });
});
