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

describe('sums', () => {
  const of = (base: number) => ({
    inputTokens: base,
    outputTokens: base + 1,
    cachedTokens: base + 2,
    costMicroUsd: base + 3,
    turns: base + 4,
  });

  it('add every figure by itself', () => {
    expect(addUsed(of(10), of(100))).toEqual({
      inputTokens: 110,
      outputTokens: 112,
      cachedTokens: 114,
      costMicroUsd: 116,
      turns: 118,
    });
    expect(addUsed(null, of(1))).toEqual(of(1));
    expect(addUsed(of(1), null)).toEqual(of(1));
  });

  it('are of what rose, and nothing is where nothing was said', () => {
    const before = usage({ inputTokens: 1, outputTokens: 2, cachedTokens: 3, turns: 4 });
    const after = usage({ inputTokens: 11, outputTokens: 22, cachedTokens: 33, turns: 44 });
    expect(usageAdded(before, after)).toEqual({
      model: null,
      inputTokens: 10,
      outputTokens: 20,
      cachedTokens: 30,
      costMicroUsd: 0,
      turns: 40,
    });
    expect(usageAdded(null, usage({ model: 'm' }))).toBeNull();
  });

  it('are counted for no model where none is known', () => {
    const added = { ...of(0), model: null, costMicroUsd: 0 };
    expect(usageCounters('a1', added)).toEqual([
      ['output_tokens', 1],
      ['agent:a1:output_tokens', 1],
      ['cached_tokens', 2],
      ['agent:a1:cached_tokens', 2],
      ['turns', 4],
      ['agent:a1:turns', 4],
    ]);
  });

  it('keep the session, and what only one of two calls said', () => {
    const before = usage({ sessionId: 's1', turns: 3, costUsd: -1 });
    const told = usage({ model: 'm' });
    expect(mergeUsage(before, told)).toEqual(
      usage({ model: 'm', sessionId: 's1', turns: 3, costUsd: -1 }),
    );
  });
});
