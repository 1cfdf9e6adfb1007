import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask } from '../client.ts';
import { type GithubDouble, startGithubDouble } from '../double.ts';

const REPO = 'acme/shop';
let github: GithubDouble;

beforeEach(async () => {
  github = await startGithubDouble({
    repositories: [REPO, 'acme/other'],
    clock: 1_800_000_000_500,
  });
});
afterEach(() => github.close());

const numbers = (body: unknown) => (body as { number: number }[]).map((issue) => issue.number);

test('a listing has pages, links between them, and pull requests among the issues', async () => {
  const alice = github.as('alice');
  for (let count = 0; count < 4; count += 1) alice.openIssue(REPO, { title: `issue ${count}` });
  alice.openPull(REPO, { title: 'a change', head: 'feature/x' });
  const first = await ask(github, `GET /repos/${REPO}/issues?per_page=2&direction=asc`);
  expect(numbers(first.body)).toEqual([1, 2]);
  expect(first.headers.get('link')).toContain('page=2>; rel="next"');
  expect(first.headers.get('link')).toContain('page=3>; rel="last"');
  const last = await ask(github, `GET /repos/${REPO}/issues?per_page=2&direction=asc&page=3`);
  expect(last.body).toMatchObject([{ number: 5, pull_request: {} }]);
  expect(last.headers.get('link')).not.toContain('next');
  const enterprise = await ask(github, `GET /api/v3/repos/${REPO}/issues?per_page=2`);
  expect(enterprise.headers.get('link')).toContain('/api/v3/repos/');
});

test('a listing can be narrowed by state, labels and the instant of the last change', async () => {
  const alice = github.as('alice');
  alice.openIssue(REPO, { title: 'one', labels: ['Bug', 'ui'] });
  alice.openIssue(REPO, { title: 'two', labels: ['bug'] });
  alice.close(REPO, alice.openIssue(REPO, { title: 'three' }).number);
  expect(numbers((await ask(github, `GET /repos/${REPO}/issues?labels=bug,UI`)).body)).toEqual([1]);
  expect(numbers((await ask(github, `GET /repos/${REPO}/issues?state=closed`)).body)).toEqual([3]);
  const since = new Date(github.clock.now() + 2000).toISOString();
  github.clock.advance(3000);
  alice.edit(REPO, 2, { body: 'changed' });
  const changed = await ask(github, `GET /repos/${REPO}/issues?state=all&since=${since}`);
  expect(changed.body).toMatchObject([{ number: 2, updated_at: '2027-01-15T08:00:03Z' }]);
  expect((await ask(github, `GET /repos/${REPO}/issues?state=maybe`)).status).toBe(422);
});

test('an unchanged answer is a 304 that costs nothing, unless it is sorted by update', async () => {
  github.as('alice').openIssue(REPO, { title: 'one' });
  const again = async (path: string) => {
    const etag = (await ask(github, path)).headers.get('etag') ?? '';
    return ask(github, path, { headers: { 'if-none-match': etag } });
  };
  const same = await again(`GET /repos/${REPO}/issues`);
  expect(same.status).toBe(304);
  expect(same.headers.get('x-ratelimit-used')).toBe('1');
  expect((await again(`GET /repos/${REPO}/issues?sort=updated`)).status).toBe(200);
  const etag = (await ask(github, `GET /repos/${REPO}/issues`)).headers.get('etag') ?? '';
  github.as('alice').label(REPO, 1, 'bug');
  const changed = await ask(github, `GET /repos/${REPO}/issues`, {
    headers: { 'if-none-match': etag },
  });
  expect(changed.status).toBe(200);
});

test('deleted, moved, unknown and switched-off issues answer as GitHub does', async () => {
  const alice = github.as('alice');
  for (let count = 0; count < 3; count += 1) alice.openIssue(REPO, { title: 'gone' });
  alice.remove(REPO, 1);
  alice.transfer(REPO, 2, 'acme/other');
  expect((await ask(github, `GET /repos/${REPO}/issues/1`)).status).toBe(410);
  expect((await ask(github, `POST /repos/${REPO}/issues/1/labels`, { body: ['x'] })).status).toBe(
    410,
  );
  const moved = await ask(github, `GET /repos/${REPO}/issues/2`);
  expect(moved.status).toBe(301);
  const location = (moved.headers.get('location') ?? '').slice(github.url.length);
  const followed = await ask(github, `GET ${location}`);
  expect(followed.body).toMatchObject({
    number: 1,
    repository_url: `${github.url}/repos/acme/other`,
  });
  expect((await ask(github, `GET /repos/${REPO}/issues/9`)).status).toBe(404);
  github.world.repo(REPO).hasIssues = false;
  expect((await ask(github, `GET /repos/${REPO}/issues/3`)).status).toBe(410);
});

test('a renamed repository redirects, and the redirect leads to it', async () => {
  github.as('alice').openIssue(REPO, { title: 'one' });
  github.renameRepository(REPO, 'store');
  const moved = await ask(github, `GET /repos/${REPO}/issues?state=all`);
  expect(moved.status).toBe(301);
  const location = (moved.headers.get('location') ?? '').slice(github.url.length);
  expect(location).toMatch(/^\/repositories\/\d+\/issues\?state=all$/);
  expect(numbers((await ask(github, `GET ${location}`)).body)).toEqual([1]);
});

test('an issue is changed by PATCH, and its timeline says who did what', async () => {
  const alice = github.as('alice');
  alice.openIssue(REPO, { title: 'one', labels: ['bug'] });
  alice.comment(REPO, 1, 'hello');
  const body = { title: 'uno', labels: ['ui'], state: 'closed', state_reason: 'not_planned' };
  const patched = await ask(github, `PATCH /repos/${REPO}/issues/1`, { body });
  expect(patched.body).toMatchObject({
    title: 'uno',
    state: 'closed',
    state_reason: 'not_planned',
    labels: [{ name: 'ui' }],
  });
  const timeline = await ask(github, `GET /repos/${REPO}/issues/1/timeline`);
  const told = (timeline.body as { event: string; actor: { login: string } }[]).map(
    (one) => `${one.actor.login} ${one.event}`,
  );
  expect(told.toSorted()).toEqual(
    [
      'alice labeled',
      'alice commented',
      'banto renamed',
      'banto unlabeled',
      'banto labeled',
      'banto closed',
    ].toSorted(),
  );
});

test('the address of an issue shows a page to people, with its text harmless', async () => {
  github.as('alice').openIssue(REPO, { title: '<b>one</b>', labels: ['bug'] });
  const issue = await ask(github, `GET /repos/${REPO}/issues/1`);
  const page = await fetch((issue.body as { html_url: string }).html_url);
  expect(page.headers.get('content-type')).toContain('text/html');
  const html = await page.text();
  expect(html).toContain('<code>bug</code>');
  expect(html).not.toContain('<b>one');
});

test('what blocks an issue is listed and counted while it is open', async () => {
  const alice = github.as('alice');
  for (const title of ['one', 'two', 'three']) alice.openIssue(REPO, { title });
  alice.block(REPO, 1, 2, 3);
  alice.close(REPO, 3);
  const issue = await ask(github, `GET /repos/${REPO}/issues/1`);
  expect(issue.body).toMatchObject({
    issue_dependencies_summary: { blocked_by: 1, total_blocked_by: 2 },
  });
  const blockers = await ask(github, `GET /repos/${REPO}/issues/1/dependencies/blocked_by`);
  expect(numbers(blockers.body)).toEqual([2, 3]);
});

test('comments are written, changed in place, listed since an instant and refused where locked', async () => {
  github.as('alice').openIssue(REPO, { title: 'one' });
  const path = `/repos/${REPO}/issues/1/comments`;
  const made = await ask(github, `POST ${path}`, { body: { body: 'first' } });
  expect(made.status).toBe(201);
  const { id } = made.body as { id: number };
  github.clock.advance(5000);
  const since = new Date(github.clock.now()).toISOString().replace(/\.\d+/, '');
  await ask(github, `PATCH /repos/${REPO}/issues/comments/${id}`, { body: { body: 'second' } });
  const listed = await ask(github, `GET /repos/${REPO}/issues/comments?since=${since}`);
  expect(listed.body).toMatchObject([{ id, body: 'second' }]);
  expect((await ask(github, `GET ${path}`)).body).toHaveLength(1);
  github.as('alice').lock(REPO, 1);
  github.addToken('github_pat_stranger', { login: 'stranger' });
  const stranger = { body: { body: 'me too' }, token: 'github_pat_stranger' };
  expect((await ask(github, `POST ${path}`, stranger)).status).toBe(403);
  expect((await ask(github, `POST ${path}`, { body: { body: 'ours' } })).status).toBe(201);
});
