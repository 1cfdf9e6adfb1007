// A way to Redis that cuts, delays, and swallows answers after the command ran.

import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRedisStore } from '../../src/store/redis/redis-store.ts';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts';
import { checkInvariants } from '../support/invariants.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { type Fleet, judge } from '../support/roaming-agent.ts';
import {
  completed,
  makeSharedBanto,
  type SharedBanto,
  untilCompleted,
} from '../support/shared-banto.ts';

const TASKS = 120;

let banto: SharedBanto;
let redis: RedisServer;
let way: FaultyProxy;

beforeEach(async () => {
  banto = await makeSharedBanto();
  await banto.writeIssues(1, TASKS);
  redis = await startRedisServer();
  way = await startFaultyProxy(redis);
});

afterEach(async () => {
  await banto.stop();
  await way.close();
  await redis.stop();
});

/** One fault after the other until all is done; always the same ones in the same order. */
async function breakTheWay(fleet: Fleet): Promise<number> {
  const faults = [
    () => way.swallow(60),
    async () => way.cut(),
    () => way.swallow(200),
    async () => {
      way.delay(120);
      await pause(400);
      way.delay(0);
    },
    () => way.swallow(20),
  ];
  let broken = 0;
  for (const untilAt = Date.now() + 20_000; Date.now() < untilAt; broken += 1) {
    if (completed(fleet).size >= TASKS) break;
    await faults[broken % faults.length]?.();
    await pause(150 + 40 * (broken % 7));
  }
  return broken;
}

async function checkFacts(fleet: Fleet): Promise<void> {
  const store = await openRedisStore({ connection: { url: redis.url } });
  const facts = await store.facts(0, 100_000);
  await store.close();
  expect(checkInvariants(facts)).toEqual([]);
  const done = facts.filter((fact) => fact.type === 'completed');
  expect(done).toHaveLength(TASKS);
  // Nobody finished what no agent was ever told about.
  const told = new Set(fleet.held.map(({ fence }) => fence));
  expect(done.filter(({ fence }) => !told.has(fence))).toEqual([]);
}

describe('a way to Redis that cuts, delays and swallows', () => {
  it('gives nothing out twice and loses nothing among several instances', async () => {
    await banto.start(2, { REDIS_URL: way.url });
    const fleet = banto.work({ workMs: (index) => 20 + 30 * (index % 8) });
    await untilCompleted(fleet, 5);
    expect(await breakTheWay(fleet)).toBeGreaterThan(5);
    await untilCompleted(fleet, TASKS);
    expect(judge(fleet.held)).toEqual([]);
    await checkFacts(fleet);
  }, 90_000);

  it('does so for agents too that name no request and finish by asking again', async () => {
    await banto.start(1, { REDIS_URL: way.url });
    const fleet = banto.work({
      nameRequests: false,
      onUnfinished: 'complete',
      workMs: (index) => 20 + 30 * (index % 8),
    });
    await untilCompleted(fleet, 5);
    expect(await breakTheWay(fleet)).toBeGreaterThan(5);
    await untilCompleted(fleet, TASKS);
    expect(judge(fleet.held)).toEqual([]);
    await checkFacts(fleet);
  }, 90_000);
});
