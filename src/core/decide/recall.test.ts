import { describe, expect, it, test } from 'vitest';
import { decide, lease, leased, ledger, NOW, TASK, task } from '../../../test/support/decide.ts';
import type { LeasedRow, TaskRow } from '../rows/task-row.ts';
import { markAnswered, recall, recalled, recallTask } from './recall.ts';
import { writeBranch } from './wants.ts';

const held = (requestId: string, answered: boolean, leasedAt = NOW - 10_000): LeasedRow => {
  const live = lease({ requestId, answered, leasedAt });
  return { ...leased(), lease: live };
};

describe('recall', () => {
  const told = held('r1', true);
  const untold = held('r2', false);
  const earlier = held('r3', false, NOW - 20_000);
  it.each([
    ['its own lease', 'r1', false, told],
    ['its own lease, also when it may take over', 'r1', true, told],
    ['none of another request', 'r9', false, null],
    ['the first that nobody was told of', 'r9', true, earlier],
  ])('finds %s', (_name, requestId, takeOver, expected) => {
    expect(recalled([told, untold, earlier], { requestId, takeOver }, NOW)).toBe(expected);
  });

  it('finds nothing that was told of, or has lapsed', () => {
    expect(recalled([told], { requestId: 'r9', takeOver: true }, NOW)).toBeNull();
    expect(recalled([untold], { requestId: 'r2', takeOver: true }, NOW + 50_000)).toBeNull();
  });

  it('gives the lease to the request that took it over, and to that one alone', () => {
    const taken = recallTask(untold, ledger(), { requestId: 'r9', writeLockMs: null }, NOW);
    expect(taken.tasks).toMatchObject([
      { lease: { requestId: 'r9', token: 't1', answered: false } },
    ]);
    const own = recallTask(told, ledger(), { requestId: 'r1', writeLockMs: null }, NOW);
    expect(own).not.toHaveProperty('tasks');
    expect(own.facts).toBeUndefined();
  });

  it('takes the writes that are free, if it will make them', () => {
    const before = writeBranch(ledger(), told, NOW);
    const look = recallTask(told, before, { requestId: 'r1', writeLockMs: null }, NOW);
    expect(look).not.toHaveProperty('ledger');
    expect(look.answer).toMatchObject({ writes: [], unwritten: 1 });
    const write = recallTask(told, before, { requestId: 'r1', writeLockMs: 10 }, NOW);
    expect(write.ledger?.writes).toMatchObject([{ availableAt: NOW + 10 }]);
    expect(write.answer.writes).toHaveLength(1);
  });

  it.each<[string, TaskRow[], boolean]>([
    ['the task while its lease is meant', [told], true],
    ['nothing where the task is gone', [], false],
    ['nothing where another agent has it', [leased({ lease: lease({ agentId: 'a2' }) })], false],
    ['nothing where another request is meant', [untold], false],
    ['nothing where the lease has ended', [task()], false],
  ])('decides on what is there now: %s', (_what, tasks, found) => {
    const asked = { agentId: 'a1', requestId: 'r1', takeOver: false, writeLockMs: null };
    const decision = decide(recall, { ...asked, taskId: TASK }, { tasks });
    expect(decision.answer?.row.lease.requestId ?? null).toBe(found ? 'r1' : null);
    expect(decision.until ?? null).toBe(found ? NOW + 50_000 : null);
  });
});

test.each([
  ['the lease', leased({ lease: lease({ answered: false }) }), 't1', true],
  ['a lease that is marked', leased(), 't1', false],
  ['another token', leased({ lease: lease({ answered: false }) }), 't2', false],
  ['no lease', task(), 't1', false],
])('an answer is marked on %s', (_name, row, token, marked) => {
  const decision = decide(markAnswered, { taskId: TASK, token }, { tasks: [row] });
  expect(decision.tasks?.map((next) => next.lease?.answered) ?? []).toEqual(marked ? [true] : []);
  expect(decision.facts).toBeUndefined();
});
