import { describe, expect, it } from 'vitest';
import type { Fact } from '../facts.ts';
import { countFacts } from './count-facts.ts';
import { createSpending } from './spending.ts';

const NOON = Date.UTC(2026, 10, 15, 12);
const MINUTE = 60_000;
const of = { taskId: 'o~r~7~implement.1', agentId: 'hana', fence: 1, state: 'leased' } as const;
const usage = {
  model: 'm1' as string | null,
  inputTokens: 10,
  outputTokens: 5,
  cachedTokens: 0,
  costMicroUsd: 40,
  turns: 0,
};

function renewed(at: number, used: Partial<typeof usage> = {}, agentId = 'hana'): Fact {
  const beat = { ...of, agentId, expiresAt: 0, progress: null };
  return { seq: 1, at, type: 'renewed', ...beat, usage: { ...usage, ...used } };
}

describe('statistics', () => {
  it('count facts by day and by hour, and sum up how long things took', () => {
    const leased = { ...of, type: 'leased', expiresAt: 0, attempt: 1, requestId: null } as const;
    const done = { summary: null, verdict: null, prNumber: null, state: 'done' } as const;
    const failed = { ...of, reason: 'x', attempt: 1, readyAt: null, state: 'ready' } as const;
    const counted = countFacts([
      { seq: 1, at: NOON, ...leased, waitedMs: 100 },
      { seq: 2, at: NOON + 59 * MINUTE, ...leased, waitedMs: 20 },
      { seq: 3, at: NOON + 60 * MINUTE, ...of, ...done, type: 'completed', workedMs: 7 },
      { seq: 4, at: NOON + 61 * MINUTE, ...failed, type: 'failed', workedMs: 2 },
      { seq: 5, at: NOON, ...of, type: 'renewed', expiresAt: 0, progress: null },
      { seq: 6, at: NOON, ...of, state: 'ready', type: 'ready', reason: null },
    ]);
    const hourly = counted.filter(({ period }) => period === 'hourly');
    expect(hourly.map(({ start, counter, value }) => [start, counter, value])).toEqual([
      ['2026-11-15T12', 'handed_out', 2],
      ['2026-11-15T12', 'waited_ms', 120],
      ['2026-11-15T13', 'completed', 1],
      ['2026-11-15T13', 'worked_ms', 9],
      ['2026-11-15T13', 'failed', 1],
    ]);
    const daily = counted.filter(({ period }) => period === 'daily');
    expect(daily.map(({ counter }) => counter)).toEqual(hourly.map(({ counter }) => counter));
    expect(new Set(daily.map(({ start }) => start))).toEqual(new Set(['2026-11-15']));
  });

  it('count what each agent and model used by day alone', () => {
    const counted = countFacts([renewed(NOON), renewed(NOON + 1, { model: null })]);
    const named = (period: string) =>
      Object.fromEntries(
        counted.filter((one) => one.period === period).map((one) => [one.counter, one.value]),
      );
    expect(named('hourly')).toEqual({ input_tokens: 20, output_tokens: 10, cost_micro_usd: 80 });
    expect(named('daily')).toEqual({
      ...named('hourly'),
      'agent:hana:input_tokens': 20,
      'agent:hana:output_tokens': 10,
      'agent:hana:cost_micro_usd': 80,
      'model:m1:input_tokens': 10,
      'model:m1:output_tokens': 5,
      'model:m1:cost_micro_usd': 40,
    });
  });
});

describe('spending', () => {
  const HOUR = 60 * MINUTE;
  const minuteOf = (at: number) => Math.floor(at / MINUTE);

  it('is summed up by minute, by model and by agent', () => {
    const spending = createSpending(HOUR);
    spending.take(renewed(NOON));
    spending.take(renewed(NOON + 1, { costMicroUsd: 2 }));
    spending.take(renewed(NOON + 2, { model: null, costMicroUsd: 100 }, 'kenji'));
    spending.take(renewed(NOON + MINUTE, { costMicroUsd: 1 }, 'kenji'));
    spending.take({ seq: 1, at: NOON, ...of, type: 'renewed', expiresAt: 0, progress: null });
    expect(spending.ofMinute(minuteOf(NOON))).toBe(142);
    expect(spending.ofMinute(minuteOf(NOON) + 1)).toBe(1);
    expect(spending.ofMinute(minuteOf(NOON) + 2)).toBe(0);
    expect(spending.byModel(NOON, NOON + HOUR)).toEqual([
      { model: null, costMicroUsd: 100, tokens: 15 },
      { model: 'm1', costMicroUsd: 43, tokens: 45 },
    ]);
    expect(spending.byAgent(NOON, NOON + HOUR)).toEqual(
      new Map([
        ['hana', 42],
        ['kenji', 101],
      ]),
    );
  });

  it('that cost the same is ordered by tokens', () => {
    const spending = createSpending(HOUR);
    spending.take(renewed(NOON, { model: 'few' }));
    spending.take(renewed(NOON, { model: 'many', inputTokens: 1000 }));
    expect(spending.byModel(NOON, NOON).map(({ model }) => model)).toEqual(['many', 'few']);
  });

  it('is asked for from the step in which a range begins to the one in which it ends', () => {
    const spending = createSpending(HOUR);
    for (const minutes of [0, 14, 15, 30]) spending.take(renewed(NOON + minutes * MINUTE));
    const models = (from: number, to: number) =>
      spending.byModel(NOON + from * MINUTE, NOON + to * MINUTE)[0]?.costMicroUsd ?? 0;
    const agents = (from: number, to: number) =>
      spending.byAgent(NOON + from * MINUTE, NOON + to * MINUTE).get('hana') ?? 0;
    expect([models(0, 30), models(0.5, 30), models(1, 30), models(0, 29), models(31, 40)]).toEqual([
      160, 160, 120, 120, 0,
    ]);
    expect([agents(0, 30), agents(14, 30), agents(15, 30), agents(0, 29), agents(45, 60)]).toEqual([
      160, 160, 80, 120, 0,
    ]);
  });

  it('is forgotten when the window has moved on', () => {
    const spending = createSpending(HOUR);
    spending.take(renewed(NOON));
    spending.take(renewed(NOON + 61 * MINUTE));
    expect(spending.ofMinute(minuteOf(NOON))).toBe(40);
    spending.take(renewed(NOON + 62 * MINUTE));
    expect(spending.ofMinute(minuteOf(NOON))).toBe(0);
    expect(spending.ofMinute(minuteOf(NOON) + 61)).toBe(40);
  });
});
