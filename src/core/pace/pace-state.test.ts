// The rules of the pace, one by one; that instances and processes keep to them together is tried elsewhere.

import { describe, expect, it } from 'vitest';
import { FLIGHT_MS, type PaceLimits, SAME_RESET_MS } from './pace.ts';
import {
  block,
  EMPTY_PACE,
  land,
  leaveNow,
  noteBudget,
  type PaceState,
  statusNow,
  takePlace,
} from './pace-state.ts';

const NOW = 10_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const LIMITS: PaceLimits = {
  writes: { burst: 2, perMinute: 60 },
  reads: { burst: 100, perMinute: 600 },
  content: { perMinute: 2, perHour: 3 },
  sent: { perMinute: 3, perHour: null },
  writesAtOnce: 10,
  atOnce: 20,
  readReserve: 0.1,
};
const budget = (remaining: number, of: 'core' | 'graphql' = 'core', resetMs = HOUR_MS) =>
  noteBudget(EMPTY_PACE, { of, limit: 100, remaining, resetMs }, NOW);

/** What is answered to so many who ask at one instant. */
function ask(count: number, line: 'content' | 'writes', mostWaitMs = 2 * HOUR_MS) {
  let state = EMPTY_PACE;
  const answers = Array.from({ length: count }, () => {
    const taken = takePlace(state, line, mostWaitMs, LIMITS, NOW);
    ({ state } = taken);
    return taken.answer;
  });
  return { state, answers };
}

describe('a place in line', () => {
  it('is given in advance: a burst, then one after the other', () => {
    const waits = [0, 0, 1000, 2000].map((waitMs) => ({ waitMs }));
    expect(ask(4, 'writes').answers).toEqual(waits);
    expect(ask(3, 'writes', 999).answers.at(-1)).toEqual({ waitMs: 1000, reason: 'pace' });
  });

  it('among few in any minute and any hour counts from when it is for', () => {
    const { answers, state } = ask(5, 'content');
    expect(answers).toEqual([
      { waitMs: 0 },
      { waitMs: 0 },
      { waitMs: MINUTE_MS },
      { waitMs: HOUR_MS },
      { waitMs: HOUR_MS },
    ]);
    expect(state.content).toEqual([NOW, NOW, NOW + MINUTE_MS, NOW + HOUR_MS, NOW + HOUR_MS]);
  });

  it('that was given is remembered for as long as it counts, and not longer', () => {
    const { state } = ask(3, 'content');
    expect(takePlace(state, 'content', 0, LIMITS, NOW + 3 * MINUTE_MS).answer).toEqual({
      waitMs: HOUR_MS - 3 * MINUTE_MS,
      reason: 'pace',
    });
    const later = takePlace(ask(2, 'content').state, 'content', 0, LIMITS, NOW + HOUR_MS + 1).state;
    expect(later.content).toEqual([NOW + HOUR_MS + 1]);
    const sent = leaveNow(EMPTY_PACE, 'w1', 'write', LIMITS, NOW).state;
    const next = leaveNow(sent, 'w2', 'write', LIMITS, NOW + MINUTE_MS + 1).state;
    expect(next.sent).toEqual([NOW + MINUTE_MS + 1]);
  });
});

describe('what leaves', () => {
  const leave = (state: PaceState, id: string, at = NOW) =>
    leaveNow(state, id, 'write', LIMITS, at);

  it('is no more than a minute takes', () => {
    let state = EMPTY_PACE;
    for (const id of ['a', 'b', 'c']) ({ state } = leave(state, id));
    expect(leave(state, 'd').answer).toEqual({ waitMs: MINUTE_MS, reason: 'pace' });
    expect(leave(state, 'c').answer).toBeNull();
    expect(leave(state, 'd', NOW + MINUTE_MS).answer).toBeNull();
  });

  it('is under way until it lands, or can be so no longer', () => {
    const { state } = leave(leave(EMPTY_PACE, 'a').state, 'b', NOW + 5);
    const ids = (at: number, ...landed: string[]) =>
      land(state, landed, at).flying.map(([id]) => id);
    expect(ids(NOW + 10)).toEqual(['a', 'b']);
    expect(ids(NOW + 10, 'a')).toEqual(['b']);
    expect(ids(NOW + FLIGHT_MS - 1)).toEqual(['a', 'b']);
    expect(ids(NOW + FLIGHT_MS)).toEqual(['b']);
    expect(land(state, ['x'], NOW + 10)).toBe(state);
  });
});

describe('a budget that runs out', () => {
  it.each([
    [12, 'writes', null],
    [12, 'reads', null],
    [10, 'writes', null],
    [10, 'reads', 'core'],
    [0, 'writes', 'core'],
  ] as const)('with %i of 100 left, for %s: %s', (remaining, line, reason) => {
    const { answer } = takePlace(budget(remaining), line, 0, LIMITS, NOW);
    expect('reason' in answer ? answer.reason : null).toBe(reason);
  });

  it('of one kind does not stop the other, and what is under way is counted', () => {
    const spent = budget(1, 'graphql');
    expect(leaveNow(spent, 'w', 'write', LIMITS, NOW).answer).toBeNull();
    const out = leaveNow(spent, 'g1', 'graphql', LIMITS, NOW);
    expect(out.answer).toBeNull();
    expect(leaveNow(out.state, 'g2', 'graphql', LIMITS, NOW).answer).toEqual({
      waitMs: HOUR_MS,
      reason: 'graphql',
    });
    const beside = leaveNow(spent, 'r', 'read', LIMITS, NOW).state;
    expect(leaveNow(beside, 'g1', 'graphql', LIMITS, NOW).answer).toBeNull();
  });

  it.each([
    ['the lower figure of the same hour', 80, HOUR_MS, 80],
    ['a higher one of the same hour is older', 95, HOUR_MS + SAME_RESET_MS, 90],
    ['the next hour', 95, HOUR_MS + SAME_RESET_MS + 1, 95],
    ['the hour before', 10, HOUR_MS - SAME_RESET_MS - 1, 90],
  ])('is known by %s', (_title, remaining, resetMs, expected) => {
    const said = { of: 'core', limit: 100, remaining, resetMs } as const;
    expect(statusNow(noteBudget(budget(90), said, NOW), NOW).budget?.remaining).toBe(expected);
  });

  it('is whole again when it was reset', () => {
    expect(statusNow(budget(0), NOW + HOUR_MS - 1).budget).toMatchObject({ remaining: 0 });
    expect(statusNow(budget(0), NOW + HOUR_MS).budget).toMatchObject({ remaining: 100 });
    expect(takePlace(budget(0), 'writes', 0, LIMITS, NOW + HOUR_MS).answer).toEqual({ waitMs: 0 });
  });
});

it('a silence is never shortened', () => {
  const silent = block(EMPTY_PACE, NOW + 500);
  expect(block(silent, NOW + 400)).toBe(silent);
  expect(statusNow(block(silent, NOW + 600), NOW).blockedMs).toBe(600);
  expect(takePlace(silent, 'reads', 0, LIMITS, NOW).answer).toEqual({
    waitMs: 500,
    reason: 'blocked',
  });
});
