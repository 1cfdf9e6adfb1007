import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask } from '../client.ts';
import { type GithubDouble, startGithubDouble } from '../double.ts';
import type { LimitOptions } from './limits.ts';

const REPO = 'acme/shop';
let github: GithubDouble;

async function start(limits: Partial<LimitOptions> | false): Promise<void> {
  github = await startGithubDouble({ repositories: [REPO], limits, clock: 1_800_000_000_000 });
  github.as('alice').openIssue(REPO, { title: 'one' });
}
beforeEach(() => start({ primary: 10 }));
afterEach(() => github.close());

const read = () => ask(github, `GET /repos/${REPO}/issues`);
const label = () => ask(github, `POST /repos/${REPO}/issues/1/labels`, { body: ['x'] });
const comment = () =>
  ask(github, `POST /repos/${REPO}/issues/1/comments`, { body: { body: 'hi' } });
const kinds = () => github.limits.violations.map((violation) => violation.kind);

test('every answer says what is left, and the budget comes back after its hour', async () => {
  const first = await read();
  expect(first.headers.get('x-ratelimit-limit')).toBe('10');
  expect(first.headers.get('x-ratelimit-remaining')).toBe('9');
  expect(first.headers.get('x-ratelimit-used')).toBe('1');
  expect(first.headers.get('x-ratelimit-reset')).toBe('1800003600');
  expect(first.headers.get('x-ratelimit-resource')).toBe('core');
  for (let count = 0; count < 9; count += 1) expect((await read()).status).toBe(200);
  const refused = await read();
  expect(refused.status).toBe(403);
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
  expect(refused.headers.get('retry-after')).toBeNull();
  const asked = await ask(github, 'GET /rate_limit');
  expect(asked.body).toMatchObject({ rate: { remaining: 0, used: 10 } });
  expect(kinds()).toEqual(['primary']);
  github.clock.advance(3_600_000);
  expect((await read()).headers.get('x-ratelimit-remaining')).toBe('9');
});

test('nine hundred points a minute, five for a write, and then a retry-after that is watched', async () => {
  await github.close();
  await start({ pointsPerMinute: 12, secondaryStatus: 429, retryAfterSeconds: 30 });
  await label();
  await label();
  await read();
  const refused = await label();
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('30');
  github.clock.advance(29_000);
  expect((await label()).headers.get('retry-after')).toBe('1');
  expect((await read()).status).toBe(429);
  expect(github.limits.violations).toMatchObject([
    { kind: 'points', write: true },
    { kind: 'during_retry_after', write: true },
    { kind: 'during_retry_after', write: false },
  ]);
  github.clock.advance(31_000);
  expect((await label()).status).toBe(200);
});

test('content is created at most so often a minute and an hour; labels are not content', async () => {
  await github.close();
  await start({ creationsPerMinute: 2, creationsPerHour: 3 });
  await comment();
  await comment();
  expect((await label()).status).toBe(200);
  expect((await comment()).status).toBe(403);
  github.clock.advance(60_000);
  expect((await comment()).status).toBe(201);
  expect((await comment()).status).toBe(403);
  expect(kinds()).toEqual(['creations_per_minute', 'creations_per_hour']);
  expect(github.limits.peaks).toMatchObject({ creationsPerMinute: 2, creationsPerHour: 3 });
  github.limits.reset();
  expect(kinds()).toEqual([]);
  expect(github.limits.peaks.creationsPerHour).toBe(0);
  expect((await comment()).status).toBe(201);
});

test('more requests at once than allowed are refused', async () => {
  await github.close();
  await start({ concurrent: 3 });
  github.setLatency(100);
  const answers = await Promise.all(Array.from({ length: 5 }, read));
  expect(answers.filter((answer) => answer.status === 403).length).toBeGreaterThan(0);
  expect(kinds()).toContain('concurrent');
  github.clock.advance(60_000);
  expect((await read()).status).toBe(200);
});

test('switched off, nothing is refused, but a retry-after is still watched', async () => {
  await github.close();
  await start(false);
  for (let count = 0; count < 200; count += 1) await label();
  expect(kinds()).toEqual([]);
  github.faults.add(
    { kind: 'answer', answer: { status: 403, headers: { 'retry-after': '5' }, body: {} } },
    { method: 'write' },
  );
  await label();
  expect((await label()).status).toBe(403);
  expect(github.limits.violations).toMatchObject([{ kind: 'during_retry_after', write: true }]);
});

test('two tokens of one account share a budget, two accounts do not', async () => {
  github.addToken('github_pat_same', {});
  github.addToken('github_pat_other', { login: 'other' });
  await read();
  const path = `GET /repos/${REPO}`;
  const same = await ask(github, path, { token: 'github_pat_same' });
  expect(same.headers.get('x-ratelimit-used')).toBe('2');
  const other = await ask(github, path, { token: 'github_pat_other' });
  expect(other.headers.get('x-ratelimit-used')).toBe('1');
});
