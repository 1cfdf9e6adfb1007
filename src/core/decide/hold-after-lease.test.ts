// What people say against a task while an agent works on it counts from the moment the lease ends.

import { describe, expect, it } from 'vitest';
import { decide, leased, NOW, TASK, task } from '../../../test/support/decide.ts';
import { decodeTask, encodeTask } from '../rows/codec.ts';
import type { TaskRow } from '../rows/task-row.ts';
import type { FollowUp } from '../store.ts';
import { complete } from './complete.ts';
import { expire } from './expire.ts';
import { fail } from './fail.ts';
import { holdAfterLease } from './plan-meets.ts';
import { release, unlock } from './release.ts';
import { prioritize } from './requeue.ts';

const BLOCKED = 'excluded_label:blocked';
const said = { taskId: TASK, token: 't1', ledger: [] };
const retry = { retryable: true, retryDelaysMs: [30_000], delayMs: null, deadLedger: [] };
const byKind = { implement: [], review: [], fix: [] };

const ends: Record<
  string,
  (row: TaskRow) => { tasks?: readonly TaskRow[]; facts?: readonly unknown[] }
> = {
  'a release': (row) => decide(release, { ...said, reason: null }, { tasks: [row] }),
  'a release with a delay': (row) =>
    decide(release, { ...said, reason: null, delayMs: 70 }, { tasks: [row] }),
  'a failure': (row) => decide(fail, { ...said, reason: 'broke', ...retry }, { tasks: [row] }),
  'an expiry': (row) =>
    decide(
      expire,
      { taskId: TASK, maxAttempts: 3, ledger: byKind, deadLedger: byKind },
      { tasks: [row], now: NOW + 50_000 },
    ),
  'an operator who takes the lease away': (row) =>
    decide(unlock, { taskId: TASK, ledger: [] }, { tasks: [row] }),
};

describe.each(Object.entries(ends))('%s', (_, end) => {
  it('offers the task again where nothing speaks against it', () => {
    const [next] = end(leased()).tasks ?? [];
    expect(['ready', 'delayed']).toContain(next?.state);
  });

  it('holds it for what was said meanwhile, and tells so', () => {
    const { tasks, facts } = end(leased({ holdAfter: BLOCKED }));
    expect(tasks).toMatchObject([{ state: 'held', reason: BLOCKED, lease: null, holdAfter: null }]);
    expect(facts).toMatchObject([
      { state: 'held' },
      { type: 'held', taskId: TASK, state: 'held', reason: BLOCKED },
    ]);
  });
});

it('keeps the instant of a retry, for when the hold is lifted', () => {
  const [failed] = ends['a failure']?.(leased({ holdAfter: BLOCKED })).tasks ?? [];
  expect(failed).toMatchObject({ readyAt: NOW + 30_000, timed: true });
});

it('says nothing about what was completed', () => {
  const done = {
    ...said,
    summary: null,
    prNumber: null,
    verdict: null,
    comments: [],
    followUp: null,
  };
  const { tasks } = decide(complete, done, { tasks: [leased({ holdAfter: BLOCKED })] });
  expect(tasks).toMatchObject([{ state: 'done', reason: null, holdAfter: null }]);
});

describe('what follows a completion', () => {
  const review = {
    id: 'octo~park~7~review.1',
    state: 'delayed' as const,
    reason: 'review_delay',
    delayMs: 300_000,
    priority: 100,
    authorFirstMs: 0,
    reviewComments: [],
  };
  const ends = (row: TaskRow, followUp: FollowUp) =>
    decide(
      complete,
      { ...said, summary: null, prNumber: null, verdict: null, comments: [], followUp },
      { tasks: [row] },
    );

  it('is held for what was said against the issue meanwhile, with the instant of its own', () => {
    const { tasks, facts } = ends(leased({ holdAfter: BLOCKED }), review);
    const held = { id: review.id, state: 'held', reason: BLOCKED, readyAt: NOW + 300_000 };
    expect(tasks).toMatchObject([{ state: 'done' }, held]);
    expect(facts?.at(-1)).toMatchObject({ type: 'accepted', state: 'held', reason: BLOCKED });
  });

  it.each([null, 'no_deliverables', 'no_pull_request', 'needs_review', 'approved'])(
    'is not, for what was said about the work alone: %s',
    (holdAfter) => {
      const [, next] = ends(leased({ holdAfter }), review).tasks ?? [];
      expect(next).toMatchObject({ state: 'delayed', reason: 'review_delay' });
    },
  );

  it('is dead where it was to be dead', () => {
    const dead = { ...review, state: 'dead' as const, reason: 'review_rounds', delayMs: 0 };
    const [, next] = ends(leased({ holdAfter: BLOCKED }), dead).tasks ?? [];
    expect(next).toMatchObject({ state: 'dead', reason: 'review_rounds' });
  });
});

it('is not forgotten when an operator changes the priority meanwhile', () => {
  const row = leased({ holdAfter: BLOCKED });
  const { tasks } = decide(prioritize, { taskId: TASK, priority: 100 }, { tasks: [row] });
  expect(tasks).toMatchObject([{ state: 'leased', holdAfter: BLOCKED }]);
});

it('is only what the issue says, not that the forge is still being read or was adopted', () => {
  expect(holdAfterLease({ state: 'ready' })).toBeNull();
  expect(holdAfterLease({ state: 'held', reason: BLOCKED, graceMs: null })).toBe(BLOCKED);
  expect(holdAfterLease({ state: 'held', reason: 'listing', graceMs: null })).toBeNull();
  expect(holdAfterLease({ state: 'held', reason: 'in_progress', graceMs: 5 })).toBeNull();
});

it.each([true, false])('is kept with the row, which is stuck: %s', (stuck) => {
  const row = leased({ holdAfter: BLOCKED, stuck });
  expect(decodeTask(TASK, encodeTask(row))).toEqual(row);
  expect(decodeTask(TASK, encodeTask(task({ stuck })))).toEqual(task({ stuck }));
});
