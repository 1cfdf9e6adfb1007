// Branch names from strangers on GitHub: of issues, and of pull requests.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { type GithubWorld, makeGithubWorld, SHOP } from '../support/github/world.ts';

let w: GithubWorld;
beforeEach(async () => {
  w = await makeGithubWorld({ policy: { reviewDelaySeconds: 0 } });
});
afterEach(() => w.close());

const body = (wish: string) => `Branch: ${wish}\n\n## Deliverables\n\n- it`;

it('a branch that exists and was not made for the issue is not used, and why says so', async () => {
  w.ann.push(SHOP, 'production');
  const number = w.openIssue({ by: 'stranger', body: body('production') });
  await w.runUntilIdle();
  const { rules } = await w.broker.why(`octo~shop~${number}~implement.1`, null);
  expect(rules.find(({ rule }) => rule === 'branch')).toEqual({
    rule: 'branch',
    ok: true,
    detail: expect.stringMatching(/"production"; a branch of this name exists/),
    code: 'branch_not_followed',
    values: { wish: '"production"', problem: 'exists', branch: `feature/issue-${number}` },
  });
  expect((await w.request('a1'))?.task.branch).toBe(`feature/issue-${number}`);
});

it('one that appeared since is found out when it would be made; the task goes on under its own name', async () => {
  const number = w.openIssue({ body: body('production') });
  const other = w.openIssue({ body: body('topic/part') });
  await w.runUntilIdle();
  w.ann.push(SHOP, 'production');
  w.ann.push(SHOP, 'topic');
  expect((await w.request('a1'))?.task.branch).toBe(`feature/issue-${number}`);
  expect((await w.request('a2'))?.task.branch).toBe(`feature/issue-${other}`);
});

it('one that was made for the issue is used again', async () => {
  const number = w.openIssue({ body: body('login') });
  await w.runUntilIdle();
  const got = await w.request('a1');
  expect(got?.task.branch).toBe('login');
  const id = `octo~shop~${number}~implement.1`;
  await w.broker.release({ taskId: id, token: got?.lease.token ?? '', reason: null });
  w.time.advance(4_000_000);
  await w.runUntilIdle();
  expect((await w.request('a2'))?.task.branch).toBe('login');
});

it('an issue that asks for `feature` keeps nobody from work', async () => {
  const numbers = [w.openIssue({ body: body('feature') }), w.openIssue(), w.openIssue()];
  await w.runUntilIdle();
  const got = await Promise.all(numbers.map((_, index) => w.request(`a${index}`)));
  expect(got.map((one) => one?.task.branch).sort()).toEqual(
    numbers.map((number) => `feature/issue-${number}`),
  );
});

it("a pull request's branch with a name for a shell is not in the prompt", async () => {
  const { number } = w.ann.openPull(SHOP, { title: 'x', head: 'x;id|sh' });
  await w.runUntilIdle();
  w.time.advance(1000);
  await w.runUntilIdle();
  const got = await w.request('a1', { capabilities: ['review'] });
  expect(got?.task).toMatchObject({ number, branch: `refs/pull/${number}/head` });
  expect(got?.prompt.split('<<<ISSUE')[0]).not.toContain('id|sh');
});
