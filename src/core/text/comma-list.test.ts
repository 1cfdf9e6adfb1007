import { expect, test } from 'vitest';
import { commaList } from './comma-list.ts';

test.each([
  ['a,b', ['a', 'b']],
  [' a , b ,', ['a', 'b']],
  ['good first issue, docs', ['good first issue', 'docs']],
  ['a\\, b,c', ['a, b', 'c']],
  ['"a, b",c', ['a, b', 'c']],
  ['say "hi"', ['say "hi"']],
  ['C:\\tools', ['C:\\tools']],
  ['', []],
  [',,', []],
])('%j is %j', (text, items) => {
  expect(commaList(text)).toEqual(items);
});
