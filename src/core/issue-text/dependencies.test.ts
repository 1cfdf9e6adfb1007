import { expect, test } from 'vitest';
import { dependencyNotes, describeAll, type Named } from './dependencies.ts';

function backlog(named: Record<number, readonly number[]>): Named {
  return (number) => named[number] ?? null;
}

test('plain dependencies need no words', () => {
  const named = backlog({ 1: [], 2: [1], 3: [1, 2] });
  expect(describeAll([1, 2, 3], named)).toEqual([]);
});

test('an issue that names itself, or a number that does not exist, is told', () => {
  const named = backlog({ 3: [3, 99, 100], 4: [99] });
  expect(describeAll([3, 4], named)).toEqual([
    '#3 names itself as a dependency, which is ignored.',
    '#3 waits for #99, #100, which do not exist; that is ignored.',
    '#4 waits for #99, which does not exist; that is ignored.',
  ]);
});

test('a circle is found from each of its issues, and told once', () => {
  const named = backlog({ 1: [2], 2: [3], 3: [1], 4: [1], 5: [6], 6: [5] });
  expect(dependencyNotes(2, named).cycle).toEqual([2, 3, 1, 2]);
  expect(dependencyNotes(4, named).cycle).toBeNull();
  expect(describeAll([1, 2, 3, 4, 5, 6], named)).toEqual([
    'The dependencies form a circle (#1 → #2 → #3 → #1), so none of these is ever offered: remove one of them.',
    'The dependencies form a circle (#5 → #6 → #5), so none of these is ever offered: remove one of them.',
  ]);
});
