// Whoever watches is watched: each planted fault must be found, and a story told of it that a person can read.

import { describe, expect, it } from 'vitest';
import { PLANTS } from './plants.ts';
import { type RunOptions, type RunResult, run } from './run.ts';
import { shrink, tellStory } from './story/shrink.ts';

const OPTIONS: Omit<RunOptions, 'seed'> = {
  steps: 4000,
  store: 'memory',
  agents: 40,
  issues: 80,
  instances: 3,
  season: 2000,
};
const MOST_SEEDS = 5;

async function firstFound(options: Omit<RunOptions, 'seed'>): Promise<[RunOptions, RunResult]> {
  for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
    const result = await run({ ...options, seed });
    if (result.findings.length > 0) return [{ ...options, seed }, result];
  }
  throw new Error('Nothing was found.');
}

describe('a Banto that', () => {
  it.each(PLANTS.map((plant) => [plant.wrong, plant] as const))(
    '%s is found out',
    { timeout: 120_000 },
    async (_wrong, plant) => {
      const [, { findings }] = await firstFound({ ...OPTIONS, plant });
      expect(plant.rules).toContain(findings[0]?.rule);
    },
  );
});

it('a failing run shrinks to a short story', { timeout: 240_000 }, async () => {
  const plant = PLANTS.find(({ wrong }) => wrong === 'takes stale tokens');
  const [options, found] = await firstFound({ ...OPTIONS, plant });
  expect(found.steps).toBeGreaterThan(50);
  const shrunk = await shrink(options, found);
  const steps = shrunk.options.only?.length ?? 0;
  expect(steps).toBeGreaterThan(0);
  expect(steps).toBeLessThanOrEqual(12);
  const story = await tellStory(shrunk);
  expect(story).toMatch(/a\d+ is given octo~park~\d+~/);
  expect(story).toMatch(/was accepted after the lease was|stale/);
  expect(story.split('\n').length).toBeLessThan(60);
});
