// What was left of the forge's limits, minute by minute: this instance's own notes, since it started, a day at
// most. Nothing is asked for it: the forge says its budget with every answer.

import type { BudgetSample } from '../broker.ts';
import type { Context } from '../context.ts';
import { createLoop, type Loop } from '../loop.ts';

const SAMPLE_MS = 60_000;
const KEPT_MS = 86_400_000;

export interface BudgetHistory extends Loop {
  /** Oldest first. */
  since(at: number): BudgetSample[];
}

export function createBudgetHistory({ store, forge, timers, log }: Context): BudgetHistory {
  let samples: BudgetSample[] = [];

  async function turn(): Promise<number | null> {
    if (forge.budget === undefined) return null;
    const budget = await forge.budget();
    const at = await store.now();
    samples = samples.filter((sample) => sample.at > at - KEPT_MS);
    if (budget !== null) samples.push({ at, limit: budget.limit, remaining: budget.remaining });
    return SAMPLE_MS;
  }

  return {
    ...createLoop({ name: 'budget history', timers, log, turn, retryMs: SAMPLE_MS }),
    since: (from) => samples.filter(({ at }) => at >= from),
  };
}
