// A pull request that an agent asks for is opened by Banto, from the branch, once.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { type GithubWorld, makeGithubWorld, SHOP } from '../support/github/world.ts';

let w: GithubWorld;
beforeEach(async () => {
  w = await makeGithubWorld();
});
afterEach(() => w.close());

const WISH = { title: 'Keep the session', body: 'It is kept now.' };
const opened = () =>
  w.github.requests.filter((one) => one.operation === 'POST /repos/{owner}/{repo}/pulls');

async function completeWithWish() {
  w.openIssue();
  await w.runUntilIdle();
  const given = await w.request('a1');
  if (given === null) throw new Error('nothing was handed out');
  w.github.as('banto').push(SHOP, given.task.branch);
  await w.broker.complete({
    taskId: given.task.id,
    token: given.lease.token,
    summary: 'done',
    prNumber: null,
    verdict: null,
    comments: [],
    pullRequest: WISH,
  });
  return given;
}

it('is opened through the outbox; its number goes to the task and to the review', async () => {
  const { task } = await completeWithWish();
  await w.converge();
  expect(opened().map((one) => [one.status, one.body])).toEqual([
    [201, { ...WISH, head: task.branch, base: 'main' }],
  ]);
  const { task: done } = await w.broker.task(task.id);
  expect(done.prNumber).toBeGreaterThan(task.number);
  const { task: review } = await w.broker.task(task.id.replace('implement', 'review'));
  expect(review.prNumber).toBe(done.prNumber);
  expect(review.reason).not.toBe('no_pull_request');
  expect(await w.violations()).toEqual([]);
});

it('that somebody opened from the branch already is found, and none is opened beside it', async () => {
  const { task } = await completeWithWish();
  const { number } = w.github.as('banto').openPull(SHOP, { title: 'By hand', head: task.branch });
  await w.converge();
  const { task: done } = await w.broker.task(task.id);
  expect(done.prNumber).toBe(number);
  expect(opened().filter((one) => one.status === 201)).toEqual([]);
});
