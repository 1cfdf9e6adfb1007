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
