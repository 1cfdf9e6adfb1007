// What GitHub says about its limits in the headers of every answer, in our own clock.

import type { Heard, Resource } from '../../core/pace.ts';

type Headers = Readonly<Record<string, string | number | undefined>>;

const number = (value: string | number | undefined): number | null => {
  const read = value === undefined || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(read) ? read : null;
};

/** GitHub's clock and ours may differ: what it dates is read against the `date` of the same answer. */
function msUntil(seconds: number, headers: Headers, now: number): number {
  const theirs = Date.parse(String(headers['date'] ?? ''));
  return seconds * 1000 - (Number.isNaN(theirs) ? now : theirs);
}

const isResource = (name: unknown): name is Resource => name === 'core' || name === 'graphql';

export function readAllowance(headers: Headers, now: number): Heard['budget'] {
  const of = headers['x-ratelimit-resource'] ?? 'core';
  const limit = number(headers['x-ratelimit-limit']);
  const remaining = number(headers['x-ratelimit-remaining']);
  const reset = number(headers['x-ratelimit-reset']);
  if (!isResource(of) || limit === null || remaining === null || reset === null) return null;
  return { of, limit, remaining, resetMs: msUntil(reset, headers, now) };
}

const UNSAID_WAIT_MS = 60_000;

/** How long nothing may be asked, where an answer says so; null: it speaks of no limit. */
export function waitMsOf(
  status: number,
  headers: Headers,
  message: string,
  now: number,
): number | null {
  if (status !== 403 && status !== 429) return null;
  const retryAfter = number(headers['retry-after']);
  if (retryAfter !== null) return retryAfter * 1000;
  const reset = number(headers['x-ratelimit-reset']);
  if (number(headers['x-ratelimit-remaining']) === 0 && reset !== null) {
    return Math.max(1000, msUntil(reset, headers, now));
  }
  const limited = status === 429 || /rate limit|abuse detection/i.test(message);
  return limited ? UNSAID_WAIT_MS : null;
}
