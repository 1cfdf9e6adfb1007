import { describe, expect, it } from 'vitest';
import { LOG_SEGMENT_BYTES, pageOf, piecesOf, textOfPage } from './log-store.ts';

describe('a log in segments', () => {
  it('splits bytes at the ends of segments', () => {
    const pieces = piecesOf(LOG_SEGMENT_BYTES - 2, new Uint8Array(5));
    expect(pieces.map(({ segment, at, bytes }) => [segment, at, bytes.length])).toEqual([
      [0, LOG_SEGMENT_BYTES - 2, 2],
      [1, 0, 3],
    ]);
  });

  it('begins where the oldest segment does that is kept', () => {
    const lengths = new Map([
      [3, LOG_SEGMENT_BYTES],
      [4, 10],
    ]);
    const size = 4 * LOG_SEGMENT_BYTES + 10;
    expect(pageOf(lengths, 0, 100)).toEqual({
      from: 3 * LOG_SEGMENT_BYTES,
      to: 3 * LOG_SEGMENT_BYTES + 100,
      size,
    });
    expect(pageOf(lengths, size + 5, 100)).toEqual({ from: size, to: size, size });
    expect(pageOf(new Map(), 0, 100)).toBeNull();
  });

  it.each(['abc', 'añb', '番頭', 'a😀b'])('never breaks a character of %s in two', (text) => {
    const bytes = new TextEncoder().encode(text);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const first = textOfPage(bytes.subarray(0, cut), cut === bytes.length);
      const rest = textOfPage(bytes.subarray(first.used), true);
      expect(first.text + rest.text).toBe(text);
    }
  });
});

describe('a page that begins or ends within a character', () => {
  const bytes = (...parts: (string | number)[]) =>
    new Uint8Array(
      parts.flatMap((part) => (typeof part === 'number' ? [part] : [...Buffer.from(part)])),
    );
  it.each<[string, Uint8Array, boolean, string, number]>([
    ['leaves the rest of one out', bytes(0x98, 0x80, 'ab'), true, 'ab', 4],
    ['leaves three bytes of one out', bytes(0x9f, 0x98, 0x80, 'a'), true, 'a', 4],
    ['leaves the beginning of a long one', bytes('a', 0xf0, 0x9f, 0x98), false, 'a', 1],
    ['leaves the beginning of one of three', bytes('a', 0xe0, 0xa4), false, 'a', 1],
    ['leaves the beginning of one of two', bytes('a', 0xc0), false, 'a', 1],
    ['has nothing but such a beginning', bytes(0xf0, 0x9f), false, '', 0],
    ['shows a broken one at the very end', bytes('a', 0xf0), true, 'a\ufffd', 2],
    ['shows bytes that are no text', bytes(0x80, 0x80, 0x80, 0x80, 'a'), true, '\ufffda', 5],
    ['leaves zeros out', bytes('a', 0, 'b', 0), true, 'ab', 4],
    ['is empty', bytes(), false, '', 0],
  ])('%s', (_title, page, whole, text, used) => {
    expect(textOfPage(page, whole)).toEqual({ text, used });
  });
});
