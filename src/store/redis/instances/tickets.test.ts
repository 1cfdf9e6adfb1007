// Tickets on a real Redis: expired ids, interleaved changes, and reads from a replica.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { succeeds } from '../../../../test/support/succeeds.ts';
import type { Ticket } from '../../../core/ticket.ts';
import { openRedisStore, type RedisStore } from '../redis-store.ts';

let server: RedisServer;
let one: RedisStore;
let other: RedisStore;
const key = (name: string) => `banto:${name}`;

beforeAll(async () => {
  server = await startRedisServer();
  one = await openRedisStore({ connection: { url: server.url } });
  other = await openRedisStore({ connection: { url: server.url } });
});
afterAll(async () => {
  await one.close();
  await other.close();
  await server.stop();
});
beforeEach(async () => {
  const tickets = await server.raw.keys(key('ticket*'));
  if (tickets.length > 0) await server.raw.del(...tickets);
});

const ticket = (id: string): Ticket => ({
  id,
  agentId: `agent-${id}`,
  capabilities: ['python'],
  kinds: null,
  repositories: null,
  requestId: `request-${id}`,
  leaseSeconds: 600,
  instanceId: 'instance',
  createdAt: 1,
});

describe('a ticket that expired', () => {
  it('is gone by itself, stays in the index, and leaves it at the next bulk read', async () => {
    await one.tickets.create(ticket('123'), 30);
    await one.tickets.create(ticket('456'), 60_000);
    await succeeds(async () => expect(await server.raw.exists(key('ticket:data:123'))).toBe(0));
    expect(await one.tickets.get('123')).toBeNull();
    expect(await server.raw.sismember(key('tickets:index'), '123')).toBe(1);
    const listed = await one.tickets.listActive(10, 60_000);
    expect(listed.sort()).toEqual(['123', '456']);
    expect(await server.raw.zscore(key('tickets:pending'), '123')).not.toBeNull();
    expect((await other.tickets.getMany(listed)).map(({ id }) => id)).toEqual(['456']);
    expect(await server.raw.smembers(key('tickets:index'))).toEqual(['456']);
    expect(await server.raw.zscore(key('tickets:pending'), '123')).toBeNull();
  });

  it('heals with nothing started: the next tick of any matcher does it', async () => {
    await one.tickets.create(ticket('1'), 20);
    await succeeds(async () => expect(await server.raw.exists(key('ticket:data:1'))).toBe(0));
    const tick = async () => other.tickets.getMany(await other.tickets.listActive(10, 50));
    expect(await tick()).toEqual([]);
    expect(await one.tickets.count()).toBe(0);
  });
});

describe('a matcher that dies', () => {
  it('gives its tickets back after the timeout, and not before', async () => {
    await one.tickets.create(ticket('1'), 60_000);
    expect(await one.tickets.listActive(10, 200)).toEqual(['1']);
    expect(await other.tickets.listActive(10, 200)).toEqual([]);
    await succeeds(async () => expect(await other.tickets.listActive(10, 200)).toEqual(['1']));
  });
});

describe('the interleaving of the last table', () => {
  /** The document's three steps as plain commands, with the other backend between them. */
  async function unlocked(between: () => Promise<void>): Promise<string[]> {
    const all = await server.raw.smembers(key('tickets:index'));
    await between();
    const pending = await server.raw.zrange(key('tickets:pending'), '0', '-1');
    return all.filter((id) => !pending.includes(id));
  }

  it('would list an assigned ticket again without the lock', async () => {
    await one.tickets.create(ticket('123'), 60_000);
    await one.tickets.create(ticket('456'), 60_000);
    await other.tickets.listActive(10, 60_000);
    const listed = await unlocked(() => other.tickets.assign(['123']));
    expect(listed).toEqual(['123']);
  });

  it('cannot happen: listing is one step, before or after the other backend, never around it', async () => {
    for (let round = 0; round < 200; round += 1) {
      const id = `t${round}`;
      await one.tickets.create(ticket(id), 60_000);
      expect(await other.tickets.listActive(10, 60_000)).toEqual([id]);
      const [, ...listed] = await Promise.all([
        other.tickets.assign([id]),
        ...Array.from({ length: 4 }, () => one.tickets.listActive(10, 60_000)),
      ]);
      expect(listed.flat()).toEqual([]);
      expect(await one.tickets.count()).toBe(0);
      expect(await server.raw.exists(key('tickets:pending'))).toBe(0);
    }
  });

  it('leaves a ticket made between the read and the repair where it is', async () => {
    await server.raw.sadd(key('tickets:index'), '9');
    const reading = one.tickets.getMany(['9']);
    const making = other.tickets.create(ticket('9'), 60_000);
    await Promise.all([reading, making]);
    await one.tickets.create(ticket('9'), 60_000);
    expect(await one.tickets.getMany(['9'])).toEqual([ticket('9')]);
    expect(await one.tickets.count()).toBe(1);
  });
});

describe('concurrent matchers', () => {
  it('get disjoint tickets', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `t${index}`);
    await Promise.all(ids.map((id) => one.tickets.create(ticket(id), 60_000)));
    const lists = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? one : other).tickets.listActive(5, 60_000),
      ),
    );
    const all = lists.flat();
    expect(all).toHaveLength(60);
    expect(new Set(all).size).toBe(60);
  });
});

describe('with a replica', () => {
  it('reads there, and asks the primary for what is missing', async () => {
    const replica = await startRedisServer({ replicaOf: { port: server.port } });
    const reader = await openRedisStore({
      connection: { url: server.url, replicaUrl: replica.url },
    });
    try {
      await one.tickets.create(ticket('1'), 60_000);
      await succeeds(async () => expect(await replica.raw.exists(key('ticket:data:1'))).toBe(1));
      // Its connection comes up beside the store's.
      await succeeds(async () => {
        await reader.tickets.get('1');
        expect(await reads(replica)).toBeGreaterThan(0);
      });
      const before = await reads(replica);
      expect(await reader.tickets.get('1')).toEqual(ticket('1'));
      expect(await reader.tickets.getMany(['1'])).toEqual([ticket('1')]);
      expect(await reads(replica)).toBe(before + 2);
      // Cut off, it falls behind; what it does not have yet is on the primary.
      await replica.raw.replicaof('NO', 'ONE');
      await one.tickets.create(ticket('2'), 60_000);
      expect((await reader.tickets.getMany(['1', '2'])).map(({ id }) => id)).toEqual(['1', '2']);
      expect(await reader.tickets.count()).toBe(2);
      await replica.kill();
      expect(await reader.tickets.get('2')).toEqual(ticket('2'));
    } finally {
      await reader.close();
      await replica.stop();
    }
  });

  async function reads(replica: RedisServer): Promise<number> {
    const stats = await replica.raw.info('commandstats');
    return Number(/cmdstat_mget:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  }
});
