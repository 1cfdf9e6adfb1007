import { expect, it } from 'vitest';
import { createScrubber } from './secrets.ts';

it.each([
  ['as it is', 'p@ss word', 'AUTH p@ss word now'],
  ['inside JSON', 'a"b\\c', JSON.stringify({ args: ['a"b\\c'] })],
  ['inside an address', 'p@ss/w', 'redis://:p%40ss%2Fw@host'],
  [
    'as one line of a key',
    `-----BEGIN KEY-----\n${'abcd'.repeat(8)}\n-----END KEY-----`,
    `bad: ${'abcd'.repeat(8)}`,
  ],
])('takes a secret out of a text: %s', (_, secret, text) => {
  const scrubbed = createScrubber([secret])(text);
  expect(scrubbed).toContain('[redacted]');
  for (const part of secret.split('\n')) expect(scrubbed).not.toContain(part);
});

it('leaves ordinary text alone, also where a secret is hardly one', () => {
  expect(createScrubber(['t', '', 'long-secret'])('the task is ready')).toBe('the task is ready');
});

it('hides a secret that holds another one as a whole', () => {
  expect(createScrubber(['hush', 'hush-hush'])('x hush-hush y')).toBe('x [redacted] y');
});

it('takes a secret of four letters out, and no shorter one', () => {
  expect(createScrubber(['abcd'])('x abcd y')).toBe('x [redacted] y');
  expect(createScrubber(['abc'])('x abc y')).toBe('x abc y');
});

it('leaves the short lines of a key alone, and its first and last one', () => {
  const key = `-----BEGIN KEY-----\n${'a'.repeat(16)}\n${'b'.repeat(15)}\n-----END KEY-----`;
  const scrub = createScrubber([key]);
  expect(scrub('a'.repeat(16))).toBe('[redacted]');
  expect(scrub('b'.repeat(15))).toBe('b'.repeat(15));
  expect(scrub('-----BEGIN KEY-----')).toBe('-----BEGIN KEY-----');
  expect(createScrubber(['-----'.repeat(4)])('-----'.repeat(4))).toBe('[redacted]');
  expect(createScrubber(['a"b c'])('say a\\"b c')).toBe('say [redacted]');
});
