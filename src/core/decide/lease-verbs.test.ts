// What the holder of a lease may say, as a table: the row it is said about, and what becomes of it.

import { describe, expect, it, test } from 'vitest';
import {
  decide,
  lease,
  leased,
  ledger,
  NOW,
  past,
  TASK,
  task,
} from '../../../test/support/decide.ts';
import { ATTEMPTS_KEPT } from '../attempt/history.ts';
import type { TaskRow } from '../rows/task-row.ts';
import type { FollowUp } from '../store.ts';
import { complete } from './complete.ts';
import { fail } from './fail.ts';
import { heartbeat } from './heartbeat.ts';
import { refuse } from './refuse.ts';
import { release } from './release.ts';

const REVIEW = TASK.replace('implement', 'review');

const completion = {
  taskId: TASK,
  token: 't1',
  summary: 'did it',
  prNumber: null,
  verdict: null,
  comments: [],
  followUp: null,
  ledger: ['needs-review'],
};
const failure = {
  taskId: TASK,
  token: 't1',
  reason: 'broke',
  retryable: true,
  retryDelaysMs: [30_000, 60_000],
  delayMs: null,
  ledger: [],
  deadLedger: ['needs-human'],
};
const verbs = {
  complete: (rows: TaskRow[], now = NOW) => decide(complete, completion, { tasks: rows, now }),
  fail: (rows: TaskRow[], now = NOW) => decide(fail, failure, { tasks: rows, now }),
  release: (rows: TaskRow[], now = NOW) =>
    decide(release, { taskId: TASK, token: 't1', reason: 'no', ledger: [] }, { tasks: rows, now }),
  refuse: (rows: TaskRow[], now = NOW) =>
    decide(
      refuse,
      { taskId: TASK, fence: 5, reason: 'gone', holdMs: 100, ledger: [] },
      { tasks: rows, now },
    ),
};
const ended = {
  complete: 'completed',
  fail: 'failed',
  release: 'released',
  refuse: 'refused',
} as const;

describe.each(Object.keys(verbs) as (keyof typeof verbs)[])('%s', (name) => {
  const say = verbs[name];
  const outcome = ended[name];
  const cases: [string, TaskRow[], number, string][] = [
    ['no such task', [], NOW, 'not_found'],
    ['the live lease', [leased()], NOW, 'ok'],
    ['the last millisecond of it', [leased()], NOW + 49_999, 'ok'],
    ['its deadline', [leased()], NOW + 50_000, 'lease_lost'],
    ['another lease', [leased({ lease: lease({ token: 't2', fence: 6 }) })], NOW, 'lease_lost'],
    ['a lease that ended like this', [task({ past: [past({ outcome })] })], NOW, 'ok'],
    ['one that expired', [task({ past: [past({ outcome: 'expired' })] })], NOW, 'lease_lost'],
    ['one nobody remembers', [task()], NOW, 'lease_lost'],
  ];
  it.each(cases)('on %s', (title, rows, now, answer) => {
    const decision = say(rows, now);
    expect(decision.answer.outcome).toBe(answer);
    const applies = title.includes('live') || title.includes('millisecond');
    expect(decision.tasks?.length ?? 0).toBe(applies ? 1 : 0);
    expect(decision.facts?.length ?? 0).toBe(applies ? 1 : 0);
  });

  it('ends the lease, remembers it, and holds only while it lives', () => {
    const { tasks, until } = say([leased()]);
    expect(tasks?.[0]).toMatchObject({ lease: null, updatedAt: NOW, fence: 5 });
    expect(tasks?.[0]?.past).toMatchObject([
      { token: 't1', fence: 5, outcome, startedAt: NOW - 10_000, endedAt: NOW, branch: 'topic' },
    ]);
    expect(until).toBe(NOW + 50_000);
  });

  it('remembers only the last leases', () => {
    const many = Array.from({ length: ATTEMPTS_KEPT }, (_, n) =>
      past({ token: `old-${n}`, fence: n }),
    );
    const [row] = say([leased({ past: many })]).tasks ?? [];
    expect(row?.past).toHaveLength(ATTEMPTS_KEPT);
    expect(row?.past.at(0)?.token).toBe('old-1');
    expect(row?.past.at(-1)?.token).toBe('t1');
  });
});

test.each([
  ['first of two', 0, true, null, 'delayed', 'retry', NOW + 30_000],
  ['second of two', 1, true, null, 'delayed', 'retry', NOW + 60_000],
  ['past the last', 2, true, null, 'dead', 'broke', null],
  ['not to be retried', 0, false, null, 'dead', 'broke', null],
  ['with its own delay', 0, true, 5, 'delayed', 'retry', NOW + 5],
  ['with no delay', 0, true, 0, 'ready', null, NOW],
  ['its own delay does not save the last', 2, true, 5, 'dead', 'broke', null],
] as const)('a failure: %s', (_name, attempts, retryable, delayMs, state, reason, readyAt) => {
  const {
    tasks,
    facts,
    ledger: after,
  } = decide(fail, { ...failure, retryable, delayMs }, { tasks: [leased({ attempts })] });
  const [row] = tasks ?? [];
  expect(row).toMatchObject({ state, reason, readyAt, attempts: attempts + 1, timed: true });
  expect(row?.enqueuedAt).toBe(state === 'ready' ? 2_000_001 : null);
  expect(row?.endedAt).toBe(state === 'dead' ? NOW : null);
  expect(facts?.map(({ type }) => type)).toEqual(
    state === 'dead' ? ['failed', 'dead'] : ['failed'],
  );
  expect(after?.writes.map(({ type }) => type) ?? []).toEqual(
    state === 'dead' ? ['comment', 'labels'] : [],
  );
});

const TREE = 'a'.repeat(40);
const failedWith = (tree: string | null) => past({ token: 't0', outcome: 'failed', tree });

test.each([
  ['the same as the failure before', [failedWith(TREE)], TREE, 1, 'held'],
  [
    'the same, with a release between',
    [failedWith(TREE), past({ outcome: 'released' })],
    TREE,
    1,
    'held',
  ],
  ['other files', [failedWith('b'.repeat(40))], TREE, 1, 'delayed'],
  [
    'the same, with an expiry between',
    [failedWith(TREE), past({ outcome: 'expired' })],
    TREE,
    1,
    'delayed',
  ],
  ['nobody said before', [failedWith(null)], TREE, 1, 'delayed'],
  ['nobody says now', [failedWith(TREE)], null, 1, 'delayed'],
  ['a first failure', [], TREE, 1, 'delayed'],
  ['the same at the last attempt', [failedWith(TREE)], TREE, 2, 'dead'],
] as const)('a failure that leaves files: %s', (_name, earlier, tree, attempts, state) => {
  const input = { ...failure, retryable: true, delayMs: null, tree, deadLedger: ['needs-human'] };
  const row = leased({ attempts, past: earlier });
  const { tasks, facts, ledger: after } = decide(fail, input, { tasks: [row] });
  expect(tasks?.[0]).toMatchObject({ state, stuck: state === 'held', attempts: attempts + 1 });
  if (state !== 'held') return;
  expect(tasks?.[0]?.reason).toBe('no_progress');
  expect(facts?.map(({ type }) => type)).toEqual(['failed', 'held']);
  expect(after?.wanted).toEqual(['needs-human']);
  expect(after?.writes.map(({ type, event }) => [type, event])).toEqual([
    ['comment', 'no_progress'],
    ['labels', null],
  ]);
});

test('a release keeps the place in line, and a reservation that is not over', () => {
  const rows = [leased({ onlyAgent: 'a1', opensAt: NOW + 1 })];
  expect(verbs.release(rows).tasks?.[0]).toMatchObject({
    state: 'ready',
    attempts: 0,
    enqueuedAt: 500,
    onlyAgent: 'a1',
    opensAt: NOW + 1,
  });
  const over = [leased({ onlyAgent: 'a1', opensAt: NOW })];
  expect(verbs.release(over).tasks?.[0]).toMatchObject({ onlyAgent: null, opensAt: null });
});

test('a refusal holds the task for a time', () => {
  expect(verbs.refuse([leased()]).tasks?.[0]).toMatchObject({
    state: 'held',
    reason: 'refused:gone',
    readyAt: NOW + 100,
    attempts: 0,
  });
});

describe('a follow-up', () => {
  const followUp = (over: Partial<FollowUp> = {}): FollowUp => ({
    id: REVIEW,
    state: 'delayed',
    reason: 'review_delay',
    delayMs: 300,
    priority: 100,
    authorFirstMs: 0,
    reviewComments: [],
    ...over,
  });
  const made = (over: Partial<FollowUp>, row = leased(), also: TaskRow[] = []) =>
    decide(complete, { ...completion, followUp: followUp(over) }, { tasks: [row, ...also] });

  it.each([
    ['waits', {}, { state: 'delayed', readyAt: NOW + 300, enqueuedAt: null, endedAt: null }],
    ['is ready without a delay', { delayMs: 0 }, { state: 'ready', readyAt: null, reason: null }],
    ['is held', { state: 'held', reason: 'x' }, { state: 'held', reason: 'x', readyAt: NOW + 300 }],
    ['is dead', { state: 'dead', reason: 'x' }, { state: 'dead', readyAt: null, endedAt: NOW }],
  ] as const)('%s', (_name, over, expected) => {
    const { tasks } = made(over);
    expect(tasks?.[1]).toMatchObject({ id: REVIEW, branch: 'topic', ...expected });
  });

  it.each([
    ['of an implement names its agent last', leased({ authors: ['a1', 'b'] }), ['b', 'a1']],
    ['of a first implement names its agent', leased(), ['a1']],
  ])('%s', (_name, row, authors) => {
    expect(made({}, row).tasks?.[1]?.authors).toEqual(authors);
  });

  it('of a review has the authors of the change, and is offered to the last one first', () => {
    const id = REVIEW;
    const row = leased({ id, kind: 'review', authors: ['b', 'c'] });
    const { tasks } = decide(
      complete,
      {
        ...completion,
        taskId: id,
        followUp: followUp({ id: TASK.replace('implement', 'fix'), delayMs: 0, authorFirstMs: 60 }),
      },
      { tasks: [row] },
    );
    expect(tasks?.[1]).toMatchObject({ authors: ['b', 'c'], onlyAgent: 'c', opensAt: NOW + 60 });
  });

  it('is about the pull request that is named, or else the one that is known', () => {
    const row = leased({ prNumber: 12 });
    expect(made({}, row).tasks).toMatchObject([{ prNumber: 12 }, { prNumber: 12 }]);
    const input = { ...completion, prNumber: 13, followUp: followUp({}) };
    const { tasks } = decide(complete, input, { tasks: [row] });
    expect(tasks).toMatchObject([{ prNumber: 13 }, { prNumber: 13 }]);
  });

  it('that is there already is left alone', () => {
    const { tasks, facts } = made({}, leased(), [task({ id: REVIEW })]);
    expect(tasks).toHaveLength(1);
    expect(facts?.map(({ type }) => type)).toEqual(['completed']);
  });

  it('that is dead leaves its fact and its comment', () => {
    const { facts, ledger: after } = made({ state: 'dead', reason: 'too many' });
    expect(facts?.map(({ type }) => type)).toEqual(['completed', 'accepted', 'dead']);
    expect(after?.writes).toMatchObject([
      { type: 'comment', taskId: REVIEW, event: 'dead' },
      { type: 'labels' },
    ]);
  });
});

const endings = {
  complete: { verb: complete, input: completion, outcome: 'completed' },
  fail: { verb: fail, input: failure, outcome: 'failed' },
  release: {
    verb: release,
    input: { taskId: TASK, token: 't1', reason: null, ledger: [] },
    outcome: 'released',
  },
} as const;

describe.each(Object.keys(endings) as (keyof typeof endings)[])('%s, and who says it', (name) => {
  const { verb, input, outcome } = endings[name];
  const say = (over: object, row: TaskRow) =>
    decide(verb as typeof complete, { ...input, ...over } as typeof completion, { tasks: [row] });

  it.each([
    ['nobody was asked', {}, 'ok'],
    ['an operator', { agentId: null }, 'ok'],
    ['the holder', { agentId: 'a1' }, 'ok'],
    ['another agent', { agentId: 'a2' }, 'forbidden'],
  ])('%s', (_name, over, expected) => {
    const decision = say(over, leased());
    expect(decision.answer.outcome).toBe(expected);
    if (expected === 'forbidden') expect(decision).toEqual({ answer: { outcome: 'forbidden' } });
  });

  it.each([
    ['the same report', 'abc', 'abc', 'ok'],
    ['another report', 'abc', 'xyz', 'conflict'],
    ['a report when none was kept', null, 'xyz', 'ok'],
    ['no report', 'abc', undefined, 'ok'],
  ])('said again with %s', (_name, report, fingerprint, expected) => {
    const over = fingerprint === undefined ? {} : { fingerprint };
    const decision = say(over, task({ past: [past({ outcome, report })] }));
    expect(decision.answer.outcome).toBe(expected);
    expect(decision.tasks).toBeUndefined();
  });

  it('keeps the fingerprint of what was said', () => {
    expect(say({ fingerprint: 'abc' }, leased()).tasks?.[0]?.past).toMatchObject([
      { report: 'abc' },
    ]);
  });
});

test.each([
  ['the request it was claimed for', 'r1', false, 'ok'],
  ['one that was answered', 'r1', true, 'lease_lost'],
  ['another request', 'r2', false, 'lease_lost'],
])('a release that nobody listens to: %s', (_name, requestId, answered, outcome) => {
  const input = { taskId: TASK, token: 't1', reason: null, ledger: [], unheardBy: 'r1' };
  const row = leased({ lease: lease({ requestId, answered }) });
  expect(decide(release, input, { tasks: [row] }).answer.outcome).toBe(outcome);
});

describe('heartbeat', () => {
  const beat = (row: TaskRow, progress: string | null, token = 't1') =>
    decide(heartbeat, { taskId: TASK, token, progress }, { tasks: [row] });

  it('renews from now and knows that the agent has its token', () => {
    const { tasks, answer, agents } = beat(leased({ lease: lease({ answered: false }) }), null);
    expect(answer).toEqual({ outcome: 'ok', expiresAt: NOW + 60_000, stop: null, answers: [] });
    expect(tasks?.[0]?.lease).toMatchObject({ expiresAt: NOW + 60_000, answered: true });
    expect(agents).toEqual([{ note: 'seen', agentId: 'a1' }]);
  });

  it.each([
    [[], 'x', ['x']],
    [['x'], 'x', ['x']],
    [['x', 'y'], 'x', ['x', 'y', 'x']],
    [['1', '2', '3', '4', '5'], '6', ['2', '3', '4', '5', '6']],
    [['1'], null, ['1']],
  ])('keeps the last notes: %j and %s', (progress, note, after) => {
    expect(beat(leased({ lease: lease({ progress }) }), note).tasks?.[0]?.lease?.progress).toEqual(
      after,
    );
  });

  it.each([
    ['news', 'x', NOW - 100, 1],
    ['no news within a quarter of the lease time', null, NOW - 100, 0],
    ['no news after a quarter of it', null, NOW - 15_000, 1],
    ['the same note again', 'old', NOW - 100, 0],
  ])('leaves a fact of %s or not', (_name, note, renewedAt, facts) => {
    const live = { leasedAt: NOW - 35_000, expiresAt: renewedAt + 60_000, progress: ['old'] };
    const decision = beat(leased({ lease: lease(live) }), note);
    expect(decision.facts?.length ?? 0).toBe(facts);
    if (note !== 'x' && facts === 1) expect(decision.facts).toMatchObject([{ progress: null }]);
  });

  it('of another agent is forbidden', () => {
    const input = { taskId: TASK, token: 't1', progress: null, agentId: 'a2' };
    expect(decide(heartbeat, input, { tasks: [leased()] })).toEqual({
      answer: { outcome: 'forbidden' },
    });
  });

  it('is lost on another token', () => {
    expect(beat(leased(), null, 't2')).toEqual({ answer: { outcome: 'lease_lost' } });
  });
});

test('labels are wanted only where they differ', () => {
  const same = ledger({ wanted: ['Needs-Review'], written: ['needs-review'] });
  expect(decide(complete, completion, { tasks: [leased()], ledger: same }).ledger).toBeUndefined();
});
