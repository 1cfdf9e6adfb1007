import { expect, it } from 'vitest';
import { createCache } from './cache.ts';

it('keeps what was set last, and never more than twice its size', () => {
  const cache = createCache<number>(3);
  for (let n = 1; n <= 7; n += 1) cache.set(`k${n}`, n);
  expect(['k7', 'k6', 'k5', 'k1'].map(cache.get)).toEqual([7, 6, 5, undefined]);
  cache.delete('k7');
  expect(cache.get('k7')).toBeUndefined();
  cache.clear();
  expect(cache.get('k6')).toBeUndefined();
});

it('has the newest value, also of what it was about to forget', () => {
  const cache = createCache<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 3);
  expect(cache.get('a')).toBe(3);
});
