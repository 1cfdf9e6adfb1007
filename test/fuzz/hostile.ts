// Texts and values that strangers send: wrong, broken, huge, clever.

import type { Dice } from './dice.ts';

const WORDS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  'x\udc00',
  '\ufeff',
  '\u202eabc',
  '😀',
  'é',
  'ﬃ',
  '日本語',
  '\r\n',
  '\u001b]0;x\u0007',
  '..',
  '../../etc/passwd',
  '%2e%2e%2f',
  '%00',
  '%',
  '%zz',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '-0',
  '1e999',
  'NaN',
  'null',
  'true',
  '0x10',
  '9007199254740993',
  '$(id)',
  '`id`',
  "'; DROP TABLE tasks; --",
  '{{7*7}}',
  '<script>alert(1)</script>',
  '*',
  'in-progress',
  'needs-review',
  'P0',
  '~',
  '#1',
];
/** Repeated, these make patterns that look back slow. */
const RUNS = [
  'a',
  ' ',
  '\t',
  '# ',
  ' #',
  '`',
  '[',
  '(',
  '{',
  '*',
  '_',
  '- ',
  '\n',
  '\\',
  '"',
  ':',
  '&a ',
  '<!--',
  '\u001b]',
  '~',
  '../',
  '%20',
  'é',
  '😀',
  '\ud800',
];

export function hostileText(dice: Dice, size: number): string {
  if (dice.chance(0.6)) return dice.pick(WORDS);
  const run = dice.pick(RUNS);
  const times = dice.chance(0.8) ? dice.int(120) : dice.int(Math.ceil(size / run.length));
  const text = run.repeat(times);
  return dice.chance(0.5) ? text : `${text}${dice.pick(WORDS)}`;
}

const NUMBERS = [0, -0, -1, 1, 1.5, 50, 100, 101, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 1e308];

export function hostileValue(dice: Dice, size: number, depth = 0): unknown {
  switch (dice.int(depth > 3 ? 5 : 8)) {
    case 0:
      return null;
    case 1:
      return dice.chance(0.5);
    case 2:
      return dice.pick(NUMBERS);
    case 3:
    case 4:
      return hostileText(dice, size);
    case 5:
      return Array.from({ length: dice.int(6) }, () => hostileValue(dice, size, depth + 1));
    case 6:
      return nested(dice.int(Math.min(2000, size)), dice.chance(0.5));
    default:
      return Object.fromEntries(
        Array.from({ length: dice.int(5) }, () => [
          dice.pick(WORDS),
          hostileValue(dice, size, depth + 1),
        ]),
      );
  }
}

function nested(depth: number, asList: boolean): unknown {
  let value: unknown = 1;
  for (let n = 0; n < depth; n += 1) value = asList ? [value] : { a: value };
  return value;
}

/** Bytes that claim to be JSON. */
export function brokenJson(dice: Dice, size: number, whole: string): Buffer {
  switch (dice.int(8)) {
    case 0:
      return Buffer.from(whole.slice(0, dice.int(whole.length + 1)));
    case 1:
      return Buffer.from(`\ufeff${whole}`);
    case 2:
      return Buffer.from('['.repeat(dice.int(size)));
    case 3:
      return Buffer.from('{"a":'.repeat(dice.int(Math.ceil(size / 5))));
    case 4:
      return Buffer.from([0xff, 0xfe, 0xc0, 0x80, ...Buffer.from(whole)]);
    case 5:
      return Buffer.from(`${whole}${dice.pick(['x', ',', '}', '\u0000', whole])}`);
    case 6:
      return Buffer.from(whole.replace(/"/g, "'"));
    default:
      return Buffer.from(
        dice.pick([
          '',
          ' ',
          'NaN',
          'undefined',
          '1e999',
          '"\\ud800"',
          '-',
          '{"__proto__":{"x":1}}',
          '{"a":1,"a":2}',
        ]),
      );
  }
}
