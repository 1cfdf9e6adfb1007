// GitHub's listings may lag. Here every one of them shows what was true five minutes ago, through the whole life of a
// task: nothing is handed out twice, no lease is taken away, and no label that is wanted comes off.

import { afterEach, expect, it } from 'vitest';
import type { Assignment } from '../../src/broker/broker.ts';
import { type GithubWorld, makeGithubWorld, SHOP } from '../support/github/world.ts';

let w: GithubWorld;
afterEach(() => w.close());

const RIVALS = ['r1', 'r2', 'r3'];
const MINUTE_MS = 60_000;

/** Six minutes of looking at old listings while rivals ask for the same work. */
async function hold(given: Assignment, shown: string[]): Promise<void> {
  const held = { taskId: given.task.id, token: given.lease.token };
  for (let minute = 0; minute < 6; minute += 1) {
    await w.poll();
    await w.runUntilIdle();
    for (const rival of RIVALS) {
      expect(await w.request(rival, { capabilities: ['python', 'review'] })).toBeNull();
    }
    await w.broker.heartbeat({ ...held, progress: null });
    expect((await w.ledger(given.task.number)).shown).toEqual(shown.toSorted());
    w.time.advance(MINUTE_MS);
  }
}

async function wait(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    w.time.advance(MINUTE_MS);
    await w.poll();
    await w.runUntilIdle();
  }
}

async function take(agentId: string, kind: string): Promise<Assignment> {
  const given = await w.request(agentId, { capabilities: ['python', 'review'] });
  if (given === null) throw new Error(`no ${kind} was handed out`);
  expect(given.task.kind).toBe(kind);
  return given;
}

const finish = (given: Assignment, over: object = {}) =>
  w.broker.complete({
    taskId: given.task.id,
    token: given.lease.token,
    summary: null,
    prNumber: null,
    verdict: null,
    comments: [],
    ...over,
  });

it('a whole life under listings that are five minutes old', { timeout: 60_000 }, async () => {
  w = await makeGithubWorld();
  const number = w.openIssue({ labels: ['python', 'nice'] });
  await w.runUntilIdle();
  // From here on listings do not even show the issue yet.
  const stale = w.github.faults.add(
    { kind: 'stale', minutes: 5 },
    { operation: 'GET /repos/{owner}/{repo}/issues', times: Number.POSITIVE_INFINITY },
  );
  await wait(1);

  const implement = await take('a1', 'implement');
  await hold(implement, ['python', 'nice', 'in-progress', 'a1']);
  const pull = w.github
    .as('fleet')
    .openPull(SHOP, { title: 'A change', head: implement.task.branch }).number;
  await finish(implement, { prNumber: pull });
  // Old listings still show the issue as if nobody had begun, or as if a1 were at it.
  await wait(4);
  expect(await w.request('r1', { capabilities: ['python'] })).toBeNull();
  await wait(3);

  const review = await take('a2', 'review');
  await hold(review, ['python', 'nice', 'needs-review', 'in-progress', 'a2']);
  await finish(review, { verdict: 'request_changes', comments: ['rename it'] });

  const fix = await take('a1', 'fix');
  await hold(fix, ['python', 'nice', 'in-progress', 'a1']);
  await finish(fix);
  await wait(7);

  const second = await take('a2', 'review');
  await hold(second, ['python', 'nice', 'needs-review', 'in-progress', 'a2']);
  await finish(second, { verdict: 'approve' });
  await wait(7);
  expect((await w.ledger(number)).shown).toEqual(['approved', 'nice', 'python']);
  w.ann.merge(SHOP, pull);
  w.ann.close(SHOP, number);
  await wait(7);

  expect(stale.hits()).toBeGreaterThan(50);
  expect(await w.violations()).toEqual([]);
  const leases = (await w.store.facts(0, 10_000)).filter((fact) => fact.type === 'leased');
  expect(leases.map((fact) => [fact.taskId.replace(/.*~/, ''), fact.agentId])).toEqual([
    ['implement.1', 'a1'],
    ['review.1', 'a2'],
    ['fix.1', 'a1'],
    ['review.2', 'a2'],
  ]);
  expect(await w.states()).toMatchObject({ [`${number}~review.2`]: 'done' });
  expect((await w.ledger(number)).shown).toEqual(['approved', 'nice', 'python']);
});
