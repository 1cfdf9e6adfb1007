import { assert, constantFrom, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clean, cleanLines, cut, table, width } from './text.ts';

const FORBIDDEN = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const nasty = oneof(
  string({ unit: 'binary' }),
  constantFrom(
    '\u001b[2J',
    '\u001b]0;owned\u0007',
    '\u009b31m',
    '\r',
    '\n',
    '\u202e',
    '\ud800',
    '日本',
  ),
);

describe('cleaning', () => {
  test.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;new window title\u0007after', 'after'],
    ['up\u001b[2Aand over', 'upand over'],
    ['a\r\nb\tc', 'a b c'],
    ['abc\u202ecba', 'abccba'],
    ['bell\u0007 back\b del\u007f c1\u009b2J', 'bell back del c1'],
    ['日本語 and 👩‍👩‍👧 stay', '日本語 and 👩‍👩‍👧 stay'],
  ])('%j becomes %j', (hostile, expected) => {
    expect(clean(hostile)).toBe(expected);
  });

  test('lines stay lines', () => {
    expect(cleanLines('a\r\n\tb\n\u001b[2Jc')).toBe('a\n    b\nc');
  });

  test('no text gets a control character through', () => {
    assert(
      property(nasty, nasty, nasty, (a, b, c) => {
        expect(clean(a + b + c)).not.toMatch(FORBIDDEN);
        expect(cleanLines(a + b + c).replaceAll('\n', '')).not.toMatch(FORBIDDEN);
      }),
    );
  });
});

describe('width', () => {
  test.each([
    ['abc', 3],
    ['日本語', 6],
    ['ｆｕｌｌ', 8],
    ['ｶﾅ', 2],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['✔', 1],
    ['', 0],
  ])('%s takes %d columns', (text, columns) => {
    expect(width(text)).toBe(columns);
  });

  test.each([
    ['日本語です', 6, '日本…'],
    ['日本語です', 10, '日本語です'],
    ['abcdef', 4, 'abc…'],
    ['abc', 0, ''],
  ])('%s cut to %d columns is %s', (text, columns, expected) => {
    expect(cut(text, columns)).toBe(expected);
  });

  test('no line of a table is wider than the terminal', () => {
    assert(
      property(nasty, nasty, nasty, (a, b, c) => {
        const lines = table(
          [
            [a, b, c],
            ['1', '2', '3'],
          ],
          20,
        );
        expect(Math.max(...lines.map(width))).toBeLessThanOrEqual(20);
      }),
    );
  });

  test('columns line up with wide characters', () => {
    expect(
      table(
        [
          ['日本', 'x'],
          ['ab', 'y'],
        ],
        80,
      ),
    ).toEqual(['日本  x', 'ab    y']);
  });
});
