import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask } from '../client.ts';
import { type GithubDouble, startGithubDouble } from '../double.ts';
import { wrongAnswer } from '../shapes/schema.ts';
import { ANSWERS, type Fault, secondaryLimit } from './faults.ts';

const REPO = 'acme/shop';
const LABELS = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
let github: GithubDouble;

beforeEach(async () => {
  github = await startGithubDouble({ repositories: [REPO], clock: 1_800_000_000_000 });
  github.as('alice').openIssue(REPO, { title: 'one' });
});
afterEach(() => github.close());

const label = (name = 'x') => ask(github, `POST /repos/${REPO}/issues/1/labels`, { body: [name] });
const list = () => ask(github, `GET /repos/${REPO}/issues`);
const labelsNow = () => github.labels(REPO, 1);

test('a 502 has a page for people and nothing is written', async () => {
  github.faults.add({ kind: 'answer', answer: ANSWERS.badGateway }, { operation: LABELS });
  const answer = await label();
  expect(answer.status).toBe(502);
  expect(answer.headers.get('content-type')).toContain('text/html');
  expect(labelsNow()).toEqual([]);
  expect(github.requests.at(-1)).toMatchObject({ status: 502, written: false });
  expect((await label()).status).toBe(200);
});

test('a fault meets the nth request, so many times, of the method and path it names', async () => {
  const fault: Fault = { kind: 'answer', answer: ANSWERS.serverError };
  const armed = github.faults.add(fault, { method: 'write', path: /labels/, nth: 2, times: 2 });
  const statuses = [];
  for (let count = 0; count < 4; count += 1) {
    statuses.push((await label()).status);
    expect((await list()).status).toBe(200);
  }
  expect(statuses).toEqual([200, 500, 500, 200]);
  expect(armed.hits()).toBe(2);
});

test('a fault can last for a time of the clock, and can be taken away', async () => {
  github.faults.add({ kind: 'answer', answer: ANSWERS.unavailable }, { forMs: 120_000 });
  expect([(await list()).status, (await label()).status]).toEqual([503, 503]);
  github.clock.advance(120_000);
  expect((await list()).status).toBe(200);
  const armed = github.faults.add({ kind: 'reset' }, { times: 99 });
  await expect(list()).rejects.toThrow('fetch failed');
  armed.remove();
  expect((await list()).status).toBe(200);
});

test('a reset before the write writes nothing; an answer lost after it leaves the write done', async () => {
  github.faults.add({ kind: 'reset' }, { operation: LABELS });
  await expect(label()).rejects.toThrow('fetch failed');
  expect(labelsNow()).toEqual([]);
  github.faults.add({ kind: 'lost' }, { operation: LABELS });
  await expect(label()).rejects.toThrow('fetch failed');
  expect(labelsNow()).toEqual(['x']);
  expect(github.requests.at(-1)).toMatchObject({ status: 0, written: true });
  github.faults.add({ kind: 'lost', how: 'bad_gateway' }, { operation: LABELS });
  expect((await label('y')).status).toBe(502);
  expect(labelsNow()).toEqual(['x', 'y']);
});

test('a hang lasts until the caller gives up, before the write or after it', async () => {
  const patient = (name: string) =>
    fetch(`${github.url}/repos/${REPO}/issues/1/labels`, {
      method: 'POST',
      headers: { authorization: `token ${github.token}` },
      body: JSON.stringify([name]),
      signal: AbortSignal.timeout(150),
    });
  github.faults.add({ kind: 'hang' }, { operation: LABELS });
  await expect(patient('x')).rejects.toThrow(/timeout/);
  expect(labelsNow()).toEqual([]);
  github.faults.add({ kind: 'lost', how: 'hang' }, { operation: LABELS });
  await expect(patient('x')).rejects.toThrow(/timeout/);
  expect(labelsNow()).toEqual(['x']);
});

test('latency makes one request slow, and the write happens even if the caller has gone', async () => {
  github.faults.add({ kind: 'latency', ms: 80 }, { operation: LABELS });
  const before = performance.now();
  await label();
  expect(performance.now() - before).toBeGreaterThan(75);
  github.faults.add({ kind: 'latency', ms: 80 }, { operation: LABELS });
  const impatient = fetch(`${github.url}/repos/${REPO}/issues/1/labels`, {
    method: 'POST',
    headers: { authorization: `token ${github.token}` },
    body: '["late"]',
    signal: AbortSignal.timeout(40),
  });
  await expect(impatient).rejects.toThrow(/timeout/);
  await expect.poll(labelsNow).toContain('late');
});

test('JSON can be cut off in the middle, with or without the connection', async () => {
  github.faults.add({ kind: 'truncated' });
  await expect(list()).rejects.toThrow(SyntaxError);
  github.faults.add({ kind: 'truncated', abort: true });
  await expect(list()).rejects.toThrow(/terminated/);
});

test('a stale listing shows what was true minutes ago, while the issue itself is fresh', async () => {
  github.clock.advance(600_000);
  github.as('alice').label(REPO, 1, 'late');
  github.as('alice').openIssue(REPO, { title: 'later' });
  github.clock.advance(60_000);
  github.faults.add({ kind: 'stale', minutes: 5 }, { times: 2 });
  expect((await list()).body).toMatchObject([{ number: 1, labels: [] }]);
  const issue = await ask(github, `GET /repos/${REPO}/issues/1`);
  expect(issue.body).toMatchObject({ labels: [{ name: 'late' }] });
  expect((await list()).body).toHaveLength(2);
});

test('a scripted secondary limit opens a window in which every request is noted', async () => {
  const fault: Fault = { kind: 'answer', answer: secondaryLimit(30) };
  github.faults.add(fault, { operation: LABELS });
  expect((await label()).headers.get('retry-after')).toBe('30');
  await label();
  github.clock.advance(30_000);
  expect((await label()).status).toBe(200);
  expect(github.limits.violations).toMatchObject([{ kind: 'during_retry_after', write: true }]);
});

const worded = Object.entries(ANSWERS).filter(([, answer]) => answer.body !== undefined);
test.each(worded)('the words of %s are those of an answer of GitHub', (_, { status, body }) => {
  const refs = status === 409 || /ref|object/i.test(JSON.stringify(body));
  const operation = refs ? 'POST /repos/{owner}/{repo}/git/refs' : LABELS;
  expect(wrongAnswer(operation, status, body)).toEqual([]);
});
