import { createPrivateKey, createSign, generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask } from '../client.ts';
import { type GithubDouble, startGithubDouble } from '../double.ts';

const REPO = 'acme/shop';
let github: GithubDouble;

beforeEach(async () => {
  github = await startGithubDouble({ repositories: [REPO], clock: 1_800_000_000_000 });
  github.as('alice').openIssue(REPO, { title: 'one' });
});
afterEach(() => github.close());

function jwt(claims: Record<string, unknown>, key = github.app.privateKey): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  const signature = createSign('RSA-SHA256').update(signed).sign(createPrivateKey(key));
  return `${signed}.${signature.toString('base64url')}`;
}
const now = () => Math.floor(github.clock.now() / 1000);
const claims = () => ({ iss: github.app.id, iat: now() - 30, exp: now() + 300 });
const tokenPath = () => `POST /app/installations/${github.app.installationId}/access_tokens`;

test('an unknown, revoked or missing token is a 401', async () => {
  const unknown = await ask(github, `GET /repos/${REPO}/issues`, { token: 'github_pat_other' });
  expect(unknown).toMatchObject({ status: 401, body: { message: 'Bad credentials' } });
  expect((await ask(github, 'GET /user')).body).toMatchObject({ login: 'banto' });
  github.revoke(github.token);
  expect((await ask(github, 'GET /user')).status).toBe(401);
  expect((await fetch(`${github.url}/user`)).status).toBe(401);
});

test('a token is refused what it has no permission for, and told which it would need', async () => {
  github.addToken('github_pat_narrow', { permissions: { issues: 'write' } });
  const token = 'github_pat_narrow';
  const body = { labels: ['x'] };
  const path = `POST /repos/${REPO}`;
  expect((await ask(github, `${path}/issues/1/labels`, { body, token })).status).toBe(200);
  const refused = await ask(github, `${path}/git/refs`, { body: { ref: 'refs/heads/x' }, token });
  expect(refused.status).toBe(403);
  expect(refused.body).toMatchObject({
    message: 'Resource not accessible by personal access token',
  });
  expect(refused.headers.get('x-accepted-github-permissions')).toBe('contents=write');
});

test('a private repository does not exist for those who may not see it', async () => {
  github.addRepository('acme/secret', { private: true });
  github.addToken('ghp_stranger', { login: 'stranger', scopes: ['repo'] });
  github.addToken('ghp_public', { scopes: ['public_repo'] });
  github.addToken('github_pat_one', { repositories: [REPO] });
  for (const token of ['ghp_stranger', 'ghp_public', 'github_pat_one']) {
    expect((await ask(github, 'GET /repos/acme/secret', { token })).status).toBe(404);
  }
  expect((await ask(github, 'GET /repos/acme/secret')).status).toBe(200);
});

test('somebody without a role reads and comments but sets no labels', async () => {
  github.addToken('ghp_stranger', { login: 'stranger', scopes: ['repo'] });
  const token = 'ghp_stranger';
  const path = `/repos/${REPO}/issues/1`;
  expect((await ask(github, `GET ${path}`, { token })).headers.get('x-oauth-scopes')).toBe('repo');
  expect((await ask(github, `POST ${path}/comments`, { body: { body: 'hi' }, token })).status).toBe(
    201,
  );
  expect((await ask(github, `POST ${path}/labels`, { body: ['x'], token })).status).toBe(403);
  const permission = await ask(github, `GET /repos/${REPO}/collaborators/stranger/permission`);
  expect(permission.body).toMatchObject({ permission: 'read', role_name: 'read' });
  github.setRole(REPO, 'stranger', 'triage');
  expect((await ask(github, `POST ${path}/labels`, { body: ['x'], token })).status).toBe(200);
});

test('an installation token is given for a signed JWT and ends after an hour', async () => {
  const given = await ask(github, tokenPath(), { token: jwt(claims()) });
  expect(given.status).toBe(201);
  const { token } = given.body as { token: string };
  expect(token).toMatch(/^ghs_/);
  const repositories = await ask(github, 'GET /installation/repositories', { token });
  expect(repositories.body).toMatchObject({ total_count: 1, repositories: [{ full_name: REPO }] });
  expect((await ask(github, 'GET /installation/repositories')).status).toBe(403);
  await ask(github, `POST /repos/${REPO}/issues/1/comments`, { body: { body: 'hi' }, token });
  expect([...github.world.repo(REPO).comments.values()][0]?.author.type).toBe('Bot');
  github.clock.advance(3_599_000);
  expect((await ask(github, `GET /repos/${REPO}`, { token })).status).toBe(200);
  github.clock.advance(1000);
  expect((await ask(github, `GET /repos/${REPO}`, { token })).status).toBe(401);
});

test('a JWT that is stale, too long, of another App or signed by another key is refused', async () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const pem = other.export({ type: 'pkcs8', format: 'pem' }).toString();
  const bad = [
    jwt({ ...claims(), exp: now() - 1 }),
    jwt({ ...claims(), exp: now() + 3600 }),
    jwt({ ...claims(), iat: now() + 120 }),
    jwt({ ...claims(), iss: 1 }),
    jwt(claims(), pem),
    'not.a.jwt',
    github.token,
  ];
  for (const token of bad) expect((await ask(github, 'GET /app', { token })).status).toBe(401);
  expect((await ask(github, 'GET /app', { token: jwt(claims()) })).status).toBe(200);
});

test('a suspended installation gets nothing', async () => {
  const { body } = await ask(github, tokenPath(), { token: jwt(claims()) });
  github.installation('suspend');
  expect((await ask(github, tokenPath(), { token: jwt(claims()) })).status).toBe(403);
  const { token } = body as { token: string };
  expect((await ask(github, `GET /repos/${REPO}`, { token })).status).toBe(403);
});
