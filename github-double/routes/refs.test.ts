import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask } from '../client.ts';
import { type GithubDouble, startGithubDouble } from '../double.ts';

const REPO = 'acme/shop';
let github: GithubDouble;
let sha: string;

beforeEach(async () => {
  github = await startGithubDouble({ repositories: [REPO] });
  sha = github.world.repo(REPO).refs.get('heads/main') ?? '';
});
afterEach(() => github.close());

const create = (ref: string, at = sha, repo = REPO) =>
  ask(github, `POST /repos/${repo}/git/refs`, { body: { ref, sha: at } });

test('a branch is created once and can then be read in both ways', async () => {
  expect((await create('refs/heads/feature/issue-1')).status).toBe(201);
  const again = await create('refs/heads/feature/issue-1');
  expect(again.status).toBe(422);
  expect(again.body).toMatchObject({ message: 'Reference already exists' });
  for (const path of ['feature/issue-1', 'feature%2Fissue-1']) {
    const ref = await ask(github, `GET /repos/${REPO}/git/ref/heads/${path}`);
    expect(ref.body).toMatchObject({ ref: 'refs/heads/feature/issue-1', object: { sha } });
    const branch = await ask(github, `GET /repos/${REPO}/branches/${path}`);
    expect(branch.body).toMatchObject({ name: 'feature/issue-1', commit: { sha } });
  }
  expect((await ask(github, `GET /repos/${REPO}/git/ref/heads/feature`)).status).toBe(404);
});

test.each([
  ['refs/heads/a b', 'not a valid ref name'],
  ['refs/heads/a..b', 'not a valid ref name'],
  ['refs/heads/x.lock', 'not a valid ref name'],
  ['refs/heads/', 'not a valid ref name'],
  ['heads/x', 'at least three slash-separated components'],
  ['refs/heads/main/below', 'Reference update failed'],
])('%j is refused: %s', async (ref, message) => {
  const refused = await create(ref);
  expect(refused.status).toBe(422);
  expect(refused.body).toMatchObject({ message: expect.stringContaining(message) as string });
});

test('an unknown commit, a rule of the repository and an empty repository are told apart', async () => {
  const unknown = await create('refs/heads/x', 'f'.repeat(40));
  expect(unknown).toMatchObject({ status: 422, body: { message: 'Object does not exist' } });
  github.world.repo(REPO).protectedRefs.push(/^heads\/release\//);
  const ruled = await create('refs/heads/release/1');
  expect(ruled.status).toBe(422);
  expect(JSON.stringify(ruled.body)).toContain('Repository rule violations found');
  github.addRepository('acme/empty', { empty: true });
  const empty = await create('refs/heads/x', sha, 'acme/empty');
  expect(empty).toMatchObject({ status: 409, body: { message: 'Git Repository is empty.' } });
});

test('an archived repository is read-only', async () => {
  github.world.repo(REPO).archived = true;
  expect((await create('refs/heads/x')).status).toBe(403);
  const repo = await ask(github, `GET /repos/${REPO}`);
  expect(repo).toMatchObject({ status: 200, body: { archived: true, default_branch: 'main' } });
});
