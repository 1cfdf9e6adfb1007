// The simulation on a real SQLite file and on a real Redis.

import { expect, it } from 'vitest';
import { createShiftedClock } from './engine/shifted-clock.ts';
import { createVirtualTime } from './engine/virtual-time.ts';
import { expectKept, SEED } from './expect-kept.ts';
import { openRedisBacking } from './stores/redis-backing.ts';

it('keeps every promise on a real SQLite file', { timeout: 600_000 }, async () => {
  const one = { agents: 60, issues: 200, instances: 1, season: 5500 };
  await expectKept({ store: 'sqlite', steps: 11_000, seed: SEED, ...one });
});

it('keeps every promise on a real Redis', { timeout: 600_000 }, async () => {
  const three = { agents: 60, issues: 100, instances: 3, season: 1500 };
  await expectKept({ store: 'redis', steps: 3000, seed: SEED, ...three });
});

it('has the same clock after a loss of data, also one that was set back before', async () => {
  const time = createVirtualTime(1_000_000);
  const clock = createShiftedClock(time);
  const options = { clock, time, leaseSeconds: 60, repository: 'octo/park' };
  const backing = await openRedisBacking(options);
  const now = () => backing.raw()?.now();
  await now();
  clock.jump(-5000);
  expect(await now()).toBe(1_000_000);
  await backing.keep(() => undefined);
  clock.jump(-700);
  expect(await now()).toBe(1_000_000);
  await backing.goBack('failover', () => undefined);
  expect(await now()).toBe(1_000_000);
  await backing.close();
});

it('never reads facts from a Redis that is being replaced, and waits for whoever reads', async () => {
  const time = createVirtualTime(0);
  const clock = createShiftedClock(time);
  const backing = await openRedisBacking({
    clock,
    time,
    leaseSeconds: 60,
    repository: 'octo/park',
  });
  const told: string[] = [];
  backing.onFacts((facts) =>
    told.push(...facts.map((fact) => ('name' in fact ? fact.name : fact.type))),
  );
  const { store, drop } = await backing.open();
  await backing.keep(() => told.push('kept'));
  await store.putSetting('flags:maintenance', true);
  const lost = backing.goBack('failover', () => told.push('lost'));
  const reads = [backing.pull(), backing.pull()];
  let rested = false;
  const rest = async () => {
    await time.rest();
    rested = true;
  };
  const resting = rest();
  expect(await lost).toBe(true);
  expect(rested).toBe(false);
  await Promise.all(reads);
  await resting;
  expect(told).toEqual(['kept', 'flags:maintenance', 'lost', 'generation']);
  drop();
  await backing.close();
});
