// The table of TaskPlan, row by row, and what a mirrored issue brings beside it.

import { describe, expect, it, test } from 'vitest';
import { decide, ISSUE, issue, leased, NOW, TASK, task } from '../../../test/support/decide.ts';
import type { TaskRow } from '../rows/task-row.ts';
import type { MirrorEntry, TaskPlan } from '../store.ts';
import { mirror } from './mirror.ts';

const plan = (over: Partial<TaskPlan> = {}): TaskPlan => ({
  id: TASK,
  want: { state: 'ready' },
  priority: 50,
  branch: 'topic',
  prNumber: null,
  reviewComments: [],
  authors: [],
  authorFirstMs: 0,
  create: true,
  ...over,
});
const entry = (over: Partial<MirrorEntry> = {}, updatedAt = 100): MirrorEntry => ({
  issue: {
    ...ISSUE,
    subject: 'issue',
    title: '',
    body: '',
    url: '',
    labels: ['Python', 'in-progress'],
    state: 'open',
    author: null,
    createdAt: 0,
    updatedAt,
    priority: null,
    blockedBy: [],
    pull: null,
    problem: null,
  },
  matchLabels: ['python'],
  dependsOn: [3],
  plans: [plan()],
  ...over,
});
const say = (row: TaskRow | null, over: Partial<TaskPlan> = {}, head = issue()) =>
  decide(mirror, entry({ plans: [plan(over)] }), { tasks: row === null ? [] : [row], issue: head });

type Want = TaskPlan['want'];
const READY: Want = { state: 'ready' };
const DELAYED: Want = { state: 'delayed', delayMs: 2_000_000, reason: 'review_delay' };
const PAST: Want = { state: 'delayed', delayMs: 10, reason: 'review_delay' };
const HELD: Want = { state: 'held', reason: 'blocked', graceMs: null };
const GRACE: Want = { state: 'held', reason: 'blocked', graceMs: 70 };
const CANCELLED: Want = { state: 'cancelled', reason: 'issue_closed' };
const AHEAD = NOW + 5;
const held = (over: Partial<TaskRow> = {}) => task({ state: 'held', reason: 'x', ...over });
const delayed = (over: Partial<TaskRow> = {}) =>
  task({ state: 'delayed', readyAt: AHEAD, ...over });

type Expected = Partial<TaskRow> | null;
const NO_PROGRESS: Expected = { state: 'held', reason: 'no_progress' };
const BUDGET: Expected = { state: 'held', reason: 'budget' };
const table: [string, TaskRow | null, Want, Expected][] = [
  ['ready on nothing', null, READY, { state: 'ready', enqueuedAt: 2_000_001 }],
  [
    'delayed on nothing',
    null,
    DELAYED,
    { state: 'delayed', readyAt: NOW + 2_000_000, timed: false },
  ],
  ['no delay on nothing', null, { ...DELAYED, delayMs: 0 }, { state: 'ready' }],
  [
    'held on nothing',
    null,
    HELD,
    { state: 'held', reason: 'blocked', readyAt: null, timed: false, endedAt: null },
  ],
  ['a grace on nothing', null, GRACE, { state: 'held', readyAt: NOW + 70 }],
  ['cancelled on nothing', null, CANCELLED, null],
  ['ready on held', held(), READY, { state: 'ready', reason: null }],
  [
    'ready on held with an instant ahead',
    held({ readyAt: AHEAD }),
    READY,
    { state: 'delayed', reason: 'retry', timed: true },
  ],
  ['ready on refused, ahead', held({ reason: 'refused:x', readyAt: AHEAD }), READY, null],
  [
    'ready on refused, over',
    held({ reason: 'refused:x', readyAt: NOW }),
    READY,
    { state: 'ready' },
  ],
  [
    'delayed on held',
    held(),
    DELAYED,
    { state: 'delayed', reason: 'review_delay', readyAt: 2_000_400 },
  ],
  [
    'delayed on held that backed off',
    held({ readyAt: AHEAD, timed: true }),
    DELAYED,
    { state: 'delayed', reason: 'retry', readyAt: AHEAD },
  ],
  ['a delay that is over on held', held(), PAST, { state: 'ready' }],
  ['ready on one without progress', task({ stuck: true }), READY, NO_PROGRESS],
  ['delayed on one without progress', task({ stuck: true }), DELAYED, NO_PROGRESS],
  ['ready on one that used up its budget', task({ overspent: true }), READY, BUDGET],
  ['held on one that used up its budget', task({ overspent: true }), HELD, { reason: 'blocked' }],
  ['held on held, another reason', held(), HELD, { state: 'held', reason: 'blocked' }],
  ['held on held, the same reason', held({ reason: 'blocked' }), GRACE, null],
  ['cancelled on held', held(), CANCELLED, { state: 'cancelled', reason: 'issue_closed' }],
  ['ready on delayed', delayed(), READY, null],
  [
    'delayed on delayed',
    delayed(),
    DELAYED,
    { state: 'delayed', readyAt: 2_000_400, timed: false },
  ],
  [
    'the same delay on delayed',
    delayed({ readyAt: 2_000_400, reason: 'review_delay' }),
    DELAYED,
    null,
  ],
  [
    'a delay that is over on delayed',
    delayed(),
    PAST,
    { state: 'ready', readyAt: 410, timed: false },
  ],
  ['delayed on a back-off', delayed({ timed: true }), DELAYED, null],
  [
    'held on a back-off',
    delayed({ timed: true }),
    HELD,
    { state: 'held', readyAt: AHEAD, timed: true },
  ],
  ['ready on ready', task(), READY, null],
  ['delayed on ready', task(), DELAYED, { state: 'delayed', readyAt: 2_000_400 }],
  ['a delay that is over on ready', task(), PAST, null],
  ['held on ready', task(), HELD, { state: 'held', enqueuedAt: 500 }],
  ['cancelled on ready', task(), CANCELLED, { state: 'cancelled' }],
  ['ready on leased', leased(), READY, null],
  ['held on leased that knows it', leased({ holdAfter: 'blocked' }), HELD, null],
  ['cancelled on leased', leased(), CANCELLED, { state: 'cancelled', lease: null }],
  ['ready on done', task({ state: 'done' }), READY, null],
  ['cancelled on done', task({ state: 'done' }), CANCELLED, null],
  ['ready on dead', task({ state: 'dead' }), READY, null],
  ['cancelled on dead', task({ state: 'dead' }), CANCELLED, { state: 'cancelled' }],
  ['ready on cancelled', task({ state: 'cancelled' }), READY, null],
  ['cancelled on cancelled', task({ state: 'cancelled' }), CANCELLED, null],
];

describe('a plan', () => {
  it.each(table)('%s', (_name, row, want, expected) => {
    const { tasks, facts } = say(row, { want });
    if (expected === null) {
      expect(tasks).toEqual([]);
      expect(facts).toEqual([]);
    } else {
      expect(tasks).toMatchObject([expected]);
      expect(facts).toHaveLength(1);
    }
  });

  it('held on leased is remembered for when the lease ends, and taken back where it is lifted', () => {
    const { tasks = [], facts } = say(leased(), { want: HELD });
    expect(tasks).toMatchObject([{ state: 'leased', holdAfter: 'blocked', reason: null }]);
    expect(facts).toEqual([]);
    const lifted = say(leased({ holdAfter: 'blocked' }), { want: READY });
    expect(lifted.tasks).toMatchObject([{ state: 'leased', holdAfter: null }]);
  });

  it('brings a cancelled task back only when its issue is reopened', () => {
    const row = task({ state: 'cancelled', attempts: 2, endedAt: 9 });
    const { tasks, facts } = say(row, {}, issue({ state: 'closed' }));
    expect(tasks).toMatchObject([
      {
        state: 'ready',
        attempts: 0,
        endedAt: null,
        createdAt: NOW,
        fence: 5,
        enqueuedAt: 2_000_001,
      },
    ]);
    expect(facts).toMatchObject([{ type: 'ready', reason: 'reopened' }]);
  });

  it('says that a task is ready because its issue is open again of that task alone', () => {
    expect(say(held(), { want: READY }).facts).toMatchObject([{ type: 'ready', reason: null }]);
  });

  it('against a task is remembered for later only while somebody works on it', () => {
    const { tasks } = say(task(), { want: HELD });
    expect(tasks).toMatchObject([{ state: 'held', reason: 'blocked', holdAfter: null }]);
  });

  it('takes over priority, branch and pull request', () => {
    const over = { priority: 100, branch: 'b2', prNumber: 4 };
    expect(say(task(), over).tasks).toMatchObject([over]);
    expect(say(task(), over).facts).toMatchObject([{ type: 'prioritized', priority: 100 }]);
    expect(say(leased(), over).tasks).toMatchObject([{ ...over, branch: 'topic' }]);
    expect(say(task({ pinned: true }), over).tasks).toMatchObject([{ priority: 50, branch: 'b2' }]);
    expect(say(task({ prNumber: 9 })).tasks).toEqual([]);
  });

  it('makes nothing that it may not make, and refuses an id that is none', () => {
    expect(say(null, { create: false }).tasks).toEqual([]);
    expect(() => say(null, { id: 'not an id' })).toThrow('names no task');
  });
});

test('an older picture is ignored altogether', () => {
  expect(decide(mirror, entry({}, 99))).toEqual({ answer: undefined });
});

test('an issue is kept with its labels and what it waits for', () => {
  const { issue: kept } = decide(mirror, entry());
  expect(kept?.row).toEqual({
    ...ISSUE,
    state: 'open',
    updatedAt: 100,
    seenAt: NOW,
    dependsOn: [3],
    matchLabels: ['python'],
    labels: ['python', 'in-progress'],
  });
});

test('labels are wanted where the entry names them', () => {
  expect(decide(mirror, entry()).ledger).toBeUndefined();
  const { ledger } = decide(mirror, entry({ ledger: ['approved'], adopt: ['x'] }));
  expect(ledger).toMatchObject({
    wanted: ['approved'],
    written: ['x'],
    writes: [{ type: 'labels' }],
  });
});
