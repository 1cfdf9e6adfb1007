import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask } from '../client.ts';
import { type GithubDouble, startGithubDouble } from '../double.ts';

const REPO = 'acme/shop';
let github: GithubDouble;

beforeEach(async () => {
  github = await startGithubDouble({ repositories: [REPO] });
  github.as('alice').openIssue(REPO, { title: 'one' });
});
afterEach(() => github.close());

const references = async (number: number) => {
  const query = 'query($owner:String!,$repo:String!,$number:Int!){…closingIssuesReferences…}';
  const variables = { owner: 'acme', repo: 'shop', number };
  const answer = await ask(github, 'POST /graphql', { body: { query, variables } });
  return JSON.stringify(answer.body).match(/"number":(\d+),"repository"/)?.[1];
};

test('a pull request with a closing keyword is found by branch, by cross-reference and by GraphQL', async () => {
  github.as('bob').openPull(REPO, { title: 'a change', body: 'Fixes #1', head: 'feature/issue-1' });
  const byHead = await ask(github, `GET /repos/${REPO}/pulls?head=acme:feature/issue-1`);
  expect(byHead.body).toMatchObject([{ number: 2, head: { ref: 'feature/issue-1' } }]);
  expect((await ask(github, `GET /repos/${REPO}/pulls?head=acme:other`)).body).toEqual([]);
  const timeline = await ask(github, `GET /repos/${REPO}/issues/1/timeline`);
  expect(timeline.body).toMatchObject([
    { event: 'cross-referenced', source: { issue: { number: 2, pull_request: {} } } },
  ]);
  expect(await references(2)).toBe('1');
});

test('a pull request into another branch closes nothing, not even by GraphQL', async () => {
  const bob = github.as('bob');
  bob.push(REPO, 'develop');
  bob.openPull(REPO, { title: 'x', body: 'Fixes #1', head: 'feature/x', base: 'develop' });
  expect(await references(2)).toBeUndefined();
  bob.merge(REPO, 2);
  expect(github.world.repo(REPO).items.get(1)?.state).toBe('open');
});

test('merging closes the pull request and what it fixes', async () => {
  github.as('bob').openPull(REPO, { title: 'x', body: 'fixes: #1', head: 'feature/x' });
  github.as('alice').merge(REPO, 2);
  const pull = await ask(github, `GET /repos/${REPO}/pulls/2`);
  expect(pull.body).toMatchObject({ state: 'closed', merged: true, merged_by: { login: 'alice' } });
  expect((await ask(github, `GET /repos/${REPO}/issues/1`)).body).toMatchObject({
    state: 'closed',
  });
});

test('reviews are written by people and by requests, but nobody approves their own', async () => {
  github.as('bob').openPull(REPO, { title: 'x', head: 'feature/x' });
  github.as('alice').requestChanges(REPO, 2, 'Name this better');
  const path = `/repos/${REPO}/pulls/2`;
  const approve = { body: { event: 'APPROVE' } };
  expect((await ask(github, `POST ${path}/reviews`, approve)).status).toBe(200);
  expect((await ask(github, `GET ${path}/reviews`)).body).toMatchObject([
    { state: 'CHANGES_REQUESTED', user: { login: 'alice' } },
    { state: 'APPROVED', user: { login: 'banto' } },
  ]);
  expect((await ask(github, `GET ${path}/comments`)).body).toMatchObject([
    { body: 'Name this better' },
  ]);
  github.as('banto').openPull(REPO, { title: 'mine', head: 'feature/mine' });
  expect((await ask(github, `POST /repos/${REPO}/pulls/3/reviews`, approve)).status).toBe(422);
});

test('a pull request is opened once per branch and can be closed and retargeted', async () => {
  github.as('bob').push(REPO, 'feature/x');
  const body = { title: 'x', head: 'feature/x', base: 'main' };
  expect((await ask(github, `POST /repos/${REPO}/pulls`, { body })).status).toBe(201);
  const again = await ask(github, `POST /repos/${REPO}/pulls`, { body });
  expect(again.status).toBe(422);
  expect(JSON.stringify(again.body)).toContain('A pull request already exists for acme:feature/x.');
  github.as('bob').push(REPO, 'develop');
  const to = { base: 'develop', state: 'closed' };
  const changed = await ask(github, `PATCH /repos/${REPO}/pulls/2`, { body: to });
  expect(changed.body).toMatchObject({ state: 'closed', base: { ref: 'develop' }, merged: false });
  expect((await ask(github, `GET /repos/${REPO}/pulls`)).body).toEqual([]);
});
