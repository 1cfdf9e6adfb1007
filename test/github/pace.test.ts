// GitHub's published limits, enforced by the double, while a whole fleet begins to work at once. In simulated time: how
// fast the machine is changes nothing.

import { afterEach, expect, it } from 'vitest';
import {
  SHOP,
  type SimulatedBanto,
  startSimulatedBanto,
} from '../support/github/simulated-banto.ts';

let banto: SimulatedBanto | null = null;
afterEach(() => banto?.close());

const AGENTS = 60;
const MINUTE_MS = 60_000;

it('a fleet that starts at once is never told to wait, and its labels come in time', {
  timeout: 120_000,
}, async () => {
  const limits = { creations: 'write' } as const;
  banto = await startSimulatedBanto({ webhooks: false, random: () => 0.5, limits });
  const { time, github, broker, store } = banto;
  const ann = github.as('ann');
  const body = '## Deliverables\n\n- it';
  const numbers = Array.from(
    { length: AGENTS },
    () => ann.openIssue(SHOP, { title: 'An issue', body, labels: ['python'] }).number,
  );
  await time.busy(broker.start());

  const taken: { number: number; afterMs: number; waitedMs: number }[] = [];
  const failures: unknown[] = [];
  const startedAt = time.now();
  async function ask(agentId: string): Promise<void> {
    const given = await broker.requestTask({
      agentId,
      capabilities: ['python'],
      waitSeconds: 60,
      leaseSeconds: 86_400,
      requestId: null,
      kinds: null,
      repositories: null,
      onUnfinished: 'complete',
    });
    if (given === null) throw new Error(`${agentId} got nothing`);
    const now = time.now();
    const waitedMs = now - given.lease.leasedAt;
    taken.push({ number: given.task.number, afterMs: now - startedAt, waitedMs });
  }
  for (let index = 0; index < AGENTS; index += 1) {
    ask(`a${index}`).catch((error: unknown) => failures.push(error));
  }
  let pending = Number.POSITIVE_INFINITY;
  const watch = async (): Promise<void> => {
    for (;;) {
      await time.sleep(1000);
      pending = (await store.queue(1)).outbox.pending;
    }
  };
  watch().catch((error: unknown) => failures.push(error));
  const isOver = () => failures.length > 0 || (taken.length === AGENTS && pending === 0);
  await time.runUntil(isOver, 10 * MINUTE_MS);
  expect(failures).toEqual([]);
  expect(new Set(taken.map(({ number }) => number)).size).toBe(AGENTS);
  // Five seconds are all that anybody waits for branch and labels.
  expect(Math.max(...taken.map(({ waitedMs }) => waitedMs))).toBeLessThanOrEqual(5500);
  for (const number of numbers) {
    const shown = github.labels(SHOP, number);
    expect(shown).toEqual(
      expect.arrayContaining(['python', 'in-progress', expect.stringMatching(/^a\d+$/)]),
    );
  }
  expect(github.limits.violations).toEqual([]);
  expect(github.limits.peaks.creationsPerMinute).toBeLessThanOrEqual(80);
  // 120 writes: a burst of 20, then 60 a minute.
  expect(time.now() - startedAt).toBeLessThan(5 * MINUTE_MS);
});
