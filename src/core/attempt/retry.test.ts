import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notifyDelayMs, refusedHoldMs, retryDelayMs, retryDelays, writeDelayMs } from './retry.ts';

describe('retryDelayMs', () => {
  it('doubles from 30 seconds', () => {
    expect([1, 2, 3, 4].map((attempt) => retryDelayMs(attempt, 0.5))).toEqual([
      30_000, 60_000, 120_000, 240_000,
    ]);
  });

  it('is never longer than an hour and never far from its step', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (n, r) => {
          const delay = retryDelayMs(n, r);
          expect(delay).toBeLessThanOrEqual(3_600_000);
          expect(delay).toBeGreaterThanOrEqual(24_000);
        },
      ),
    );
  });

  it('spreads with the random number', () => {
    expect(retryDelayMs(1, 0)).toBe(24_000);
    expect(retryDelayMs(1, 0.999)).toBeGreaterThan(35_000);
  });
});

describe('retryDelays', () => {
  it('gives one delay for each attempt', () => {
    expect(retryDelays(3, () => 0.5)).toEqual([30_000, 60_000, 120_000]);
  });
});

describe('the other delays', () => {
  it('double from their own first one to their own longest', () => {
    const delays = (delay: (attempt: number, random: number) => number) =>
      [1, 2, 30].map((attempt) => delay(attempt, 0.5));
    expect(delays(writeDelayMs)).toEqual([500, 1000, 60_000]);
    expect(delays(notifyDelayMs)).toEqual([2000, 4000, 600_000]);
    expect(retryDelayMs(0, 0.5)).toBe(30_000);
  });

  it('after a refusal are none where the forge shows the problem itself', () => {
    expect(refusedHoldMs('malformed')).toBe(0);
    expect(refusedHoldMs('gone')).toBe(600_000);
  });
});
