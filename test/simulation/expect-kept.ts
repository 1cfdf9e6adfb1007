// What every run of the gate has to show.

import { expect } from 'vitest';
import { type RunOptions, type RunResult, run } from './run.ts';

// Changed by hand: a seed of its own for every run would fail on somebody else's change.
export const SEED = 20_261_117;

export async function expectKept(options: RunOptions): Promise<RunResult> {
  const result = await run(options);
  expect(result.findings).toEqual([]);
  expect(result.steps).toBe(options.steps);
  // A run that hands nothing out, or in which nothing has to heal, proves nothing.
  expect(result.counts.get('hand-outs heard')).toBeGreaterThan(options.steps / 30);
  expect(result.counts.get('peace')).toBeGreaterThanOrEqual(2);
  return result;
}
