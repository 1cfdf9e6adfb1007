import { describe, expect, it } from 'vitest';
import { decide, leased, NOW, TASK, task } from '../../../test/support/decide.ts';
import type { TaskRow } from '../rows/task-row.ts';
import type { TaskState } from '../task.ts';
import { NOTHING_USED } from '../usage.ts';
import { linkPull, setBudget } from './budget.ts';

const NO = { costUsd: null, tokens: null };
const used = { ...NOTHING_USED, costMicroUsd: 3_000_000, inputTokens: 100 };
const spent = (over: Partial<TaskRow> = {}) =>
  task({ state: 'held', reason: 'budget', overspent: true, used, ...over });
const budget = (row: TaskRow | null, limits: object, general = NO) =>
  decide(
    setBudget,
    { taskId: TASK, limits: { ...NO, ...limits }, general, by: 'ben' },
    { tasks: row === null ? [] : [row] },
  );

describe('what an operator allows a task to use', () => {
  it('is kept, each limit by itself', () => {
    const set = (limits: TaskRow['limits'], given: object) =>
      budget(task({ limits }), given).tasks?.[0]?.limits;
    expect(set(null, { costUsd: 5 })).toEqual({ costUsd: 5, tokens: null });
    expect(set(null, { tokens: 7 })).toEqual({ costUsd: null, tokens: 7 });
    expect(set({ costUsd: 5, tokens: 9 }, { tokens: 7 })).toEqual({ costUsd: 5, tokens: 7 });
    expect(set({ costUsd: 5, tokens: 9 }, { costUsd: 6 })).toEqual({ costUsd: 6, tokens: 9 });
    expect(budget(task(), { costUsd: 5 }).facts).toEqual([
      { type: 'budgeted', taskId: TASK, state: 'ready', costUsd: 5, tokens: null, by: 'ben' },
    ]);
  });

  it('is written down once', () => {
    const limits = { costUsd: 5, tokens: 9 };
    expect(budget(task({ limits }), limits)).toMatchObject({ answer: { outcome: 'ok' } });
    expect(budget(task({ limits }), limits).tasks).toBeUndefined();
    expect(budget(task({ limits }), { tokens: 8 }).tasks).toHaveLength(1);
    expect(budget(task({ limits }), { costUsd: 8 }).tasks).toHaveLength(1);
    const tight = { costUsd: 1, tokens: null };
    expect(budget(spent({ limits: tight }), tight).tasks).toBeUndefined();
  });

  it.each<[string, Partial<TaskRow>, object, TaskState, string | null]>([
    ['is offered again where there is room', {}, { costUsd: 4 }, 'ready', null],
    ['stays held where there is none', {}, { costUsd: 3 }, 'held', 'budget'],
    ['waits for the end of its back-off', { readyAt: NOW + 1 }, { costUsd: 4 }, 'delayed', 'retry'],
    ['does not wait for one that is over', { readyAt: NOW }, { costUsd: 4 }, 'ready', null],
    [
      'stays held for another reason',
      { reason: 'no_progress' },
      { costUsd: 4 },
      'held',
      'no_progress',
    ],
    [
      'is offered again with the limits it has, where the settings gave room',
      { limits: { costUsd: 4, tokens: null } },
      { costUsd: 4 },
      'ready',
      null,
    ],
  ])('and a task that had used it up %s', (_title, over, limits, state, reason) => {
    const decided = budget(spent(over), limits);
    const row = decided.tasks?.[0];
    expect(row).toMatchObject({ state, reason });
    expect(row?.overspent).toBe(reason === 'budget');
  });

  it('frees a lease that had used it up', () => {
    const row = leased({ overspent: true, used });
    expect(budget(row, { costUsd: 4 }).tasks?.[0]).toMatchObject({
      state: 'leased',
      overspent: false,
    });
  });

  it.each<[TaskState, string]>([
    ['done', 'conflict'],
    ['cancelled', 'conflict'],
    ['dead', 'ok'],
    ['held', 'ok'],
  ])('of a task that is %s: %s', (state, outcome) => {
    expect(budget(task({ state }), { costUsd: 4 }).answer.outcome).toBe(outcome);
    expect(budget(null, { costUsd: 4 }).answer.outcome).toBe('not_found');
  });
});

describe('a pull request that was opened', () => {
  const REVIEW = TASK.replace('implement', 'review');
  const link = (followUpId: string | null, ...tasks: TaskRow[]) =>
    decide(linkPull, { taskId: TASK, followUpId, prNumber: 12 }, { tasks }).facts;

  it('is linked with the task and its review, where none was before', () => {
    const fact = { type: 'pull_linked', state: 'ready', prNumber: 12 };
    const both = [task(), task({ id: REVIEW })];
    expect(link(REVIEW, ...both)).toEqual([
      { ...fact, taskId: TASK },
      { ...fact, taskId: REVIEW },
    ]);
    expect(link(null, ...both)).toEqual([{ ...fact, taskId: TASK }]);
    expect(link(REVIEW, task({ prNumber: 3 }), task({ id: REVIEW }))).toEqual([
      { ...fact, taskId: REVIEW },
    ]);
    expect(link(REVIEW, task())).toEqual([{ ...fact, taskId: TASK }]);
  });
});
