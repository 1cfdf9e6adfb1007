// Redis dies, comes back empty, or stands still for longer than a lease, in the middle of a run.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import {
  type RedisServer,
  type RedisServerOptions,
  startRedisServer,
} from '../support/redis-server.ts';
import { createCaller, judge } from '../support/roaming-agent.ts';
import {
  completed,
  LEASE_SECONDS,
  makeSharedBanto,
  type SharedBanto,
  untilCompleted,
  violationsAt,
} from '../support/shared-banto.ts';

const TASKS = 40;
const FAULT_AFTER = 10;

let banto: SharedBanto;
let redis: RedisServer;

beforeEach(async () => {
  banto = await makeSharedBanto();
  await banto.writeIssues(1, TASKS);
});

afterEach(async () => {
  await banto.stop();
  await redis.stop();
});

async function startOn(options: RedisServerOptions): Promise<void> {
  redis = await startRedisServer(options);
  await banto.start(2, { REDIS_URL: redis.url });
}

async function statusOf(path: string): Promise<number[]> {
  const answers = await Promise.all(banto.instances.map(({ url }) => fetch(`${url}${path}`)));
  return answers.map(({ status }) => status);
}

/** Fences are microseconds of Redis' clock, which is this machine's. */
const leasedAt = (fence: number) => fence / 1000;

const allTold = () =>
  eventually(
    () => banto.unfinished(TASKS),
    (left) => left.length === 0,
    60_000,
  );

describe('Redis in the middle of a run', () => {
  it('killed and restarted with its file: busy meanwhile, then on as if nothing had been', async () => {
    await startOn({ aof: true });
    const fleet = banto.work();
    await untilCompleted(fleet, FAULT_AFTER);
    await redis.kill();
    await eventually(
      () => statusOf('/ready'),
      (statuses) => statuses.every((status) => status === 503),
    );
    const caller = createCaller();
    const [first] = banto.instances;
    const ask = { agent_id: 'late', capabilities: ['python'] };
    const refused = await caller.post(`${first?.url}/api/v1/request-task`, ask);
    caller.close();
    expect(refused).toMatchObject({
      status: 503,
      body: { code: 'busy', error: 'Server is busy. Please try again later.' },
    });
    await redis.start();
    await untilCompleted(fleet, TASKS);

    expect(judge(fleet.held)).toEqual([]);
    // Away is never "lost": whoever held a lease kept it.
    expect([...fleet.beats].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(fleet.held.filter(({ end }) => end === 'completed')).toHaveLength(TASKS);
    expect(fleet.held.filter(({ end }) => end === 'lost')).toEqual([]);
    await allTold();
    expect(await violationsAt(redis.url)).toEqual([]);
    expect(await statusOf('/ready')).toEqual([200, 200]);
  }, 120_000);

  it('killed and restarted without a file: nothing twice, everything again from the forge', async () => {
    await startOn({});
    const fleet = banto.work();
    await untilCompleted(fleet, FAULT_AFTER);
    await redis.kill();
    const lostAt = Date.now();
    await redis.start();
    // Everything left is older than the loss, so that nothing of it is proved free for one lease time.
    const after = await eventually(
      async () => fleet.held.find(({ fence }) => leasedAt(fence) > lostAt),
      (lease) => lease !== undefined,
      60_000,
    );
    expect(leasedAt(after?.fence ?? 0)).toBeGreaterThan(lostAt + LEASE_SECONDS * 1000);
    await eventually(
      async () => completed(fleet).size,
      (count) => count === TASKS,
      60_000,
    );
    expect(judge(fleet.held)).toEqual([]);
    // What Redis forgot is lost, and said to be; it was never unknown, not even before it was listed again.
    expect([...fleet.beats].filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
    await allTold();
    expect(await violationsAt(redis.url)).toEqual([]);
  }, 120_000);

  it('stopped for longer than a lease: leases expire once and nobody finishes with a stale one', async () => {
    await startOn({});
    const fleet = banto.work();
    await untilCompleted(fleet, FAULT_AFTER);
    redis.freeze();
    await new Promise((resolve) => setTimeout(resolve, (LEASE_SECONDS + 1) * 1000));
    redis.thaw();
    await untilCompleted(fleet, TASKS);

    expect(judge(fleet.held)).toEqual([]);
    const done = fleet.held.filter(({ end }) => end === 'completed');
    expect(done).toHaveLength(TASKS);
    await allTold();
    expect(await violationsAt(redis.url)).toEqual([]);
  }, 120_000);
});
