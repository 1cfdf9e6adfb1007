// Who Banto is on GitHub, and whether that is enough: what is missing is named, one by one.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GithubDouble, startGithubDouble } from '../../github-double/double.ts';
import { forgeOn } from '../support/github/forge.ts';

const REPOSITORY = 'octo/shop';
const AT = Date.UTC(2026, 10, 15);
let github: GithubDouble;
beforeEach(async () => {
  github = await startGithubDouble({ repositories: [REPOSITORY], clock: AT, limits: false });
});
afterEach(() => github.close());

const withToken = (token: string) => forgeOn(github, { auth: { kind: 'token', token } });
const asApp = (over: object = {}) => {
  const { id: appId, privateKey, installationId } = github.app;
  return forgeOn(github, { auth: { kind: 'app', appId, privateKey, installationId }, ...over });
};

describe('a GitHub App', () => {
  it('reads and writes with tokens that it renews, also when one is refused early', async () => {
    const forge = asApp();
    const { number } = github.as('ann').openIssue(REPOSITORY, { title: 'x' });
    await forge.check();
    await forge.setLabels(REPOSITORY, number, { add: ['in-progress'], remove: [] });
    // The double's hour is over; our own clock has not moved.
    github.clock.advance(3_700_000);
    await forge.setLabels(REPOSITORY, number, { add: ['a1'], remove: ['in-progress'] });
    expect(github.labels(REPOSITORY, number)).toEqual(['a1']);
    const tokens = github.requests.filter((one) => one.operation.endsWith('/access_tokens'));
    expect(tokens.filter((one) => one.status === 201)).toHaveLength(2);
  });

  it('is told which permissions it lacks', async () => {
    github.app.permissions = { issues: 'read', pull_requests: 'read', metadata: 'read' };
    await expect(asApp().check()).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringMatching(/"issues: write".*"contents: write"/) as string,
    });
    github.installation('suspend');
    await expect(asApp().check()).rejects.toThrow('suspended');
  });
});

describe('a token', () => {
  it('that can do everything has no problem, on Enterprise too', async () => {
    expect(await withToken(github.token).problems()).toEqual([]);
    const forge = forgeOn(github, { apiUrl: `${github.enterpriseUrl}/` });
    await forge.check();
    expect(github.requests.at(-1)?.status).toBe(200);
  });

  it('that nobody knows is named as such', async () => {
    await expect(withToken('github_pat_other').check()).rejects.toThrow('(401)');
  });

  it('is told one by one what it may not do', async () => {
    github.addRepository('octo/vault', { private: true });
    github.addRepository('octo/old', { archived: true });
    github.addRepository('octo/quiet', { hasIssues: false });
    github.addToken('github_pat_small', { permissions: { metadata: 'read' } });
    const problems = await withToken('github_pat_small').problems();
    expect(problems.join('\n')).toMatch(/octo\/vault: the permission "Issues: read" is missing/);
    expect(problems.join('\n')).toMatch(/octo\/vault: the permission "Pull requests: read"/);
    expect(problems.join('\n')).toMatch(/octo\/old is archived/);
    expect(problems.join('\n')).toMatch(/octo\/quiet has its issues switched off/);
  });

  it('of somebody who may only read, or of nobody there, is told so', async () => {
    github.addToken('github_pat_reader', { login: 'reader' });
    expect(await withToken('github_pat_reader').problems()).toEqual([
      expect.stringContaining('may not write'),
    ]);
    github.addRepository('octo/vault', { private: true });
    const forge = forgeOn(github, {
      repositories: ['octo/vault', 'octo/none'],
      auth: { kind: 'token', token: 'github_pat_reader' },
    });
    expect(await forge.problems()).toEqual([
      expect.stringContaining('octo/vault cannot be found'),
      expect.stringContaining('octo/none cannot be found'),
    ]);
  });

  it('is checked once in five minutes, however often readiness is asked for', async () => {
    const forge = withToken(github.token);
    for (let count = 0; count < 5; count += 1) await forge.check();
    const asked = github.requests.length;
    github.clock.advance(301_000);
    await forge.check();
    expect(github.requests.length).toBe(asked * 2);
  });
});
