// Several repositories, trouble in one of them, and comments that only look like ours.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ANSWERS } from '../../github-double/server/faults.ts';
import { type GithubWorld, makeGithubWorld, SHOP } from '../support/github/world.ts';

const TOOLS = 'octo/tools';
let w: GithubWorld;
beforeEach(async () => {
  w = await makeGithubWorld({ double: { repositories: [SHOP, TOOLS] } });
});
afterEach(() => w.close());

const issue = { title: 'x', body: '## Deliverables\n- x', labels: ['python'] };

describe('several repositories', () => {
  it('share one queue, and each gets its own branch and labels', async () => {
    const one = w.openIssue();
    const other = w.ann.openIssue(TOOLS, issue).number;
    expect(other).toBe(one);
    await w.runUntilIdle();
    const given = [await w.request('a1'), await w.request('a2')];
    expect(new Set(given.map((task) => task?.task.repository))).toEqual(new Set([SHOP, TOOLS]));
    for (const task of given) {
      const { repository, number } = task?.task ?? { repository: '', number: 0 };
      expect(w.github.labels(repository, number)).toContain(task?.lease.agentId);
      expect(w.github.world.repo(repository).refs.has('heads/feature/issue-1')).toBe(true);
    }
    const only = await w.request('a3', { repositories: [TOOLS] });
    expect(only).toBeNull();
  });

  it('do not wait for one that cannot be read', async () => {
    const path = /octo\/shop/;
    w.github.faults.add({ kind: 'answer', answer: ANSWERS.notFound }, { path, times: 100 });
    w.ann.openIssue(TOOLS, issue);
    await expect(w.runUntilIdle()).rejects.toBeInstanceOf(Error);
    expect((await w.request('a1'))?.task.repository).toBe(TOOLS);
    expect(await w.broker.loops.mirror.isListed()).toBe(false);
    w.github.faults.clear();
    w.openIssue();
    await w.runUntilIdle();
    expect((await w.request('a2'))?.task.repository).toBe(SHOP);
    expect(await w.broker.loops.mirror.isListed()).toBe(true);
  });
});

it('a comment of a stranger with our mark in it is left alone', async () => {
  const number = w.openIssue();
  await w.forge.comment(SHOP, number, 'k', 'ours');
  const comments = w.github.world.repo(SHOP).comments;
  const [ours] = [...comments.values()];
  comments.clear();
  w.github.as('stranger').comment(SHOP, number, ours?.body ?? '');
  w.github.faults.add({ kind: 'answer', answer: ANSWERS.notFound }, { path: /issues\/comments\// });
  await w.forge.comment(SHOP, number, 'k', 'ours again');
  await w.forge.comment(SHOP, number, 'k', 'and again');
  const said = [...comments.values()].map((one) => [one.author.login, one.body.split('\n')[0]]);
  expect(said).toEqual([
    ['stranger', 'ours'],
    ['banto', 'and again'],
  ]);
});
