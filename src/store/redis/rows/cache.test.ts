import { expect, it } from 'vitest';
import { createCache } from './cache.ts';

it('keeps what was used last, and never more than twice its size', () => {
  const cache = createCache<number>(3);
  for (let n = 1; n <= 7; n += 1) cache.set(`k${n}`, n);
  expect(['k7', 'k6', 'k5', 'k1'].map(cache.get)).toEqual([7, 6, 5, undefined]);
  cache.delete('k7');
  expect(cache.get('k7')).toBeUndefined();
  cache.clear();
  expect(cache.get('k6')).toBeUndefined();
});

it('keeps what is looked at again and again, however much else comes', () => {
  const cache = createCache<number>(3);
  cache.set('kept', 0);
  for (let n = 1; n <= 20; n += 1) {
    cache.set(`k${n}`, n);
    expect(cache.get('kept')).toBe(0);
  }
});

it('has the newest value, also of what it was about to forget', () => {
  const cache = createCache<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 3);
  expect(cache.get('a')).toBe(3);
});
