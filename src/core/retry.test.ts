import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryDelayMs, retryDelays } from './retry.ts';

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
