import { expect, test } from 'vitest';
import { readJson } from './read-json.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  '{"a":1,"b":{"a":[{"a":1},{"a":2}]},"c":"}{[,"}',
  '[]',
  '"\\"{"',
  ' {"a" : "\\\\" , "b":[1,2,"x"]} ',
  '{"a":["b","b"],"b":"b"}',
])('reads %s as JSON.parse does', (text) => {
  expect(readJson(bytes(text))).toEqual(JSON.parse(text));
});

test('an empty body is nothing, and a byte order mark is skipped', () => {
  expect(readJson(bytes(''))).toBeUndefined();
  expect(readJson(bytes('\ufeff{"a":1}'))).toEqual({ a: 1 });
});

test.each([
  ['{"a":1,"a":2}', '"a" is given twice'],
  ['{"a":1,"\\u0061":2}', '"a" is given twice'],
  ['{"x":[{"k":1,"y":{},"k":2}]}', '"k" is given twice'],
  ['{"value":{"__proto__":{}}}', '"__proto__" is not allowed'],
  ['{"a":', 'not valid JSON'],
  ['{"a":1}}', 'not valid JSON'],
  ['{"a":"\n"}', 'not valid JSON'],
  ['"unended', 'not valid JSON'],
  ["{'a':1}", 'not valid JSON'],
  [`${'['.repeat(33)}${']'.repeat(33)}`, 'more than 32 levels'],
  ['['.repeat(1_000_000), 'more than 32 levels'],
  [`{"a":`.repeat(200_000), 'more than 32 levels'],
  [`"${'\\"'.repeat(500_000)}`, 'not valid JSON'],
])('refuses %.40s…', (text, sentence) => {
  expect(() => readJson(bytes(text))).toThrow(sentence);
});

test('refuses bytes that are not UTF-8', () => {
  expect(() => readJson(new Uint8Array([0x22, 0xff, 0x22]))).toThrow('not valid UTF-8');
});
