// What operators and time do, as tables.

import { describe, expect, it, test } from 'vitest';
import { decide, issue, leased, NOW, past, TASK, task } from '../../../test/support/decide.ts';
import { TASK_STATES, type TaskState } from '../task.ts';
import { cancel } from './cancel.ts';
import { expire, open, promote } from './expire.ts';
import { unlock } from './release.ts';
import { prioritize, requeue } from './requeue.ts';

const inState = (state: TaskState) => (state === 'leased' ? leased() : task({ state }));
const byKind = (labels: string[]) => ({ implement: labels, review: labels, fix: labels });

describe('requeue', () => {
  const say = (row = task(), delayMs = 0, head = issue()) =>
    decide(requeue, { taskId: TASK, delayMs, ledger: [] }, { tasks: [row], issue: head });
  it.each([
    ['held', 'conflict'],
    ['delayed', 'ok'],
    ['ready', 'ok'],
    ['leased', 'conflict'],
    ['done', 'conflict'],
    ['dead', 'ok'],
    ['cancelled', 'ok'],
  ] as const)('on a task that is %s: %s', (state, outcome) => {
    expect(say(inState(state)).answer.outcome).toBe(outcome);
  });
  it('takes back a cancelled task only while its issue is open', () => {
    const closed = issue({ state: 'closed' });
    expect(say(task({ state: 'cancelled' }), 0, closed).answer.outcome).toBe('conflict');
  });
  it('lifts a refusal and no other hold that the issue explains', () => {
    expect(say(task({ state: 'held', reason: 'no_deliverables' })).answer.outcome).toBe('conflict');
    const refused = task({ state: 'held', reason: 'refused:gone', attempts: 2, endedAt: 3 });
    expect(say(refused).tasks?.[0]).toMatchObject({
      state: 'ready',
      attempts: 0,
      enqueuedAt: 2_000_001,
      timed: true,
      endedAt: null,
    });
  });
  it('lets agents try again twice where two attempts left the same files', () => {
    const failed = past({ outcome: 'failed', tree: 'abc' });
    const stuck = task({ state: 'held', reason: 'no_progress', stuck: true, past: [failed] });
    for (const row of [stuck, task({ state: 'dead', stuck: true, past: [failed] })]) {
      expect(say(row).tasks?.[0]).toMatchObject({
        state: 'ready',
        stuck: false,
        past: [{ tree: null }],
      });
    }
    const waits = task({ state: 'delayed', past: [failed] });
    expect(say(waits).tasks?.[0]?.past).toMatchObject([{ tree: 'abc' }]);
  });
  it('waits with a delay', () => {
    expect(say(task({ state: 'dead' }), 50).tasks?.[0]).toMatchObject({
      state: 'delayed',
      reason: 'requeued',
      readyAt: NOW + 50,
      enqueuedAt: null,
    });
  });
  it('keeps the place of one that is as asked already', () => {
    expect(say(task())).not.toHaveProperty('tasks');
    expect(say(task({ attempts: 1 })).tasks).toHaveLength(1);
  });
});

describe('prioritize', () => {
  const say = (row = task(), priority = 100) =>
    decide(prioritize, { taskId: TASK, priority }, { tasks: [row] });
  it.each(TASK_STATES)('on a task that is %s', (state) => {
    const { answer, tasks } = say(inState(state));
    const over = state === 'done' || state === 'cancelled';
    expect(answer.outcome).toBe(over ? 'conflict' : 'ok');
    if (!over) expect(tasks?.[0]).toMatchObject({ state, priority: 100, pinned: true });
  });
  it('is said once', () => {
    expect(say(task({ pinned: true, priority: 100 }))).not.toHaveProperty('tasks');
    expect(say(task({ priority: 100 })).facts).toHaveLength(1);
  });
});

describe('unlock', () => {
  const say = (row = leased(), now = NOW) =>
    decide(unlock, { taskId: TASK, ledger: [] }, { tasks: [row], now });
  it.each(TASK_STATES)('on a task that is %s', (state) => {
    expect(say(inState(state)).answer.outcome).toBe(state === 'leased' ? 'ok' : 'conflict');
  });
  it('is repeated on what it unlocked, and takes a lease that lapsed', () => {
    const unlocked = task({ past: [past({ outcome: 'unlocked' })] });
    expect(say(unlocked).answer.outcome).toBe('ok');
    expect(say(leased(), NOW + 99_999).tasks?.[0]).toMatchObject({ state: 'ready', attempts: 0 });
  });
});

describe('cancel', () => {
  const say = (row = task(), reason = 'no') =>
    decide(cancel, { taskId: TASK, reason, ledger: [] }, { tasks: [row] });
  it.each(TASK_STATES)('on a task that is %s', (state) => {
    const over = state === 'done' || state === 'cancelled';
    expect(say(inState(state)).answer.outcome).toBe(over ? 'conflict' : 'ok');
  });
  it('is repeated for the same reason only, and ends a lease', () => {
    expect(say(task({ state: 'cancelled', reason: 'no' })).answer.outcome).toBe('ok');
    expect(say(task({ state: 'cancelled', reason: 'other' })).answer.outcome).toBe('conflict');
    const { tasks, facts } = say(leased());
    expect(tasks?.[0]).toMatchObject({
      lease: null,
      past: [{ outcome: 'cancelled' }],
      endedAt: NOW,
    });
    expect(facts).toMatchObject([{ agentId: 'a1', fence: 5 }]);
    expect(say(task()).facts).toMatchObject([{ agentId: null, fence: null }]);
  });
});

describe('expire', () => {
  const say = (row = leased(), now = NOW + 50_000) =>
    decide(
      expire,
      { taskId: TASK, maxAttempts: 3, ledger: byKind([]), deadLedger: byKind(['needs-human']) },
      { tasks: [row], now },
    );
  it.each([
    [0, 'ready'],
    [1, 'ready'],
    [2, 'dead'],
  ])('after %i attempts: %s', (attempts, state) => {
    const { tasks, answer, agents } = say(leased({ attempts }));
    expect(answer).toBe(true);
    expect(tasks?.[0]).toMatchObject({ state, attempts: attempts + 1, enqueuedAt: 500 });
    expect(tasks?.[0]?.endedAt).toBe(state === 'dead' ? NOW + 50_000 : null);
    expect(agents).toEqual([{ note: 'lapsed', agentId: 'a1' }]);
  });
  it('does nothing before the deadline, or without a lease', () => {
    expect(say(leased(), NOW + 49_999)).toEqual({ answer: false });
    expect(say(task())).toEqual({ answer: false });
  });
});

/** What waiting agents are woken by. */
const becameReady = (reason: string | null) => ({
  type: 'ready',
  taskId: TASK,
  state: 'ready',
  reason,
});

test.each([
  ['delayed', NOW, true],
  ['delayed', NOW + 1, false],
  ['held', NOW, false],
] as const)('promote: %s until %i', (state, readyAt, done) => {
  const row = task({ state, readyAt, enqueuedAt: null });
  const { answer, tasks, facts } = decide(promote, { taskId: TASK }, { tasks: [row] });
  expect(answer).toBe(done);
  expect(facts).toEqual(done ? [becameReady(null)] : undefined);
  expect(tasks?.[0]?.enqueuedAt).toBe(done ? 2_000_001 : undefined);
});

test.each([
  ['ready', NOW, true],
  ['ready', NOW + 1, false],
  ['ready', null, false],
  ['delayed', NOW, false],
] as const)('open: %s, reserved until %s', (state, opensAt, done) => {
  const row = task({ state, opensAt, onlyAgent: 'a1' });
  const { answer, tasks, facts } = decide(open, { taskId: TASK }, { tasks: [row] });
  expect(answer).toBe(done);
  expect(facts).toEqual(done ? [becameReady('opened')] : undefined);
  if (done) expect(tasks?.[0]).toMatchObject({ onlyAgent: null, opensAt: null });
});

test('what was asked for by hand says by whom, and nothing where nobody is known', () => {
  const found = { tasks: [task()] };
  const input = { taskId: TASK, delayMs: 5000, ledger: [] };
  expect(decide(requeue, { ...input, by: 'hana' }, found).facts).toMatchObject([{ by: 'hana' }]);
  expect(decide(requeue, input, found).facts?.[0]).not.toHaveProperty('by');
  const cancelled = decide(cancel, { ...input, reason: 'no', by: 'hana' }, found);
  expect(cancelled.facts).toMatchObject([{ type: 'cancelled', by: 'hana' }]);
});

test.each([unlock, cancel, requeue, prioritize])(
  '$name does not know a task that is not there',
  (verb) => {
    const input = { taskId: '../x', ledger: [], reason: '', delayMs: 0, priority: 1 };
    expect(verb.needs(input)).toEqual({ tasks: ['../x'], issue: null });
    expect(decide(verb as typeof unlock, input).answer).toEqual({ outcome: 'not_found' });
  },
);
