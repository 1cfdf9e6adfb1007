import { describe, expect, it } from 'vitest';
import { NOTHING_USED } from '../usage.ts';
import { dayUsedUp, limitsFor, midnightAfter, NO_LIMITS, usedUp } from './budget.ts';

const used = { ...NOTHING_USED, costMicroUsd: 2_000_000, inputTokens: 700, outputTokens: 300 };

describe('what a task may cost', () => {
  it.each([
    ['no limit is never used up', used, NO_LIMITS, null],
    ['nothing used is never used up', null, { costUsd: 0.01, tokens: 1 }, null],
    ['below both limits there is room', used, { costUsd: 2.01, tokens: 1001 }, null],
    ['the cost is used up', used, { costUsd: 2, tokens: null }, /\$2\.00 of the \$2\.00/],
    ['the tokens are used up', used, { costUsd: 9, tokens: 1000 }, /1000 of the 1000 tokens/],
  ])('%s', (_title, spent, limits, expected) => {
    const detail = usedUp(spent, limits);
    if (expected === null) expect(detail).toBeNull();
    else expect(detail).toMatch(expected);
  });

  it('puts what an operator set above the settings, each limit by itself', () => {
    const general = { costUsd: 1, tokens: 10 };
    expect(limitsFor(null, general)).toEqual(general);
    expect(limitsFor({ costUsd: 5, tokens: null }, general)).toEqual({ costUsd: 5, tokens: 10 });
  });
});

describe('what a day may cost', () => {
  const counters = { cost_micro_usd: 5_000_000, 'agent:a1:cost_micro_usd': 3_000_000 };
  it.each([
    ['without limits there is room', null, null, 'a1', null, null],
    ['everybody together', 5, null, null, 'day_budget', /MAX_COST_PER_DAY_USD/],
    ['one agent', null, 3, 'a1', 'agent_day_budget', /a1.*MAX_COST_PER_AGENT_DAY_USD/],
    ['another agent has room', null, 3, 'a2', null, null],
  ])('%s', (_title, costUsd, agentCostUsd, agentId, code, detail) => {
    const found = dayUsedUp(counters, { costUsd, agentCostUsd }, agentId);
    expect(found?.code ?? null).toBe(code);
    if (detail !== null) expect(found?.detail).toMatch(detail);
  });

  it('ends at midnight UTC', () => {
    const noon = Date.parse('2026-11-15T12:00:00Z');
    expect(midnightAfter(noon)).toBe(Date.parse('2026-11-16T00:00:00Z'));
    expect(midnightAfter(midnightAfter(noon))).toBe(Date.parse('2026-11-17T00:00:00Z'));
  });
});
