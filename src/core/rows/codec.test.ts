import { expect, test } from 'vitest';
import { issue, lease, leased, ledger, past, TASK, task } from '../../../test/support/decide.ts';
import { TASK_STATES } from '../task.ts';
import * as codec from './codec.ts';
import type { TaskRow } from './task-row.ts';

const HOSTILE = 'quote " \\ \n \u0000 🦉 \u2028';

test.each(TASK_STATES)('a task that is %s is read as it was written', (state) => {
  const row = task({ state });
  expect(codec.decodeTask(TASK, codec.encodeTask(row))).toEqual(row);
});

test('everything that a task may carry survives', () => {
  const row = leased({
    lease: lease({ requestId: HOSTILE, progress: [HOSTILE], answered: false }),
    past: [
      past({ note: HOSTILE, report: 'abc', outcome: 'failed', tree: 'def' }),
      past({ branch: null }),
    ],
    reason: HOSTILE,
    readyAt: 3,
    opensAt: 4,
    onlyAgent: 'a1',
    prNumber: 9,
    authors: ['a1', 'a2'],
    reviewComments: [HOSTILE],
    result: { agentId: 'a1', summary: HOSTILE, verdict: 'approve', comments: [HOSTILE], at: 5 },
    pinned: true,
    stuck: true,
    timed: true,
    endedAt: 6,
    enqueuedAt: null,
  });
  expect(codec.decodeTask(TASK, codec.encodeTask(row))).toEqual(row);
});

test('a task begins with the initial of its state and its fence, for steps that read no JSON', () => {
  const texts = TASK_STATES.map((state) => codec.encodeTask(task({ state, fence: 1_763 })));
  expect(texts.every((text) => /^[a-z]1763 \[/.test(text))).toBe(true);
  expect(new Set(texts.map((text) => text[0])).size).toBe(TASK_STATES.length);
});

test('a plain task is short', () => {
  expect(codec.encodeTask(task()).length).toBeLessThan(60);
});

test('a text that is no row is refused', () => {
  expect(() => codec.decodeTask(TASK, '?5 []')).toThrow('cannot be read');
  expect(() => codec.decodeTask('no id', codec.encodeTask(task()))).toThrow('cannot be read');
});

test('ledgers, issues and agents are read as they were written', () => {
  const entry = { taskId: TASK, fence: 5, branch: HOSTILE, event: null, version: 8, attempts: 2 };
  const late = { until: 11, version: 7 };
  const more = { lockedVersion: 7, availableAt: 10, error: HOSTILE, late };
  const row = ledger({
    wanted: [HOSTILE],
    written: ['a'],
    writtenAt: 1,
    version: 9,
    writes: [
      { type: 'branch', ...entry, ...more },
      { type: 'labels', ...entry, ...more, taskId: null, fence: null, lockedVersion: null },
      { type: 'comment', ...entry, ...more, event: 'dead', error: null, late: null },
    ],
  });
  expect(codec.decodeLedger(row, codec.encodeLedger(row))).toEqual(row);
  for (const state of ['open', 'closed'] as const) {
    const head = issue({ state, dependsOn: [1], matchLabels: [HOSTILE] });
    expect(codec.decodeIssue(head, codec.encodeIssue(head))).toEqual(head);
  }
  for (const lapsed of [true, false]) {
    const seen = { agentId: 'a1', capabilities: [HOSTILE], firstSeenAt: 1, lastSeenAt: 2, lapsed };
    expect(codec.decodeAgent('a1', codec.encodeAgent(seen))).toEqual(seen);
  }
});

const USAGE = {
  model: 'm',
  inputTokens: 1,
  outputTokens: 2,
  cachedTokens: 3,
  costUsd: 0.5,
  turns: 4,
  sessionId: 's',
};
test.each<Partial<TaskRow>>([
  { reason: 'budget' },
  { readyAt: 3 },
  { timed: true },
  { pinned: true },
  { onlyAgent: 'a1' },
  { opensAt: 4 },
  { prNumber: 9 },
  { authors: ['a1'] },
  { reviewComments: ['x'] },
  { result: { agentId: 'a1', summary: null, verdict: null, comments: [], at: 5 } },
  { used: { inputTokens: 1, outputTokens: 2, cachedTokens: 3, costMicroUsd: 4, turns: 5 } },
  { limits: { costUsd: 1, tokens: null } },
  { overspent: true },
  { stuck: true },
  { holdAfter: 'no_deliverables' },
  { stuck: true, holdAfter: 'no_deliverables' },
  {
    questions: [
      {
        id: 'q1',
        agentId: 'a1',
        fence: 1,
        question: 'x',
        askedAt: 1,
        answer: null,
        answeredAt: null,
      },
    ],
  },
  { lease: lease({ usage: USAGE, pausedUntil: 8 }), state: 'leased' },
  { past: [past({ usage: USAGE })] },
  { past: [past({ tree: 'abc' })] },
])('a task that is plain but for %j is read as it was written', (over) => {
  const row = task(over);
  expect(codec.decodeTask(TASK, codec.encodeTask(row))).toEqual(row);
});

test('an attempt that left no files takes no room for them', () => {
  const length = (tree: string | null) => codec.encodeTask(task({ past: [past({ tree })] })).length;
  expect(length('')).toBeGreaterThan(length(null));
});
