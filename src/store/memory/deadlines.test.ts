import { expect, test } from 'vitest';
import { createDeadlines, type Timed } from './deadlines.ts';

interface Waiting extends Timed<Waiting> {
  readonly id: string;
  at: number | null;
}

const waiting = (id: string): Waiting => ({ id, at: null, timer: null });
const instantOf = ({ at }: Waiting) => at;

function createList() {
  const deadlines = createDeadlines<Waiting>(instantOf);
  return {
    ...deadlines,
    watch(key: Waiting, instant: number) {
      key.at = instant;
      deadlines.watch(key, instant);
    },
    due(now: number, limit: number) {
      const { keys, nextAt } = deadlines.due(now, limit);
      return { ids: keys.map(({ id }) => id), nextAt };
    },
  };
}

test('what is due comes in order, stays until it is due no more, and the next instant is after these', () => {
  const list = createList();
  const [a, a2, b, c] = ['a', 'a2', 'b', 'c'].map(waiting) as [Waiting, Waiting, Waiting, Waiting];
  list.watch(c, 30);
  list.watch(a, 10);
  list.watch(b, 20);
  list.watch(a2, 10);
  expect(list.due(5, 9)).toEqual({ ids: [], nextAt: 10 });
  expect(list.due(20, 9)).toEqual({ ids: ['a', 'a2', 'b'], nextAt: 30 });
  expect(list.due(20, 2)).toEqual({ ids: ['a', 'a2'], nextAt: 20 });
  a.at = null;
  list.watch(a2, 25);
  expect(list.due(20, 9)).toEqual({ ids: ['b'], nextAt: 25 });
  list.watch(c, 1);
  expect(list.due(20, 9)).toEqual({ ids: ['c', 'b'], nextAt: 25 });
  expect(list.first(2)).toEqual([
    { key: c, at: 1 },
    { key: b, at: 20 },
  ]);
  for (const one of [a, a2, b, c]) one.at = null;
  expect(list.due(99, 9)).toEqual({ ids: [], nextAt: null });
});

test('renewals by the thousand leave one entry', () => {
  let asked = 0;
  const deadlines = createDeadlines<Waiting>(({ at }) => {
    asked += 1;
    return at;
  });
  const a = waiting('a');
  for (let n = 1; n <= 10_000; n += 1) {
    a.at = n;
    deadlines.watch(a, n);
  }
  expect(deadlines.due(20_000, 9)).toEqual({ keys: [a], nextAt: null });
  expect(asked).toBeLessThan(10);
});

test('what is dropped is held no longer, and may come again', () => {
  const list = createList();
  const [a, b] = [waiting('a'), waiting('b')];
  list.watch(a, 10);
  list.watch(b, 10);
  list.drop(a);
  list.drop(waiting('nobody'));
  expect(list.due(10, 9)).toEqual({ ids: ['b'], nextAt: null });
  list.watch(a, 10);
  expect(list.due(10, 9)).toEqual({ ids: ['b', 'a'], nextAt: null });
});

test('what waits in another list now has left this one, and comes back as somebody new', () => {
  const [list, other] = [createList(), createList()];
  const a = waiting('a');
  list.watch(a, 10);
  other.watch(a, 20);
  expect(list.due(99, 9)).toEqual({ ids: [], nextAt: null });
  list.drop(a);
  expect(other.due(99, 9)).toEqual({ ids: ['a'], nextAt: null });
  list.watch(a, 30);
  expect(other.due(99, 9)).toEqual({ ids: [], nextAt: null });
  expect(list.due(99, 9)).toEqual({ ids: ['a'], nextAt: null });
});
