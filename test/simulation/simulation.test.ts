// 100,000 steps in every run of the gate: these on the store in memory, the rest in stores.test.ts on a real file and a real
// Redis. `npm run simulate -- --seed 7 --steps 1000000` for a night.

import { expect, it } from 'vitest';
import { expectKept, SEED } from './expect-kept.ts';
import { type RunOptions, run } from './run.ts';
import { FAULTS } from './world/faults.ts';

it('keeps every promise under every fault: a fleet', { timeout: 600_000 }, async () => {
  const fleet = { agents: 200, issues: 300, instances: 3, season: 20_000 };
  const { counts } = await expectKept({ store: 'memory', steps: 60_000, seed: SEED, ...fleet });
  for (const { name } of FAULTS) {
    expect({ name, times: counts.get(name) ?? 0 }).not.toMatchObject({ times: 0 });
  }
  const others = ['late report refused', 'second waiting request', 'client time-out'];
  for (const what of others) {
    expect({ what, times: counts.get(what) ?? 0 }).not.toMatchObject({ times: 0 });
  }
});

it('keeps every promise under every fault: a few agents on five instances', {
  timeout: 600_000,
}, async () => {
  const few = { agents: 20, issues: 60, instances: 5, season: 6500 };
  const { counts } = await expectKept({ store: 'memory', steps: 26_000, seed: SEED, ...few });
  // Among many somebody always waits, and then nobody asks alone.
  expect(counts.get('order checked')).toBeGreaterThan(0);
});

it('makes the same run again from the same seed', { timeout: 120_000 }, async () => {
  const options: RunOptions = {
    seed: 7,
    steps: 1500,
    store: 'memory',
    agents: 30,
    issues: 40,
    instances: 3,
    season: 750,
  };
  const [one, again, other] = [
    await run(options),
    await run(options),
    await run({ ...options, seed: 8 }),
  ];
  expect(again.fingerprint).toBe(one.fingerprint);
  expect([...again.counts]).toEqual([...one.counts]);
  expect(other.fingerprint).not.toBe(one.fingerprint);
  const file = { ...options, store: 'sqlite', instances: 1 } as const;
  expect((await run(file)).fingerprint).toBe((await run(file)).fingerprint);
});
