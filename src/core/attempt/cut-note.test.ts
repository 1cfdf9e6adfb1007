import { expect, test } from 'vitest';
import { cutNote } from './cut-note.ts';

test('a note that fits stays as it is', () => {
  expect(cutNote('a'.repeat(100), 100)).toBe('a'.repeat(100));
  expect(cutNote('🍵'.repeat(100), 100)).toBe('🍵'.repeat(100));
});

test('one that is too long keeps its beginning and its end, and says that it was cut', () => {
  const cut = cutNote(`begin${'x'.repeat(5000)}end`, 100);
  expect(cut).toMatch(/^begin[^]*the middle was cut[^]*end$/);
  expect(Array.from(cut)).toHaveLength(100);
});

test('no character is cut in two', () => {
  expect(cutNote('🍵'.repeat(500), 101).isWellFormed()).toBe(true);
});
