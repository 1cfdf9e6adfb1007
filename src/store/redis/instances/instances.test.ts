// Several instances on one Redis behave as one.

import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  entry,
  idOf,
  sweepInput,
  type World,
} from '../../../../test/contract/store/world.ts';
import { expectFactsHold } from '../../../../test/support/invariants.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { succeeds } from '../../../../test/support/succeeds.ts';
import type { Fact } from '../../../core/facts.ts';
import { openRedisStore, type RedisStore } from '../redis-store.ts';

let server: RedisServer;
let one: RedisStore;
let other: RedisStore;
let worlds: [World, World];

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.raw.flushall();
  one = await openRedisStore({ connection: { url: server.url } });
  other = await openRedisStore({ connection: { url: server.url } });
  const worldOf = (store: RedisStore) =>
    createWorld({ store, advance: () => undefined, close: () => store.close() });
  worlds = [worldOf(one), worldOf(other)];
});
afterEach(async () => {
  await one.close();
  await other.close();
});

describe('a listener', () => {
  it('hears of every fact of every instance, in order and once', async () => {
    const heard: Fact[] = [];
    other.subscribe((facts) => heard.push(...facts));
    await other.lastSeq();
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        worlds[index % 2 === 0 ? 0 : 1].mirror(entry(index + 1)),
      ),
    );
    await succeeds(() => expect(heard).toHaveLength(40));
    expect(heard).toEqual(await one.facts(0, 100));
  });

  it('misses nothing when messages are lost: facts are read every second', async () => {
    const heard: Fact[] = [];
    other.subscribe((facts) => heard.push(...facts));
    await succeeds(async () =>
      expect(await server.raw.pubsub('NUMSUB', 'banto:channel:events:issue:status')).toEqual([
        'banto:channel:events:issue:status',
        1,
      ]),
    );
    const silent = server.raw.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await Promise.all([silent, worlds[0].mirror(entry(1))]);
    await succeeds(() => expect(heard.map(({ type }) => type)).toEqual(['accepted']));
    await worlds[0].mirror(entry(2));
    await succeeds(() => expect(heard).toHaveLength(2));
  });
});

describe('an agent of its own', () => {
  it('is told over its channel what it was given, and what it reported is there to be heard', async () => {
    const client = new Redis({ port: server.port });
    const messages: [string, string][] = [];
    client.on('message', (channel: string, message: string) => {
      messages.push([channel, (JSON.parse(message) as Fact).type]);
    });
    await client.subscribe('banto:channel:a1:requests', 'banto:channel:a1:responses');
    await worlds[0].mirror(entry(1));
    const handOut = await worlds[0].take('a1');
    await worlds[1].complete(handOut);
    await succeeds(() =>
      expect(messages).toEqual([
        ['banto:channel:a1:requests', 'leased'],
        ['banto:channel:a1:responses', 'completed'],
      ]),
    );
    client.disconnect();
  });
});

describe('two instances', () => {
  it('hand out each task once, and every verb works on either', async () => {
    await worlds[0].mirror(...Array.from({ length: 50 }, (_, index) => entry(index + 1)));
    await one.learn(['python']);
    const handed = await Promise.all(
      Array.from({ length: 50 }, (_, index) => worlds[index % 2 === 0 ? 0 : 1].take(`a${index}`)),
    );
    expect(new Set(handed.map(({ task }) => task.id)).size).toBe(50);
    const ended = await Promise.all(
      handed.map((handOut, index) => worlds[index % 2 === 0 ? 1 : 0].complete(handOut)),
    );
    expect(new Set(ended.map(({ outcome }) => outcome))).toEqual(new Set(['ok']));
    expectFactsHold(await one.facts(0, 10_000));
  });

  it('give the same answer to the same request', async () => {
    await worlds[0].mirror(entry(1), entry(2));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        worlds[index % 2 === 0 ? 0 : 1].take('a1', { requestId: 'r1' }),
      ),
    );
    expect(new Set(answers.map(({ lease }) => lease.token)).size).toBe(1);
  });

  it('count every fact once, however many sweep at once', async () => {
    await worlds[0].mirror(...Array.from({ length: 30 }, (_, index) => entry(index + 1)));
    await worlds[1].complete(await worlds[0].take('a1'));
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? one : other).sweep(sweepInput())),
    );
    const [day] = await other.stats('daily', 1);
    expect(day?.counters).toMatchObject({ accepted: 30, handed_out: 1, completed: 1 });
    const { counts } = await one.queue(0);
    expect(counts.map(({ state, count }) => `${state} ${count}`).sort()).toEqual([
      'done 1',
      'ready 29',
    ]);
    expect((await one.tasks({ state: 'ready', limit: 100 })).tasks).toHaveLength(29);
    expect((await one.tasks({ agent: 'a1', limit: 100 })).tasks.map(({ id }) => id)).toEqual([
      idOf(1),
    ]);
  });

  it('know which buckets are filled, also those that another has just made', async () => {
    await one.learn(['python', 'rust']);
    await worlds[0].mirror(entry(1));
    expect(await other.filled()).toEqual(await one.filled());
    await worlds[0].mirror(entry(2, { labels: ['rust'] }));
    const { buckets } = await one.registry();
    expect((await other.filled()).toSorted()).toEqual(buckets);
  });

  it('finish learning a label that another began and did not finish', async () => {
    await worlds[0].mirror(...Array.from({ length: 300 }, (_, index) => entry(index + 1)));
    await one.learn(['python']);
    // As if the instance had died between two steps: the mark of unfinished work is still there.
    await server.raw.sadd('banto:labels:learning', 'python');
    expect((await other.registry()).unlearned).toEqual(['python']);
    await other.learn(['python']);
    const { buckets, unlearned } = await other.registry();
    expect(unlearned).toEqual([]);
    const peeks = await other.peek(buckets, 0);
    expect(peeks.reduce((sum, { ready }) => sum + ready, 0)).toBe(300);
  });
});

describe('verbs that are asked for at once', () => {
  const steps = async () => Number(await server.raw.hget('banto:meta', 'steps'));

  it('share a few steps, and each has its own answer', async () => {
    await worlds[0].mirror(...Array.from({ length: 30 }, (_, index) => entry(index + 1)));
    const handed = await Promise.all(
      Array.from({ length: 30 }, (_, index) => worlds[0].take(`a${index}`)),
    );
    const before = await steps();
    const ended = await Promise.all(handed.map((handOut) => worlds[0].complete(handOut)));
    // Two halves, so that Redis works on one while the other is decided; and what is shown of it.
    expect((await steps()) - before).toBeLessThanOrEqual(4);
    expect(ended.map((end) => end.outcome === 'ok' && end.task.id)).toEqual(
      handed.map(({ task }) => task.id),
    );
  });

  it('fail alone: one that is refused does not undo the others, nor does a key for people that is broken', async () => {
    await worlds[0].mirror(entry(1), entry(2));
    const handOut = await worlds[0].take('a1');
    const missing = { ...handOut, task: { ...handOut.task, id: idOf(3) } };
    await server.raw.del(`banto:task:info:${idOf(1)}`);
    await server.raw.set(`banto:task:info:${idOf(1)}`, 'not a hash');
    const [refused, fine] = await Promise.all([
      worlds[0].complete(missing),
      worlds[0].complete(handOut),
    ]);
    expect(refused).toEqual({ outcome: 'not_found' });
    expect(fine).toMatchObject({ outcome: 'ok' });
    await server.raw.del(`banto:task:info:${idOf(1)}`);
    expect((await worlds[1].task(handOut.task.id)).state).toBe('done');
  });

  it('need nothing loaded by hand: a server that forgot the library gets it again', async () => {
    await worlds[0].mirror(entry(1));
    await server.raw.function('FLUSH');
    expect((await worlds[0].take('a1')).task.id).toBe(idOf(1));
  });
});
