// What was used as JSON: money in dollars.

import { type Used, usdOf } from '../../core/usage.ts';
import type { UsedView } from '../schema/usage.ts';

export function usedView(used: Used): UsedView {
  return {
    input_tokens: used.inputTokens,
    output_tokens: used.outputTokens,
    cached_tokens: used.cachedTokens,
    cost_usd: usdOf(used.costMicroUsd),
    turns: used.turns,
  };
}
