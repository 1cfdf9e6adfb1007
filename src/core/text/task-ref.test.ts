import { expect, test } from 'vitest';
import { task } from '../../../test/support/scripted-broker.ts';
import type { TaskState } from '../task.ts';
import { byMeaning, parseTaskRef } from './task-ref.ts';

test.each([
  ['7', null, 7],
  ['#7', null, 7],
  ['shop#7', 'shop', 7],
  ['octo/shop#12', 'octo/shop', 12],
])('%s names the issue %s %d', (text, repository, number) => {
  expect(parseTaskRef(text)).toEqual({ by: 'issue', repository, number });
});

test.each(['octo~shop~7~implement.1', '07', '#', 'shop', 'a b#7', 'a/b/c#7', ''])(
  '%j names a task by its id',
  (text) => {
    expect(parseTaskRef(text)).toEqual({ by: 'id', id: text });
  },
);

test('the open task comes first, then the last one', () => {
  const of = (id: string, state: TaskState, updatedAt: number) => ({
    ...task,
    id,
    state,
    updatedAt,
  });
  const tasks = [
    of('a', 'done', 9),
    of('b', 'dead', 5),
    of('c', 'held', 1),
    of('d', 'ready', 2),
    of('e', 'leased', 0),
  ];
  expect(tasks.toSorted(byMeaning).map(({ id }) => id)).toEqual(['e', 'd', 'c', 'a', 'b']);
});

test('of two tasks that ended in the same instant the later round comes first', () => {
  const of = (id: string) => ({ ...task, id, state: 'done' as const, updatedAt: 5 });
  const ids = ['r~7~fix.1', 'r~7~review.2', 'r~7~implement.1'];
  expect(
    ids
      .map(of)
      .toSorted(byMeaning)
      .map(({ id }) => id),
  ).toEqual(['r~7~review.2', 'r~7~implement.1', 'r~7~fix.1']);
});
