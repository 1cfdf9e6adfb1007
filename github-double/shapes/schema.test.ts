// Drives every endpoint of the double and holds each answer against GitHub's own description.

import { createSign } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AskOptions, ask, type Reply } from '../client.ts';
import { type GithubDouble, startGithubDouble } from '../double.ts';
import { accountRoutes } from '../routes/account.ts';
import { commentRoutes } from '../routes/comments.ts';
import { issueRoutes } from '../routes/issues.ts';
import { labelRoutes } from '../routes/labels.ts';
import { pullRoutes } from '../routes/pulls.ts';
import { refRoutes } from '../routes/refs.ts';
import { createAuth } from '../server/auth.ts';
import { createLimits } from '../server/limits.ts';
import { createWorld } from '../state.ts';
import { cut, wrongAnswer, wrongRequest } from './schema.ts';

const REPO = 'acme/shop';
const R = `/repos/${REPO}`;
let github: GithubDouble;

beforeAll(async () => {
  github = await startGithubDouble({
    repositories: [REPO, 'acme/other'],
    limits: { primary: 500 },
  });
  const alice = github.as('alice');
  alice.openIssue(REPO, { title: 'one', body: 'Text', labels: ['bug', 'ui'] });
  alice.openIssue(REPO, { title: 'two' });
  alice.openPull(REPO, { title: 'three', body: 'Fixes #1', head: 'feature/three' });
  alice.requestChanges(REPO, 3, 'Please');
  alice.comment(REPO, 1, 'hello');
  alice.edit(REPO, 1, { title: 'uno' });
  alice.lock(REPO, 1);
  alice.unlock(REPO, 1);
  alice.close(REPO, 1);
  alice.reopen(REPO, 1);
  alice.unlabel(REPO, 1, 'ui');
  alice.block(REPO, 1, 2);
  for (const title of ['four', 'five']) alice.openIssue(REPO, { title });
  alice.remove(REPO, 4);
  alice.transfer(REPO, 5, 'acme/other');
  alice.openPull(REPO, { title: 'six', head: 'feature/six' });
  alice.merge(REPO, 6);
  github.addRepository('acme/empty', { empty: true });
});
afterAll(() => github.close());

async function drive(call: string, options: AskOptions = {}): Promise<Reply> {
  const reply = await ask(github, call, options);
  const request = github.requests.at(-1);
  const { operation = '' } = request ?? {};
  expect(wrongAnswer(operation, reply.status, reply.body), `${call} ${reply.status}`).toEqual([]);
  // What was accepted must also be a request as GitHub describes it.
  const accepted = reply.status < 400 ? (options.body ?? null) : null;
  expect(wrongRequest(operation, accepted), `${call} asks`).toEqual([]);
  return reply;
}

function jwt(): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: github.app.id, iat: now - 10, exp: now + 60 };
  const signed = `${part({ alg: 'RS256' })}.${part(claims)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(github.app.privateKey, 'base64url')}`;
}

test('every answer is one that GitHub could have given', async () => {
  const app = { token: jwt() };
  await drive('GET /app', app);
  const installation = `/app/installations/${github.app.installationId}`;
  await drive(`GET ${installation}`, app);
  await drive('GET /app/installations/1', app);
  const given = await drive(`POST ${installation}/access_tokens`, app);
  await drive('GET /installation/repositories', given.body as { token: string });
  await drive(`GET ${R}/installation`, app);
  await drive('POST /app/installations/1/access_tokens', app);
  await drive('GET /app');
  await drive('GET /rate_limit');
  await drive('GET /user');
  await drive(`GET ${R}`);
  await drive('GET /repos/acme/nothing');
  await drive(`GET ${R}/branches/main`);
  await drive(`GET ${R}/branches/nothing`);
  await drive(`GET ${R}/collaborators/alice/permission`);
  const main = await drive(`GET ${R}/git/ref/heads/main`);
  const { sha } = (main.body as { object: { sha: string } }).object;
  await drive(`GET ${R}/git/ref/heads/nothing`);
  await drive('GET /repos/acme/empty/git/ref/heads/main');
  for (const ref of [sha, sha.slice(0, 11), 'main', 'feature/three', 'ffffffffffff']) {
    await drive(`GET ${R}/commits/${ref}`);
  }
  await drive('GET /repos/acme/empty/commits/main');
  for (const ref of ['refs/heads/x', 'refs/heads/x', 'refs/heads/x/y', 'x', 'refs/heads/a b']) {
    await drive(`POST ${R}/git/refs`, { body: { ref, sha } });
  }
  await drive('POST /repos/acme/empty/git/refs', { body: { ref: 'refs/heads/x', sha } });
  await drive(`DELETE ${R}/git/refs/heads/x`);
  await drive(`DELETE ${R}/git/refs/heads/x`);

  const issues = await drive(`GET ${R}/issues?state=all`);
  expect(issues.body).toHaveLength(4);
  await drive(`GET ${R}/issues?state=wrong`);
  await drive(`POST ${R}/issues`, { body: { title: 'new', body: 'x', labels: ['bug'] } });
  await drive(`POST ${R}/issues`, { body: {} });
  for (const number of [1, 3, 4, 5, 6, 99]) await drive(`GET ${R}/issues/${number}`);
  await drive(`PATCH ${R}/issues/2`, { body: { title: 'dos', state: 'closed', labels: ['bug'] } });
  await drive(`PATCH ${R}/issues/4`, { body: { title: 'dos' } });
  await drive(`PATCH ${R}/issues/2`, { body: { state: 'wrong' } });
  await drive(`GET ${R}/issues/1/dependencies/blocked_by`);
  for (const number of [1, 3, 6]) {
    await drive(`GET ${R}/issues/${number}/events`);
    await drive(`GET ${R}/issues/${number}/timeline`);
  }
  const made = await drive(`POST ${R}/issues/1/comments`, { body: { body: 'one' } });
  const { id } = made.body as { id: number };
  await drive(`POST ${R}/issues/1/comments`, { body: {} });
  await drive(`POST ${R}/issues/4/comments`, { body: { body: 'one' } });
  await drive(`GET ${R}/issues/1/comments`);
  await drive(`GET ${R}/issues/comments?since=2020-01-01T00:00:00Z`);
  await drive(`GET ${R}/issues/comments/${id}`);
  await drive(`PATCH ${R}/issues/comments/${id}`, { body: { body: 'two' } });
  await drive(`DELETE ${R}/issues/comments/${id}`);
  await drive(`GET ${R}/issues/comments/${id}`);

  await drive(`GET ${R}/issues/1/labels`);
  await drive(`POST ${R}/issues/1/labels`, { body: { labels: ['new'] } });
  await drive(`POST ${R}/issues/1/labels`, { body: { labels: ['x'.repeat(51)] } });
  await drive(`POST ${R}/issues/5/labels`, { body: { labels: ['new'] } });
  await drive(`PUT ${R}/issues/1/labels`, { body: { labels: ['new', 'bug'] } });
  await drive(`DELETE ${R}/issues/1/labels/new`);
  await drive(`DELETE ${R}/issues/1/labels/new`);
  await drive(`DELETE ${R}/issues/1/labels`);
  await drive(`GET ${R}/labels`);
  const label = { name: 'fresh', color: 'abcdef', description: 'New' };
  await drive(`POST ${R}/labels`, { body: label });
  await drive(`POST ${R}/labels`, { body: label });
  await drive(`GET ${R}/labels/fresh`);
  await drive(`GET ${R}/labels/nothing`);
  await drive(`PATCH ${R}/labels/fresh`, { body: { new_name: 'stale', color: '123456' } });
  await drive(`DELETE ${R}/labels/stale`);
  await drive(`DELETE ${R}/labels/stale`);

  await drive(`GET ${R}/pulls?state=all`);
  github.as('alice').push(REPO, 'feature/new');
  const pull = { title: 'new', head: 'feature/new', base: 'main' };
  await drive(`POST ${R}/pulls`, { body: pull });
  await drive(`POST ${R}/pulls`, { body: pull });
  for (const number of [3, 6, 1]) await drive(`GET ${R}/pulls/${number}`);
  await drive(`PATCH ${R}/pulls/3`, { body: { body: 'More' } });
  await drive(`GET ${R}/pulls/3/comments`);
  await drive(`GET ${R}/pulls/3/reviews`);
  await drive(`POST ${R}/pulls/3/reviews`, { body: { event: 'APPROVE', body: 'Good' } });
  await drive(`POST ${R}/pulls/8/reviews`, { body: { event: 'APPROVE' } });

  await drive('GET /user', { token: 'unknown' });
  github.limits.leave(0);
  expect((await drive(`GET ${R}/issues`)).status).toBe(403);

  const driven = new Set(github.requests.map((request) => request.operation));
  expect([...driven].sort()).toEqual(Object.keys(cut.operations).sort());
});

test('the endpoints that GitHub counts as creating content are those that it says notify people', () => {
  const world = createWorld(Date.now);
  const routes = [
    ...accountRoutes(createAuth(world), createLimits(Date.now, false)),
    ...issueRoutes,
    ...commentRoutes,
    ...labelRoutes,
    ...refRoutes,
    ...pullRoutes,
  ];
  const ours = routes.filter((route) => route.notifies).map((route) => route.operation);
  const theirs = Object.entries(cut.operations).filter(([, operation]) => operation.notifies);
  expect(ours.sort()).toEqual(theirs.map(([name]) => name).sort());
  expect(routes.map((route) => route.operation).sort()).toEqual(Object.keys(cut.operations).sort());
});

test('the judge notices a missing field, a wrong type and a field that GitHub does not have', async () => {
  github.limits.leave(100);
  const { body } = await ask(github, `GET ${R}/issues/1`);
  const operation = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
  const issue = body as Record<string, unknown>;
  expect(wrongAnswer(operation, 200, issue)).toEqual([]);
  const { title: _, ...untitled } = issue;
  expect(wrongAnswer(operation, 200, untitled)).not.toEqual([]);
  expect(wrongAnswer(operation, 200, { ...issue, number: '1' })).not.toEqual([]);
  expect(wrongAnswer(operation, 200, { ...issue, color: 'red' })).not.toEqual([]);
  expect(wrongAnswer(operation, 299, {})).not.toEqual([]);
});
