// What work cost, from the facts: by the minute and model, and by the quarter of an hour and agent. Quarters,
// because days begin at one of them in every time zone.

import type { Fact } from '../facts.ts';
import type { UsageAdded } from '../usage.ts';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;

export interface ModelSpent {
  /** Null: the agent did not say. */
  readonly model: string | null;
  costMicroUsd: number;
  /** Read and written. */
  tokens: number;
}

export interface Spending {
  take(fact: Fact): void;
  /** What one minute cost. */
  ofMinute(minute: number): number;
  /** Dearest first; from the minute in which the range begins. */
  byModel(from: number, to: number): ModelSpent[];
  /** From the quarter of an hour in which the range begins. */
  byAgent(from: number, to: number): ReadonlyMap<string, number>;
}

/** Maps by step of time; the oldest go when the window has moved on. */
function createSteps<Value>(stepMs: number, windowMs: number) {
  const steps = new Map<number, Map<string, Value>>();
  return {
    at(instant: number): Map<string, Value> {
      const step = Math.floor(instant / stepMs);
      const found = steps.get(step);
      if (found !== undefined) return found;
      const made = new Map<string, Value>();
      steps.set(step, made);
      for (const old of steps.keys()) {
        if (old * stepMs >= instant - windowMs - stepMs) break;
        steps.delete(old);
      }
      return made;
    },
    get: (step: number) => steps.get(step),
    *between(from: number, to: number): Generator<[string, Value]> {
      const first = Math.floor(from / stepMs);
      for (const [step, values] of steps) {
        if (step >= first && step * stepMs <= to) yield* values;
      }
    },
  };
}

export function createSpending(windowMs: number): Spending {
  const models = createSteps<ModelSpent>(MINUTE_MS, windowMs);
  const agents = createSteps<number>(QUARTER_MS, windowMs);

  function add(at: number, agentId: string, used: UsageAdded): void {
    const { model, costMicroUsd, inputTokens, outputTokens } = used;
    const ofMinute = models.at(at);
    const spent = ofMinute.get(model ?? '') ?? { model, costMicroUsd: 0, tokens: 0 };
    spent.costMicroUsd += costMicroUsd;
    spent.tokens += inputTokens + outputTokens;
    ofMinute.set(model ?? '', spent);
    const ofQuarter = agents.at(at);
    ofQuarter.set(agentId, (ofQuarter.get(agentId) ?? 0) + costMicroUsd);
  }

  return {
    take(fact) {
      if ('usage' in fact && fact.usage !== undefined) add(fact.at, fact.agentId, fact.usage);
    },
    ofMinute(minute) {
      let sum = 0;
      for (const { costMicroUsd } of models.get(minute)?.values() ?? []) sum += costMicroUsd;
      return sum;
    },
    byModel(from, to) {
      const sums = new Map<string, ModelSpent>();
      for (const [name, { model, costMicroUsd, tokens }] of models.between(from, to)) {
        const sum = sums.get(name) ?? { model, costMicroUsd: 0, tokens: 0 };
        sum.costMicroUsd += costMicroUsd;
        sum.tokens += tokens;
        sums.set(name, sum);
      }
      return [...sums.values()].sort(
        (a, b) => b.costMicroUsd - a.costMicroUsd || b.tokens - a.tokens,
      );
    },
    byAgent(from, to) {
      const sums = new Map<string, number>();
      for (const [agent, cost] of agents.between(from, to)) {
        sums.set(agent, (sums.get(agent) ?? 0) + cost);
      }
      return sums;
    },
  };
}
