// Three instances write to GitHub at the same time. Its limits are one account's: they keep to them together.

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { secondaryLimit } from '../../github-double/server/faults.ts';
import type { RunningBroker } from '../../src/broker/create-broker.ts';
import {
  ANSWER_MS,
  makeSharedWorld,
  SHOP,
  type SharedWorld,
} from '../support/github/shared-world.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';

const ISSUES = 150;
const MINUTE_MS = 60_000;

let server: RedisServer;
let w: SharedWorld;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.raw.flushall();
  w = await makeSharedWorld(server.url, 3);
});
afterEach(() => w.close());

/** An agent that takes one task and ends it, every third so badly that a person is called by a comment. */
async function work(broker: RunningBroker, index: number): Promise<void> {
  for (;;) {
    const given = await broker.requestTask({
      agentId: `a${index}`,
      capabilities: ['python'],
      waitSeconds: 60,
      leaseSeconds: 3600,
      requestId: null,
      kinds: null,
      repositories: null,
      onUnfinished: 'resume',
    });
    if (given === null) continue;
    await w.time.sleep(1000);
    const held = { taskId: given.task.id, token: given.lease.token };
    if (index % 3 === 0) {
      const failed = { ...held, reason: 'no', retryable: false, delaySeconds: null };
      return void (await broker.fail(failed));
    }
    const said = { summary: 'done', prNumber: null, verdict: null, comments: [] };
    return void (await broker.complete({ ...held, ...said }));
  }
}

/** All agents at once, spread over the instances; over when nothing is left to be written. */
async function workAll(): Promise<void> {
  const failures: unknown[] = [];
  let over = false;
  const all = async () => {
    const agents = Array.from({ length: ISSUES }, (_, index) => {
      const broker = w.brokers[index % w.brokers.length];
      return broker === undefined ? Promise.resolve() : work(broker, index);
    });
    await Promise.all(agents);
    do await w.time.sleep(5000);
    while ((await w.store.queue(1)).outbox.pending > 0);
    over = true;
  };
  all().catch((error: unknown) => failures.push(error));
  await w.time.runUntil(() => over || failures.length > 0, 60 * MINUTE_MS);
  expect(failures).toEqual([]);
}

function expectConverged(numbers: readonly number[]): void {
  const shown = numbers.map((number) => w.github.labels(SHOP, number).toSorted().join());
  const count = (labels: string) => shown.filter((one) => one === labels).length;
  expect(count('needs-human,python')).toBe(ISSUES / 3);
  expect(count('needs-review,python')).toBe((ISSUES * 2) / 3);
}

it('all busy, they never run into a limit, and use what they may', {
  timeout: 180_000,
}, async () => {
  const numbers = w.openIssues(ISSUES);
  await workAll();
  expectConverged(numbers);
  const { violations, peaks } = w.github.limits;
  expect(violations).toEqual([]);
  expect(w.github.requests.filter((one) => one.status === 403 || one.status === 429)).toEqual([]);
  expect(peaks.creationsPerMinute).toBeLessThanOrEqual(80);
  expect(peaks.pointsPerMinute).toBeLessThanOrEqual(900);
  expect(peaks.concurrent).toBeLessThanOrEqual(100);
  // A burst and then one a second: less would be too shy.
  expect(peaks.creationsPerMinute).toBeGreaterThan(65);
  const budgets = await Promise.all(w.brokers.map((broker) => broker.budget()));
  expect(budgets[0]?.remaining).toBeLessThan(4900);
  expect(budgets).toEqual([budgets[0], budgets[0], budgets[0]]);
});

it('a retry-after that one of them is told silences all of them', {
  timeout: 180_000,
}, async () => {
  const numbers = w.openIssues(ISSUES);
  const answer = secondaryLimit(90);
  const armed = w.github.faults.add({ kind: 'answer', answer }, { method: 'write', nth: 12 });
  await workAll();
  expectConverged(numbers);
  expect(armed.hits()).toBe(1);
  const told = w.github.requests.find((one) => one.status === 403);
  const toldAt = told?.at ?? 0;
  // A read that left before the answer was heard is all that may still arrive.
  const { violations } = w.github.limits;
  expect(violations.filter((one) => one.write || one.at > toldAt + ANSWER_MS)).toEqual([]);
  const writes = w.github.requests.filter((one) => one.method !== 'GET').map((one) => one.at);
  const next = Math.min(...writes.filter((at) => at > toldAt));
  expect(next - toldAt).toBeGreaterThanOrEqual(90_000);
  expect(next - toldAt).toBeLessThan(90_000 + ANSWER_MS + 2000);
});
