import { expect, it } from 'vitest';
import { faultIn, quotaIn } from './quota.ts';

const NOW = Date.parse('2026-11-16T06:00:00.000Z');
const after = (seconds: number) => NOW + seconds * 1000;

it.each([
  ['Claude AI usage limit reached|1794812400', Date.parse('2026-11-16T07:00:00.000Z')],
  ["You've hit your usage limit. Try again in 2 hours 5 minutes.", after(7500)],
  ['429 Too Many Requests, retry after 32s', after(32)],
  ['RESOURCE_EXHAUSTED: quota exceeded, "retryDelay": "15s"', after(15)],
  ['Rate limit exceeded, resets at 2026-11-16T06:30:00Z', after(1800)],
  ['rate_limit: please try again in 1d 3h', after(97_200)],
  ['exceeded retry limit, last status: 429 Too Many Requests', null],
  ['You exceeded your current quota', null],
])('%s', (message, returnsAt) => {
  expect(quotaIn(message, NOW)).toEqual({ returnsAt, message });
});

it('reads a time of day as the next one', () => {
  const at = new Date(quotaIn("You've hit your limit · resets 3pm", NOW)?.returnsAt ?? 0);
  expect([at.getHours(), at.getMinutes(), at.getTime() > NOW]).toEqual([15, 0, true]);
});

it.each(['The tests do not compile', 'exit code 1', 'limit the number of rows to 10'])(
  'no quota: %s',
  (message) => {
    expect(quotaIn(message, NOW)).toBeNull();
  },
);

it.each([
  ['Invalid API key · Please run /login', true],
  ['Error: No authentication information found.', true],
  ['unexpected status 401 Unauthorized', true],
  ['fixed the login of users', false],
])('a missing login: %s', (message, found) => {
  expect(faultIn(message) !== null).toBe(found);
});
