// What one task costs of GitHub's budgets, from the hand-out to the approval. The figures in docs/performance.md rest
// on this.

import { afterEach, expect, it } from 'vitest';
import { type GithubWorld, makeGithubWorld, SHOP } from '../support/github/world.ts';

let w: GithubWorld;
afterEach(() => w.close());

const REF = 'POST /repos/{owner}/{repo}/git/refs';
const LABELS = 'POST /graphql';

async function live(): Promise<number> {
  const number = w.openIssue({ labels: ['python', 'nice'] });
  await w.poll();
  const work = await w.request('a1');
  const pull = { title: 'A change', head: `feature/issue-${number}`, body: `Closes #${number}` };
  const said = { summary: null, verdict: null, comments: [] };
  const prNumber = w.github.as('fleet').openPull(SHOP, pull).number;
  const done = { taskId: work?.task.id ?? '', token: work?.lease.token ?? '' };
  await w.broker.complete({ ...said, ...done, prNumber });
  await w.converge();
  w.time.advance(301_000);
  await w.poll();
  const review = await w.request('a2', { capabilities: ['review'] });
  const judged = { taskId: review?.task.id ?? '', token: review?.lease.token ?? '' };
  await w.broker.complete({ ...said, ...judged, prNumber: null, verdict: 'approve' });
  await w.converge();
  w.ann.merge(SHOP, prNumber);
  await w.poll();
  await w.converge();
  return number;
}

it('five writes bring an issue from the hand-out to the approval', async () => {
  w = await makeGithubWorld();
  await w.runUntilIdle();
  // The first life makes the labels and learns their names.
  await live();
  const before = w.github.requests.length;
  const number = await live();
  const writes = w.github.requests.slice(before).filter((one) => one.method !== 'GET');
  expect(writes.map((one) => one.operation)).toEqual([REF, LABELS, LABELS, LABELS, LABELS]);
  expect((await w.ledger(number)).shown).toEqual(['approved', 'nice', 'python']);
  expect(await w.violations()).toEqual([]);
});
