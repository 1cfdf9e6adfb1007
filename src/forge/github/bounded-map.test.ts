import { expect, test } from 'vitest';
import { createBoundedMap } from './bounded-map.ts';

test('what was set longest ago is forgotten first', () => {
  const recent = createBoundedMap<number, string>(2);
  recent.set(1, 'a');
  recent.set(2, 'b');
  recent.set(1, 'c');
  recent.set(3, 'd');
  expect([1, 2, 3].map((key) => recent.get(key))).toEqual(['c', undefined, 'd']);
  recent.delete(1);
  expect(recent.has(1)).toBe(false);
});
