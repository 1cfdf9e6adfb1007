// What GitHub says about its limits in the headers of every answer, in our own clock.

import type { LimitReport, Resource } from '../../../core/pace/pace.ts';

type Headers = Readonly<Record<string, string | number | undefined>>;

const number = (value: string | number | undefined): number | null => {
  const read = value === undefined || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(read) ? read : null;
};

/** Every limit of GitHub's is over within the hour: a longer wait is a mistake of somebody, and would never end. */
const MOST_WAIT_MS = 3_600_000;

/** GitHub's clock and ours may differ: what it dates is read against the `date` of the same answer. */
function msUntil(seconds: number, headers: Headers, now: number): number {
  const theirs = Date.parse(String(headers['date'] ?? ''));
  return Math.min(MOST_WAIT_MS, seconds * 1000 - (Number.isNaN(theirs) ? now : theirs));
}

const isResource = (name: unknown): name is Resource => name === 'core' || name === 'graphql';

export function readAllowance(headers: Headers, now: number): LimitReport['budget'] {
  const of = headers['x-ratelimit-resource'] ?? 'core';
  const limit = number(headers['x-ratelimit-limit']);
  const remaining = number(headers['x-ratelimit-remaining']);
  const reset = number(headers['x-ratelimit-reset']);
  if (!isResource(of) || limit === null || remaining === null || reset === null) return null;
  return { of, limit, remaining, resetMs: msUntil(reset, headers, now) };
}

const UNSAID_WAIT_MS = 60_000;
/** Whatever is said: asking again at once would be no patience. */
const LEAST_WAIT_MS = 1000;

/** Seconds or, as HTTP allows and proxies do, a date. */
function retryAfterMs(headers: Headers, now: number): number | null {
  const said = headers['retry-after'];
  const seconds = number(said);
  if (seconds !== null) return Math.min(MOST_WAIT_MS, seconds * 1000);
  const at = Date.parse(String(said ?? ''));
  return Number.isNaN(at) ? null : msUntil(at / 1000, headers, now);
}

/** How long nothing may be asked, where an answer says so; null: it speaks of no limit. */
export function waitMsOf(
  status: number,
  headers: Headers,
  message: string,
  now: number,
): number | null {
  if (status !== 403 && status !== 429) return null;
  const retryMs = retryAfterMs(headers, now);
  if (retryMs !== null) return Math.max(LEAST_WAIT_MS, retryMs);
  const reset = number(headers['x-ratelimit-reset']);
  if (number(headers['x-ratelimit-remaining']) === 0 && reset !== null) {
    return Math.max(LEAST_WAIT_MS, msUntil(reset, headers, now));
  }
  const limited = status === 429 || /rate limit|abuse detection/i.test(message);
  return limited ? UNSAID_WAIT_MS : null;
}
