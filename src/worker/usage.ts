// What a run used. Tools count differently: some since the session began, some since the process did, some
// with and some without the cached part. Here input contains the cached part and output the reasoning.

import type { UsageBody } from '../doors/schema/usage.ts';

export interface Usage {
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  /** Null: the tool does not say. */
  readonly costUsd: number | null;
  readonly turns: number;
}

export const NO_USAGE: Usage = {
  model: null,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  costUsd: null,
  turns: 0,
};

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Without it cached tokens cost as much as others. */
  readonly cached?: number;
}

export type Prices = Readonly<Record<string, Price>>;

export function plus(a: Usage, b: Usage): Usage {
  return {
    model: b.model ?? a.model,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    costUsd: a.costUsd === null && b.costUsd === null ? null : (a.costUsd ?? 0) + (b.costUsd ?? 0),
    turns: a.turns + b.turns,
  };
}

/** What came on top of `before` in the same session. A count that went down belongs to a new session. */
export function since(total: Usage, before: Usage): Usage {
  const restarted =
    total.inputTokens < before.inputTokens || total.outputTokens < before.outputTokens;
  if (restarted) return total;
  const costUsd =
    total.costUsd === null ? null : Math.max(0, total.costUsd - (before.costUsd ?? 0));
  return {
    model: total.model,
    inputTokens: total.inputTokens - before.inputTokens,
    outputTokens: total.outputTokens - before.outputTokens,
    cachedTokens: Math.max(0, total.cachedTokens - before.cachedTokens),
    costUsd,
    // Readers count these themselves, for the run alone.
    turns: total.turns,
  };
}

const MILLION = 1_000_000;

/** The cost by the price table, where the tool itself gave none. */
export function priced(usage: Usage, prices: Prices): Usage {
  if (usage.costUsd !== null || usage.model === null) return usage;
  const price = prices[usage.model];
  if (price === undefined) return usage;
  const fresh = Math.max(0, usage.inputTokens - usage.cachedTokens);
  const sum =
    fresh * price.input +
    usage.cachedTokens * (price.cached ?? price.input) +
    usage.outputTokens * price.output;
  return { ...usage, costUsd: sum / MILLION };
}

const VISIBLE = /^[\x21-\x7e]{1,200}$/;

export function usageBody(usage: Usage, sessionId: string | null): UsageBody {
  const word = (text: string | null) => (text !== null && VISIBLE.test(text) ? text : null);
  const [model, session] = [word(usage.model), word(sessionId)];
  return {
    ...(model === null ? {} : { model }),
    input_tokens: Math.round(usage.inputTokens),
    output_tokens: Math.round(usage.outputTokens),
    cached_tokens: Math.round(usage.cachedTokens),
    ...(usage.costUsd === null ? {} : { cost_usd: Number(usage.costUsd.toFixed(6)) }),
    turns: usage.turns,
    ...(session === null ? {} : { session_id: session }),
  };
}
