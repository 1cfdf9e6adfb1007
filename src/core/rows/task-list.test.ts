import { expect, it, test } from 'vitest';
import type { TaskFilter } from '../store.ts';
import { readCursor, shownCounts, suits } from './task-list.ts';
import type { TaskRow } from './task-row.ts';

const ROW = {
  state: 'leased',
  kind: 'review',
  repository: 'octo/zoo',
  lease: { agentId: 'a2' },
  past: [{ agentId: 'a1' }],
} as unknown as TaskRow;

test.each<[Partial<TaskFilter>, boolean]>([
  [{}, true],
  [{ state: 'leased', kind: 'review', repository: 'octo/zoo', agent: 'a2', label: 'Go' }, true],
  [{ state: 'ready' }, false],
  [{ kind: 'fix' }, false],
  [{ repository: 'octo/park' }, false],
  [{ label: 'rust' }, false],
  [{ agent: 'a1' }, true],
  [{ agent: 'a3' }, false],
])('a filter %j suits a task: %s', (filter, expected) => {
  expect(suits(ROW, ['go'], { limit: 1, ...filter })).toBe(expected);
});

test('a task that nobody holds suits those who held it', () => {
  expect(suits({ ...ROW, lease: null }, [], { limit: 1, agent: 'a2' })).toBe(false);
  expect(suits({ ...ROW, lease: null }, [], { limit: 1, agent: 'a1' })).toBe(true);
});

test('a cursor is a number, or none', () => {
  expect(readCursor(undefined)).toBeUndefined();
  expect(readCursor('0')).toBe(0);
  expect(readCursor('123456789012345')).toBe(123_456_789_012_345);
});

it.each(['', 'x', '-1', '1.5', ' 1', '1234567890123456'])('%j is no cursor', (cursor) => {
  expect(() => readCursor(cursor)).toThrow(/cursor is not one/);
});

test('counts come by state, then by kind, then by priority, where there are any', () => {
  const count = (state: string, kind: string, priority: number, of = 1) =>
    ({ state, kind, priority, count: of }) as ReturnType<typeof shownCounts>[number];
  const sorted = [
    count('ready', 'implement', 100),
    count('ready', 'implement', 50),
    count('ready', 'review', 100),
    count('leased', 'implement', 100),
  ];
  const none = [count('done', 'fix', 50, 0), count('dead', 'fix', 50, -1)];
  expect(shownCounts([...sorted.toReversed(), ...none])).toEqual(sorted);
});
