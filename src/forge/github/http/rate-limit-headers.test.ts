import { describe, expect, it } from 'vitest';
import { readAllowance, waitMsOf } from './rate-limit-headers.ts';

const NOW = 1_000_000_000_000;
const HOUR_MS = 3_600_000;
/** GitHub's clock is an hour ahead of ours. */
const date = new Date(NOW + HOUR_MS).toUTCString();
const reset = String((NOW + HOUR_MS) / 1000 + 90);
const inAThousandYears = 'Fri, 01 Jan 3027 00:00:00 GMT';
const inHalfAMinute = new Date(NOW + 3_630_000).toUTCString();

describe('the budget', () => {
  it('is read in our own clock', () => {
    const headers = {
      date,
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '17',
      'x-ratelimit-reset': reset,
      'x-ratelimit-resource': 'core',
    };
    expect(readAllowance(headers, NOW)).toEqual({
      of: 'core',
      limit: 5000,
      remaining: 17,
      resetMs: 90_000,
    });
    const never = readAllowance({ ...headers, 'x-ratelimit-reset': '99999999999' }, NOW);
    expect(never?.resetMs).toBe(HOUR_MS);
    expect(readAllowance({ ...headers, 'x-ratelimit-resource': 'search' }, NOW)).toBeNull();
    expect(readAllowance({ date }, NOW)).toBeNull();
  });
});

describe('a limit', () => {
  const exhausted = { date, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
  it.each([
    ['retry-after', 403, { 'retry-after': '30' }, '', 30_000],
    ['retry-after as a date', 429, { date, 'retry-after': inHalfAMinute }, '', 30_000],
    ['retry-after of nothing, a second all the same', 403, { 'retry-after': '0' }, '', 1000],
    ['retry-after in the past, a second all the same', 429, { 'retry-after': '-5' }, '', 1000],
    ['retry-after that means nothing', 429, { 'retry-after': 'soon' }, '', 60_000],
    ['retry-after over an exhausted budget', 429, { ...exhausted, 'retry-after': '7' }, '', 7000],
    ['retry-after of years, an hour', 403, { 'retry-after': '99999999999' }, '', HOUR_MS],
    ['such a date, an hour', 429, { date, 'retry-after': inAThousandYears }, '', HOUR_MS],
    [
      'a budget that never returns, an hour',
      403,
      { ...exhausted, 'x-ratelimit-reset': '99999999999' },
      '',
      HOUR_MS,
    ],
    ['an exhausted budget', 403, exhausted, 'API rate limit exceeded', 90_000],
    [
      'a secondary limit without a time',
      403,
      {},
      'You have exceeded a secondary rate limit',
      60_000,
    ],
    ['429 without a word', 429, {}, '', 60_000],
  ])('by %s is obeyed', (_name, status, headers, message, waitMs) => {
    expect(waitMsOf(status, headers, message, NOW)).toBe(waitMs);
  });

  it('is not seen in other refusals', () => {
    expect(
      waitMsOf(403, { 'x-ratelimit-remaining': '5' }, 'Resource not accessible', NOW),
    ).toBeNull();
    expect(waitMsOf(503, { 'retry-after': '30' }, '', NOW)).toBeNull();
  });
});
