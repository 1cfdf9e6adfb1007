import { describe, expect, it } from 'vitest';
import { decide, leased, ledger, NOW, past, TASK, task } from '../../../test/support/decide.ts';
import type { LedgerRow, WriteRow } from '../rows/ledger-row.ts';
import type { TaskRow } from '../rows/task-row.ts';
import type { TaskState } from '../task.ts';
import { noteIssue } from './note-issue.ts';
import { release, unlock } from './release.ts';
import {
  abandonLocks,
  adopt,
  join,
  lock,
  retryFailed,
  sameLabels,
  want,
  writeComment,
} from './wants.ts';

const write = (over: Partial<WriteRow> = {}): WriteRow => ({
  type: 'labels',
  taskId: null,
  fence: null,
  branch: null,
  event: null,
  version: 1,
  lockedVersion: null,
  late: null,
  attempts: 0,
  availableAt: NOW,
  error: null,
  ...over,
});
const branch = (over: Partial<WriteRow> = {}) => write({ type: 'branch', taskId: TASK, ...over });
const holding = (...writes: WriteRow[]): LedgerRow => ledger({ writes });

describe('labels', () => {
  it.each<[string[], string[], boolean]>([
    [[], [], true],
    [['a'], [], false],
    [[], ['a'], false],
    [['a', 'b'], ['b', 'A'], true],
    [['a', 'b'], ['a', 'c'], false],
    [['a', 'b'], ['a'], false],
  ])('%j and %j are the same: %s', (a, b, same) => {
    expect(sameLabels(a, b)).toBe(same);
  });

  it('are joined, none twice', () => {
    const a = ['a', 'b'];
    expect(join(a, ['b'])).toBe(a);
    expect(join(a, [])).toBe(a);
    expect(join(a, ['b', 'c'])).toEqual(['a', 'b', 'c']);
    expect(join([], ['a', 'a'])).toEqual(['a']);
  });

  it('belong to the lease that wants them, or to none', () => {
    expect(want(ledger(), ['x'], NOW, task()).writes).toMatchObject([{ taskId: TASK, fence: 5 }]);
    expect(want(ledger(), ['x'], NOW).writes).toEqual([
      { ...write(), version: expect.any(Number) },
    ]);
  });

  it('are taken over without a write where they are wanted or one is pending', () => {
    expect(adopt(ledger({ wanted: ['x'] }), ['x'], NOW).writes).toEqual([]);
    expect(adopt(holding(write()), ['x'], NOW).writes).toEqual([write()]);
  });

  it('may stand on the issue from the moment somebody writes them; a branch says nothing of them', () => {
    const before = ledger({ wanted: ['x'], writes: [write(), branch()] });
    expect(lock(before, write(), NOW + 9)).toMatchObject({
      written: ['x'],
      writes: [{ lockedVersion: 1, availableAt: NOW + 9 }, { lockedVersion: null }],
    });
    expect(lock(before, branch(), NOW + 9).written).toEqual([]);
  });
});

describe('comments', () => {
  it('are one entry for each event of each task', () => {
    const one = writeComment(ledger(), task(), 'asked-q1', NOW);
    const two = writeComment(one, task(), 'asked-q2', NOW);
    const three = writeComment(
      two,
      task({ id: TASK.replace('implement', 'fix') }),
      'asked-q1',
      NOW,
    );
    expect(three.writes).toHaveLength(3);
    expect(writeComment(three, task(), 'asked-q1', NOW).writes).toHaveLength(3);
  });
});

describe('writes that failed', () => {
  const failed = { attempts: 1, availableAt: NOW + 50 };
  it.each<[string, Partial<WriteRow>, boolean]>([
    ['failed and waits', failed, true],
    ['never failed', { availableAt: NOW + 50 }, false],
    ['failed and is under way', { ...failed, lockedVersion: 1 }, false],
    ['is due anyway', { attempts: 1, availableAt: NOW }, false],
  ])('are due at once where one %s: %#', (_title, over, due) => {
    const before = holding(write({ availableAt: NOW + 50 }), branch(over));
    const after = retryFailed(before, () => true, NOW);
    if (due) {
      expect(after.writes.map(({ availableAt }) => availableAt)).toEqual([NOW + 50, NOW]);
    } else expect(after).toBe(before);
    expect(retryFailed(before, () => false, NOW)).toBe(before);
  });

  it('by a writer that is gone are due now, and nothing else is', () => {
    const free = holding(write({ availableAt: NOW + 50 }));
    expect(abandonLocks(free)).toBe(free);
    const mixed = holding(
      write({ availableAt: NOW + 50 }),
      branch({ lockedVersion: 1, availableAt: NOW + 50 }),
    );
    expect(abandonLocks(mixed).writes).toMatchObject([
      { availableAt: NOW + 50 },
      { lockedVersion: null, availableAt: 0 },
    ]);
  });
});

describe('a lease that is given back', () => {
  const give = (over: object) =>
    decide(
      release,
      { taskId: TASK, token: 't1', reason: null, ledger: [], ...over },
      { tasks: [leased()] },
    );

  it('for a time says until when, and no plan changes that', () => {
    const later = give({ delayMs: 5000 });
    expect(later.tasks?.[0]).toMatchObject({
      state: 'delayed',
      reason: 'quota',
      readyAt: NOW + 5000,
      timed: true,
    });
    expect(later.facts?.[0]).toMatchObject({ type: 'released', readyAt: NOW + 5000 });
    for (const delayMs of [0, undefined]) {
      const now = give(delayMs === undefined ? {} : { delayMs });
      expect(now.tasks?.[0]).toMatchObject({ state: 'ready', reason: null });
      expect(now.facts?.[0]).not.toHaveProperty('readyAt');
    }
  });

  it('of an issue that is to be held says no time', () => {
    const row = leased({ holdAfter: 'no_deliverables', readyAt: 5 });
    const decided = decide(
      release,
      { taskId: TASK, token: 't1', reason: null, ledger: [] },
      { tasks: [row] },
    );
    expect(decided.tasks?.[0]?.state).toBe('held');
    expect(decided.facts?.[0]).not.toHaveProperty('readyAt');
  });

  it.each<[string, TaskState, TaskRow['past'], string]>([
    ['unlocked and ready', 'ready', [past({ outcome: 'unlocked' })], 'ok'],
    ['unlocked and held', 'held', [past({ outcome: 'unlocked' })], 'ok'],
    ['unlocked and done since', 'done', [past({ outcome: 'unlocked' })], 'conflict'],
    ['released', 'ready', [past({ outcome: 'released' })], 'conflict'],
    ['never leased', 'ready', [], 'conflict'],
  ])('by an operator, asked again when it is %s: %#', (_title, state, earlier, outcome) => {
    const row = task({ state, past: earlier });
    const decided = decide(unlock, { taskId: TASK, ledger: [] }, { tasks: [row] });
    expect(decided.answer.outcome).toBe(outcome);
    expect(decided.tasks).toBeUndefined();
  });
});

describe('what was done to an issue by hand', () => {
  const about = { repository: 'octo/park', number: 7 };
  const note = (taskId: string | null, tasks: TaskRow[]) =>
    decide(noteIssue, { ...about, taskId, type: 'issue_edited', by: 'ben' }, { tasks }).facts;

  it('is written into the history of its task, where it has one', () => {
    const fact = { type: 'issue_edited', ...about, by: 'ben' };
    expect(note(TASK, [task({ state: 'held' })])).toEqual([
      { ...fact, taskId: TASK, state: 'held' },
    ]);
    expect(note(null, [task()])).toEqual([fact]);
    expect(note(TASK, [])).toEqual([fact]);
  });
});
