import { describe, expect, it } from 'vitest';
import { addUsed, mergeUsage, type Usage, usageAdded, usageCounters } from './usage.ts';

const nothing: Usage = {
  model: null,
  inputTokens: null,
  outputTokens: null,
  cachedTokens: null,
  costUsd: null,
  turns: null,
  sessionId: null,
};
const usage = (over: Partial<Usage>): Usage => ({ ...nothing, ...over });

describe('what an attempt has used', () => {
  it.each([
    ['the first word counts', null, usage({ costUsd: 1 }), usage({ costUsd: 1 })],
    ['no word changes nothing', usage({ turns: 2 }), null, usage({ turns: 2 })],
    ['totals rise', usage({ turns: 2 }), usage({ turns: 5 }), usage({ turns: 5 })],
    ['an older total is late', usage({ turns: 5 }), usage({ turns: 2 }), usage({ turns: 5 })],
    [
      'what is not said stays known',
      usage({ inputTokens: 9, model: 'a' }),
      usage({ outputTokens: 3 }),
      usage({ inputTokens: 9, outputTokens: 3, model: 'a' }),
    ],
    [
      'the last model and session count',
      usage({ model: 'a', sessionId: 's1' }),
      usage({ model: 'b', sessionId: 's2' }),
      usage({ model: 'b', sessionId: 's2' }),
    ],
  ])('%s', (_title, before, told, after) => {
    expect(mergeUsage(before, told)).toEqual(after);
  });

  it('adds only what is new, in whole millionths of a dollar', () => {
    const before = usage({ costUsd: 0.1, inputTokens: 100 });
    const after = usage({ costUsd: 0.3, inputTokens: 150, model: 'm' });
    expect(usageAdded(before, after)).toEqual({
      model: 'm',
      inputTokens: 50,
      outputTokens: 0,
      cachedTokens: 0,
      costMicroUsd: 200_000,
      turns: 0,
    });
    expect(usageAdded(after, after)).toBeNull();
    expect(usageAdded(null, null)).toBeNull();
  });

  it('sums what was added to the same total as was told', () => {
    const told = [0.1, 0.2, 0.30000000000000004, 0.7].map((costUsd) => usage({ costUsd }));
    let known: Usage | null = null;
    let sum = null;
    for (const one of told) {
      const after = mergeUsage(known, one);
      sum = addUsed(sum, usageAdded(known, after));
      known = after;
    }
    expect(sum?.costMicroUsd).toBe(700_000);
  });

  it('counts for everybody, the agent and the model', () => {
    const added = usageAdded(null, usage({ costUsd: 2, model: 'm1' }));
    expect(usageCounters('a1', added ?? expect.fail())).toEqual([
      ['cost_micro_usd', 2_000_000],
      ['agent:a1:cost_micro_usd', 2_000_000],
      ['model:m1:cost_micro_usd', 2_000_000],
    ]);
  });
});
