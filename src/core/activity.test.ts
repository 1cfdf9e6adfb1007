import { describe, expect, test } from 'vitest';
import { type Activity, BANDS, type Band, bandOf, createActivity, percentile } from './activity.ts';
import type { Fact, FactBody } from './facts.ts';

const START = Date.UTC(2026, 10, 15, 23, 30);
const MINUTE = 60_000;
const NOTHING = Object.fromEntries(BANDS.map((band) => [band, 0])) as Record<Band, number>;

/** Facts with their numbers and times: minutes after the start. */
function facts(...told: readonly [minute: number, body: FactBody][]): Fact[] {
  return told.map(([minute, body], index) => ({
    ...body,
    seq: index + 1,
    at: START + minute * MINUTE,
  }));
}

function taken(list: readonly Fact[]): Activity {
  const activity = createActivity();
  for (const fact of list) activity.take(fact);
  return activity;
}

const ID = 'shop~7~implement.1';
const REVIEW = 'shop~7~review.1';
const accepted = (taskId: string, state: 'ready' | 'held' | 'delayed' = 'ready'): FactBody => ({
  type: 'accepted',
  taskId,
  state,
  kind: 'implement',
  priority: 100,
  reason: null,
});
const leased = (taskId: string, agentId: string, attempt = 1): FactBody => ({
  type: 'leased',
  taskId,
  state: 'leased',
  agentId,
  fence: attempt,
  expiresAt: START + 3_600_000,
  attempt,
  requestId: null,
  waitedMs: 5000,
});
const failed: FactBody = {
  type: 'failed',
  taskId: ID,
  state: 'delayed',
  agentId: 'ann',
  fence: 1,
  reason: 'no luck',
  attempt: 1,
  readyAt: START,
  workedMs: 1000,
};
const expired: FactBody = {
  type: 'expired',
  taskId: ID,
  state: 'ready',
  agentId: 'ben',
  fence: 2,
  attempt: 2,
};
const completed = (taskId: string, verdict: 'approve' | null = null): FactBody => ({
  type: 'completed',
  taskId,
  state: 'done',
  agentId: 'cleo',
  fence: 3,
  summary: 'done it',
  verdict,
  prNumber: null,
  workedMs: 1000,
});

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
