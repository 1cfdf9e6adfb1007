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
