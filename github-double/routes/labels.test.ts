import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask } from '../client.ts';
import { type GithubDouble, startGithubDouble } from '../double.ts';

const REPO = 'acme/shop';
const onIssue = `/repos/${REPO}/issues/1/labels`;
let github: GithubDouble;

beforeEach(async () => {
  github = await startGithubDouble({ repositories: [REPO] });
  github.as('alice').openIssue(REPO, { title: 'one', labels: ['Bug'] });
});
afterEach(() => github.close());

const names = (body: unknown) => (body as { name: string }[]).map((label) => label.name);

test('adding keeps what is there, creates what is unknown and compares without case', async () => {
  const added = await ask(github, `POST ${onIssue}`, { body: { labels: ['bug', 'in-progress'] } });
  expect(added.status).toBe(200);
  expect(names(added.body)).toEqual(['Bug', 'in-progress']);
  expect(names((await ask(github, `GET /repos/${REPO}/labels`)).body)).toEqual([
    'Bug',
    'in-progress',
  ]);
  expect(names((await ask(github, `POST ${onIssue}`, { body: ['a:b'] })).body)).toContain('a:b');
});

test('a label is removed whatever its case, and removing it again is a 404', async () => {
  expect((await ask(github, `DELETE ${onIssue}/bUG`)).body).toEqual([]);
  const again = await ask(github, `DELETE ${onIssue}/bug`);
  expect(again.status).toBe(404);
  expect(again.body).toMatchObject({ message: 'Label does not exist' });
});

test('setting replaces all labels, and removing all leaves none', async () => {
  expect(
    names((await ask(github, `PUT ${onIssue}`, { body: { labels: ['x', 'y'] } })).body),
  ).toEqual(['x', 'y']);
  expect((await ask(github, `DELETE ${onIssue}`)).status).toBe(204);
  expect(github.labels(REPO, 1)).toEqual([]);
});

test('names that are too long and more than a hundred labels are refused and change nothing', async () => {
  const long = await ask(github, `POST ${onIssue}`, { body: { labels: ['x'.repeat(51)] } });
  expect(long.status).toBe(422);
  const labels = Array.from({ length: 100 }, (_, at) => `label-${at}`);
  expect((await ask(github, `POST ${onIssue}`, { body: { labels } })).status).toBe(422);
  expect(github.labels(REPO, 1)).toEqual(['Bug']);
});

test('a label is created once, and changed with its issues', async () => {
  const body = { name: 'needs-review', color: '0e8a16', description: 'Waiting' };
  expect((await ask(github, `POST /repos/${REPO}/labels`, { body })).status).toBe(201);
  const again = await ask(github, `POST /repos/${REPO}/labels`, { body: { name: 'Needs-Review' } });
  expect(again.status).toBe(422);
  expect(again.body).toMatchObject({ errors: [{ code: 'already_exists' }] });
  const to = { new_name: 'defect', color: 'ff0000' };
  await ask(github, `PATCH /repos/${REPO}/labels/bug`, { body: to });
  expect(github.labels(REPO, 1)).toEqual(['defect']);
  expect((await ask(github, `GET /repos/${REPO}/labels/bug`)).status).toBe(404);
  const refused = await ask(github, `PATCH /repos/${REPO}/labels/defect`, {
    body: { color: 'red' },
  });
  expect(refused.status).toBe(422);
});
