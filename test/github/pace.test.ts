// GitHub's published limits, enforced by the double, while a whole fleet begins to work at once.

import { afterEach, expect, it } from 'vitest';
import { type GithubWorld, makeGithubWorld, SHOP } from '../support/github/world.ts';

let w: GithubWorld;
afterEach(() => w.close());

const AGENTS = 60;

it('a fleet that starts at once is never told to wait, and its labels come in time', {
  timeout: 60_000,
}, async () => {
  w = await makeGithubWorld({ double: { limits: { creations: 'write' } }, forge: { pacing: {} } });
  const numbers = Array.from({ length: AGENTS }, () => w.openIssue());
  await w.settle();
  const asking = numbers.map((_, index) => w.request(`a${index}`));
  const answered: unknown[] = [];
  for (const one of asking) void one.then((task) => answered.push(task));
  // Five seconds are all that anybody waits for GitHub.
  for (let turn = 0; turn < 3000 && answered.length < asking.length; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (turn % 20 === 19) w.time.advance(50);
  }
  const given = await Promise.all(asking);
  expect(new Set(given.map((one) => one?.task.number)).size).toBe(AGENTS);
  const startedAt = w.time.now();
  const inTime = async () => {
    for (let step = 0; step < 600; step += 1) {
      w.time.advance(500);
      for (let turn = 0; turn < 30; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
      const running = w.broker.loops.outbox.runOnce();
      for (let turn = 0; turn < 20; turn += 1) {
        w.time.advance(50);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 50))]);
      if ((await w.store.queue(1)).outbox.pending === 0) return;
    }
    throw new Error('the ledger did not converge');
  };
  await inTime();
  for (const [index, number] of numbers.entries()) {
    const { shown } = await w.ledger(number);
    expect(shown).toContain('in-progress');
    expect(
      shown.some((label) => /^a\d+$/.test(label)),
      `#${index}`,
    ).toBe(true);
  }
  expect(w.github.limits.violations).toEqual([]);
  expect(w.github.limits.peaks.creationsPerMinute).toBeLessThanOrEqual(80);
  // 120 writes: a burst of 20, then 60 a minute.
  expect(w.time.now() - startedAt).toBeLessThan(300_000);
  expect(w.github.labels(SHOP, numbers[0] ?? 0)).toContain('python');
});
