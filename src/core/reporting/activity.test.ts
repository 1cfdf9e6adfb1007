import { describe, expect, test } from 'vitest';
import {
  accepted,
  completed,
  expired,
  facts,
  failed,
  ID,
  leased,
  MINUTE,
  NOTHING,
  REVIEW,
  START,
  taken,
} from '../../../test/support/activity-facts.ts';
import type { Fact, FactBody } from '../facts.ts';
import type { UsageAdded } from '../usage.ts';
import { bandOf, percentile } from './activity.ts';

/** A life with a failure, an expiry and a completion, and a review after it, over midnight. */
const LIFE = facts(
  [0, accepted(ID)],
  [1, leased(ID, 'ann')],
  [2, failed],
  [3, { type: 'ready', taskId: ID, state: 'ready', reason: null }],
  [4, leased(ID, 'ben', 2)],
  [34, expired],
  [35, leased(ID, 'cleo', 3)],
  [45, completed(ID)],
  [45, accepted(REVIEW, 'delayed')],
  [50, { type: 'ready', taskId: REVIEW, state: 'ready', reason: null }],
  [51, leased(REVIEW, 'dora')],
);

describe('leases', () => {
  test('each lease is one bar with its end and what was said last', () => {
    const bars = taken(LIFE).leases(START, START + 60 * MINUTE, 100);
    expect(
      bars.map(({ agentId, outcome, note, endedAt }) => [
        agentId,
        outcome,
        note,
        endedAt === null ? null : (endedAt - START) / MINUTE,
      ]),
    ).toEqual([
      ['ann', 'failed', 'no luck', 2],
      ['ben', 'expired', null, 34],
      ['cleo', 'completed', 'done it', 45],
      ['dora', null, null, null],
    ]);
  });

  test('a range shows what overlaps it, the newest if there are too many', () => {
    const activity = taken(LIFE);
    const names = (from: number, to: number, limit = 100) =>
      activity
        .leases(START + from * MINUTE, START + to * MINUTE, limit)
        .map(({ agentId }) => agentId);
    expect(names(3, 10)).toEqual(['ben']);
    expect(names(34, 40)).toEqual(['ben', 'cleo']);
    expect(names(55, 60)).toEqual(['dora']);
    expect(names(0, 60, 2)).toEqual(['cleo', 'dora']);
  });

  test('progress and renewals are kept while it runs', () => {
    const activity = taken([
      ...LIFE,
      ...facts([
        52,
        {
          type: 'renewed',
          taskId: REVIEW,
          state: 'leased',
          agentId: 'dora',
          fence: 1,
          expiresAt: START + 99 * MINUTE,
          progress: 'reading',
        },
      ]),
    ]);
    expect(activity.openLease(REVIEW)).toMatchObject({
      note: 'reading',
      noteAt: START + 52 * MINUTE,
      expiresAt: START + 99 * MINUTE,
    });
    expect(activity.openLease(ID)).toBeNull();
  });
});

describe('what work cost', () => {
  const used = (model: string | null, dollars: number): UsageAdded => ({
    model,
    inputTokens: 1000,
    outputTokens: 100,
    cachedTokens: 0,
    costMicroUsd: dollars * 1_000_000,
    turns: 1,
  });
  const renewed = (agentId: string, usage: UsageAdded): FactBody => ({
    type: 'renewed',
    taskId: ID,
    state: 'leased',
    agentId,
    fence: 1,
    expiresAt: START,
    progress: null,
    usage,
  });
  // The day of the facts ends at minute 30.
  const spent = facts(
    [1, leased(ID, 'ann')],
    [20, renewed('ann', used('large', 2))],
    [29, renewed('ann', used('small', 0.5))],
    [31, { ...failed, usage: used('large', 4) }],
    [32, renewed('ben', used(null, 1))],
  );

  test('is summed by step, model and agent, and split at midnight', () => {
    const activity = taken(spent);
    const midnight = START + 30 * MINUTE;
    const to = START + 59 * MINUTE;
    const points = activity.flow({ from: START, to, stepMs: 30 * MINUTE, now: NOTHING });
    expect(points.map(({ costMicroUsd }) => costMicroUsd / 1_000_000)).toEqual([2.5, 5]);
    const models = (from: number) =>
      activity.spending
        .byModel(from, to)
        .map(({ model, costMicroUsd, tokens }) => [model, costMicroUsd / 1_000_000, tokens]);
    expect(models(START)).toEqual([
      ['large', 6, 2200],
      [null, 1, 1100],
      ['small', 0.5, 1100],
    ]);
    expect(models(midnight)).toEqual([
      ['large', 4, 1100],
      [null, 1, 1100],
    ]);
    expect([...activity.spending.byAgent(midnight, to)]).toEqual([
      ['ann', 4_000_000],
      ['ben', 1_000_000],
    ]);
  });

  test('is forgotten when the window has moved on', () => {
    const activity = taken(spent);
    const later = START + 8 * 86_400_000;
    activity.take({ ...renewed('cleo', used('large', 3)), seq: 99, at: later });
    expect(activity.spending.byModel(0, later)).toMatchObject([{ costMicroUsd: 3_000_000 }]);
    expect([...activity.spending.byAgent(0, later).keys()]).toEqual(['cleo']);
  });
});

test('a ledger write that failed is known until the issue was written', () => {
  const issue = { repository: 'shop', number: 7 };
  const broke: FactBody = { type: 'ledger_failed', ...issue, error: 'no permission', final: false };
  const life = facts([1, broke], [2, { ...broke, number: 8, error: 'gone', final: true }]);
  expect(taken(life).ledgerFailure).toEqual({ error: 'no permission', at: START + MINUTE });
  const written = facts([3, { type: 'ledger_written', ...issue, labels: [] }]);
  expect(taken([...life, ...written]).ledgerFailure).toBeNull();
});

describe('flow', () => {
  const now = { ...NOTHING, done: 1, review: 1 };
  const input = { from: START, to: START + 59 * MINUTE, stepMs: 10 * MINUTE, now };

  test('the counts of every step are those of the facts, over midnight too', () => {
    const points = taken(LIFE).flow(input);
    expect(points.map(({ at }) => (at - START) / MINUTE)).toEqual([0, 10, 20, 30, 40, 50]);
    const sum = (name: 'handed_out' | 'completed' | 'failed' | 'expired') =>
      points.map(({ counts }) => counts[name]);
    expect(sum('handed_out')).toEqual([2, 0, 0, 1, 0, 1]);
    expect(sum('failed')).toEqual([1, 0, 0, 0, 0, 0]);
    expect(sum('expired')).toEqual([0, 0, 0, 1, 0, 0]);
    expect(sum('completed')).toEqual([0, 0, 0, 0, 1, 0]);
  });

  test('the tasks of every moment follow from those of now', () => {
    const points = taken(LIFE).flow(input);
    expect(points.map(({ tasks }) => tasks)).toEqual([
      { ...NOTHING, leased: 1 },
      { ...NOTHING, leased: 1 },
      { ...NOTHING, leased: 1 },
      { ...NOTHING, leased: 1 },
      { ...NOTHING, done: 1, held: 1 },
      { ...NOTHING, done: 1, review: 1 },
    ]);
  });

  test('what was there before the facts begin is counted from what it became', () => {
    // The facts of its beginning are no longer kept.
    const activity = taken(LIFE.slice(6));
    const [first] = activity.flow(input);
    expect(first?.tasks).toEqual({ ...NOTHING, ready: 1 });
  });

  test('an old minute does not stand in for a new one a week later', () => {
    const week = 7 * 86_400_000 + MINUTE;
    const activity = taken(LIFE);
    activity.take({ ...leased('shop~8~implement.1', 'ann'), seq: 99, at: START + week });
    const points = activity.flow({
      from: START + week - 10 * MINUTE,
      to: START + week,
      stepMs: MINUTE,
      now: NOTHING,
    });
    expect(points.map(({ counts }) => counts.handed_out).join('')).toMatch(/^0*1$/);
  });
});

test('how long a task is in its state is counted from the fact that brought it there', () => {
  const activity = taken([
    ...LIFE,
    ...facts([53, { type: 'prioritized', taskId: REVIEW, state: 'leased', priority: 25 }]),
  ]);
  expect(activity.stateSince(REVIEW, 'leased')).toBe(START + 51 * MINUTE);
  expect(activity.stateSince(REVIEW, 'ready')).toBeNull();
  expect(activity.stateSince('shop~99~implement.1', 'ready')).toBeNull();
});

test('the last facts are kept for who comes back, newest first, without renewals', () => {
  const activity = taken([...LIFE, { ...LIFE[10], type: 'renewed', progress: 'x' } as Fact]);
  expect(activity.recent.slice(0, 3).map(({ type }) => type)).toEqual([
    'leased',
    'completed',
    'leased',
  ]);
});

test('what was done to an issue is told, and moves no task', () => {
  const done = { taskId: ID, state: 'done', repository: 'shop', number: 7, by: 'hana' } as const;
  const activity = taken(facts([53, { type: 'issue_edited', ...done }]));
  expect(activity.recent).toMatchObject([{ type: 'issue_edited', by: 'hana' }]);
  const now = { ...NOTHING, done: 1 };
  const range = { from: START + 50 * MINUTE, to: START + 60 * MINUTE, stepMs: MINUTE };
  const points = activity.flow({ ...range, now });
  expect(points.map(({ tasks }) => tasks)).toEqual(points.map(() => now));
});

test('what ended last is known, newest first, and what came back is not', () => {
  const activity = taken([
    ...LIFE,
    ...facts(
      [
        52,
        {
          type: 'cancelled',
          taskId: 'shop~9~implement.1',
          state: 'cancelled',
          reason: 'x',
          agentId: null,
          fence: null,
        },
      ],
      [53, { type: 'ready', taskId: 'shop~9~implement.1', state: 'ready', reason: null }],
      [54, completed(REVIEW, 'approve')],
    ),
  ]);
  expect(activity.ended.done).toEqual([REVIEW, ID]);
  expect(activity.ended.cancelled).toEqual([]);
  expect(activity.approved).toEqual([REVIEW]);
});

test.each([
  ['implement', 'ready', 'ready'],
  ['review', 'ready', 'review'],
  ['fix', 'leased', 'review'],
  ['review', 'delayed', 'held'],
  ['implement', 'cancelled', null],
  ['review', 'done', 'done'],
] as const)('a %s that is %s counts as %s', (kind, state, band) => {
  expect(bandOf(kind, state)).toBe(band);
});

test('a percentile is a value that was there', () => {
  expect(percentile([], 0.5)).toBeNull();
  expect(percentile([7], 0.99)).toBe(7);
  expect(percentile([1, 2, 3, 4], 0.5)).toBe(2);
  expect(percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9)).toBe(9);
});
