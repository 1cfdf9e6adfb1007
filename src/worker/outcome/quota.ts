// Refusals because a quota or a rate limit is used up, in the words of the tools: when it returns, if they say.

import type { Quota } from '../presets/preset.ts';

const REFUSALS =
  /\b429\b|rate.?limit|usage limit|hit your (?:\w+ )?limit|quota|resource.?exhausted|too many requests|insufficient_quota|out of (?:extra )?credits|credit balance is too low/i;

const SECOND = 1000;
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND,
  m: 60 * SECOND,
  h: 3600 * SECOND,
  d: 86_400 * SECOND,
};

function unitOf(word: string): number {
  if (word.startsWith('ms') || word.startsWith('milli')) return UNITS.ms ?? 1;
  return UNITS[word[0] ?? 's'] ?? SECOND;
}

/** "in 2 hours 5 minutes", "retry after 32s", "in 1d 3h". */
function duration(text: string): number | null {
  const start =
    /(?:\bin|\bafter|retryDelay"?:)\s*"?((?:\d+(?:\.\d+)?\s*(?:ms|milliseconds?|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)\b[\s,and]*)+)/i.exec(
      text,
    );
  if (start === null) return null;
  let sum = 0;
  for (const [, amount, unit] of (start[1] ?? '').matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    sum += Number(amount) * unitOf((unit ?? 's').toLowerCase());
  }
  return sum > 0 ? sum : null;
}

/** "resets 3pm", "try again at 3:45 PM": the next time the clock shows that. */
function clockTime(text: string, now: number): number | null {
  const match = /(?:resets?|again)(?:\s+at)?\s+(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m/i.exec(text);
  if (match === null) return null;
  const [, hour = '0', minute = '0', half = 'a'] = match;
  const at = new Date(now);
  at.setHours((Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0), Number(minute), 0, 0);
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/** "usage limit reached|1794807076", or an ISO instant. */
function instant(text: string): number | null {
  const epoch = /\|(\d{10})\b/.exec(text)?.[1];
  if (epoch !== undefined) return Number(epoch) * SECOND;
  const iso = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/.exec(text)?.[1];
  return iso === undefined ? null : Date.parse(iso);
}

/** Null: it is no refusal of that kind. */
export function quotaIn(message: string, now: number): Quota | null {
  if (!REFUSALS.test(message)) return null;
  const wait = duration(message);
  const returnsAt = instant(message) ?? (wait === null ? clockTime(message, now) : now + wait);
  return { returnsAt: returnsAt !== null && returnsAt > now ? returnsAt : null, message };
}

const LOGGED_OUT =
  /\b401\b|unauthorized|invalid (?:x-)?api.?key|invalid authentication|please run \/login|not logged in|no authentication|authentication.?(?:error|failed)|oauth token (?:has )?(?:expired|revoked)/i;

/** The tool has no valid account: every task would end like this one. */
export function faultIn(message: string): string | null {
  return LOGGED_OUT.test(message) ? message : null;
}
