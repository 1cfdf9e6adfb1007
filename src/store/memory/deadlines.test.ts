import { expect, test } from 'vitest';
import { createDeadlines } from './deadlines.ts';

test('what is due comes in order, stays until it is due no more, and the next instant is after these', () => {
  const at = new Map<string, number>();
  const deadlines = createDeadlines<string>((id) => at.get(id) ?? null);
  const watch = (id: string, instant: number) => {
    at.set(id, instant);
    deadlines.watch(id, instant);
  };
  watch('c', 30);
  watch('a', 10);
  watch('b', 20);
  watch('a2', 10);
  expect(deadlines.due(5, 9)).toEqual({ keys: [], nextAt: 10 });
  expect(deadlines.due(20, 9)).toEqual({ keys: ['a', 'a2', 'b'], nextAt: 30 });
  expect(deadlines.due(20, 2)).toEqual({ keys: ['a', 'a2'], nextAt: 20 });
  at.delete('a');
  watch('a2', 25);
  expect(deadlines.due(20, 9)).toEqual({ keys: ['b'], nextAt: 25 });
  watch('c', 1);
  expect(deadlines.due(20, 9)).toEqual({ keys: ['c', 'b'], nextAt: 25 });
  expect(deadlines.first(2)).toEqual([
    { key: 'c', at: 1 },
    { key: 'b', at: 20 },
  ]);
  at.clear();
  expect(deadlines.due(99, 9)).toEqual({ keys: [], nextAt: null });
});

test('renewals by the thousand leave one entry', () => {
  let instant = 0;
  let asked = 0;
  const deadlines = createDeadlines<string>(() => {
    asked += 1;
    return instant;
  });
  for (let n = 1; n <= 10_000; n += 1) {
    instant = n;
    deadlines.watch('a', n);
  }
  expect(deadlines.due(20_000, 9)).toEqual({ keys: ['a'], nextAt: null });
  expect(asked).toBeLessThan(10);
});

test('what is dropped is held no longer, and may come again', () => {
  const deadlines = createDeadlines<string>(() => 10);
  deadlines.watch('a', 10);
  deadlines.watch('b', 10);
  deadlines.drop('a');
  deadlines.drop('nobody');
  expect(deadlines.due(10, 9)).toEqual({ keys: ['b'], nextAt: null });
  deadlines.watch('a', 10);
  expect(deadlines.due(10, 9)).toEqual({ keys: ['b', 'a'], nextAt: null });
});
