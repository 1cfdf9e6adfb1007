// The way of a task on GitHub, from the issue to the merge, as people see it there.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GithubWorld, makeGithubWorld, SHOP } from '../support/github/world.ts';

let w: GithubWorld;
beforeEach(async () => {
  w = await makeGithubWorld();
});
afterEach(() => w.close());

const writes = () => w.github.requests.filter((one) => one.method !== 'GET');

async function takeAndComplete(agentId: string, prNumber: number | null = null) {
  const given = await w.request(agentId);
  if (given === null) throw new Error('nothing was handed out');
  await w.broker.complete({
    taskId: given.task.id,
    token: given.lease.token,
    summary: 'done',
    prNumber,
    verdict: null,
    comments: [],
  });
  await w.converge();
  return given;
}

const openPull = (number: number, over: object = {}) =>
  w.github
    .as('banto')
    .openPull(SHOP, { title: 'A change', head: `feature/issue-${number}`, ...over }).number;

describe('a hand-out', () => {
  it('writes a branch and labels, with two requests, and reads nothing', async () => {
    const number = w.openIssue();
    await w.runUntilIdle();
    await w.forge.setLabels(SHOP, number, { add: ['in-progress', 'needs-review'], remove: [] });
    await w.forge.setLabels(SHOP, number, { add: [], remove: ['in-progress', 'needs-review'] });
    const before = w.github.requests.length;
    const given = await w.request('a1');
    expect(given).toMatchObject({ ledger: 'written', task: { branch: `feature/issue-${number}` } });
    expect(w.github.requests.slice(before).map((one) => one.operation)).toEqual([
      'POST /repos/{owner}/{repo}/git/refs',
      'POST /repos/{owner}/{repo}/issues/{issue_number}/labels',
    ]);
    expect(await w.ledger(number)).toEqual({
      shown: ['a1', 'in-progress', 'python'],
      wanted: ['a1', 'in-progress'],
    });
  });

  it('makes missing labels with colour and description, once', async () => {
    w.openIssue();
    w.openIssue();
    await w.runUntilIdle();
    await w.request('a1');
    await w.request('a2');
    const made = writes().filter((one) => one.operation === 'POST /repos/{owner}/{repo}/labels');
    expect(made.map((one) => one.body)).toEqual([
      { name: 'in-progress', color: 'fbca04', description: 'An agent is working on this' },
    ]);
  });

  it('that finds nothing asks GitHub nothing', async () => {
    await w.runUntilIdle();
    const before = w.github.requests.length;
    expect(await w.request('a1')).toBeNull();
    expect(w.github.requests.length).toBe(before);
  });

  it('is never repeated because a listing is five minutes old', async () => {
    const number = w.openIssue();
    await w.runUntilIdle();
    w.time.advance(600_000);
    expect(await w.request('a1')).not.toBeNull();
    w.github.faults.add({ kind: 'stale', minutes: 5 }, { method: 'read', times: 1000 });
    for (let minute = 0; minute < 5; minute += 1) {
      await w.runUntilIdle();
      await w.poll();
      expect(await w.request('a2')).toBeNull();
      w.time.advance(30_000);
    }
    expect((await w.states())[`${number}~implement.1`]).toBe('leased');
    expect(await w.violations()).toEqual([]);
  });
});

describe('a completed task', () => {
  it('waits for its pull request, which is found by branch, keyword, mention or the word of the agent', async () => {
    const links: [string, (number: number) => object | null][] = [
      ['branch', () => ({})],
      ['keyword', (number) => ({ head: `k${number}`, body: `Fixes #${number}` })],
      [
        'keyword, not on the default branch',
        (n) => ({ head: `b${n}`, base: 'next', body: `closes: #${n}` }),
      ],
      ['mention', (number) => ({ head: `m${number}`, body: `About #${number}.` })],
      ['agent', () => null],
    ];
    w.ann.push(SHOP, 'next');
    for (const [, link] of links) {
      const number = w.openIssue();
      await w.runUntilIdle();
      const over = link(number);
      const named = over === null ? openPull(number, { head: `x${number}` }) : null;
      await takeAndComplete('a1', named);
      if (over !== null) {
        expect((await w.states())[`${number}~review.1`]).toBe('held: no_pull_request');
        openPull(number, over);
      }
      w.time.advance(2000);
      await w.poll();
      await w.poll();
      expect((await w.states())[`${number}~review.1`]).toBe('delayed: review_delay');
    }
    // None of them is an item of its own as well.
    const waiting = Object.entries(await w.states()).filter(([, state]) =>
      /held|delayed/.test(state),
    );
    expect(waiting).toHaveLength(links.length);
  });

  it('is linked by a mention that GitHub alone knows of', async () => {
    const number = w.openIssue({ labels: ['python', 'needs-review'] });
    const pull = openPull(99, { head: 'idea' });
    const repo = w.github.world.repo(SHOP);
    const events = repo.timeline.get(number) ?? [];
    const actor = w.github.world.account('ann');
    events.push({
      id: 1,
      event: 'cross-referenced',
      actor,
      at: w.time.now(),
      source: { repo, number: pull },
    });
    repo.timeline.set(number, events);
    await w.runUntilIdle();
    const states = await w.states();
    expect(states[`${number}~review.1`]).toBe('delayed: review_delay');
    expect(states[`${pull}~review.1`]).toBeUndefined();
    const reads = () => w.github.requests.filter((one) => one.path.endsWith('/timeline')).length;
    const before = reads();
    await w.runUntilIdle();
    await w.poll();
    expect(reads()).toBe(before);
  });

  it('takes off its labels and puts needs-review, leaving those of people alone', async () => {
    const number = w.openIssue({ labels: ['python', 'P2'] });
    await w.runUntilIdle();
    await w.request('a1');
    w.ann.label(SHOP, number, 'nice');
    await w.runUntilIdle();
    openPull(number);
    await w.request('a1', { onUnfinished: 'complete' });
    await w.converge();
    expect((await w.ledger(number)).shown).toEqual(['P2', 'needs-review', 'nice', 'python']);
  });
});

describe("people's reviews on GitHub", () => {
  async function inReview() {
    const number = w.openIssue();
    await w.runUntilIdle();
    const pull = openPull(number);
    await takeAndComplete('a1');
    w.time.advance(5000);
    await w.poll();
    return { number, pull };
  }
  const look = async () => {
    w.time.advance(2000);
    await w.poll();
    await w.converge();
  };

  it('approve', async () => {
    const { number, pull } = await inReview();
    w.ann.approve(SHOP, pull);
    await look();
    expect((await w.states())[`${number}~review.1`]).toBe('cancelled: approved_on_forge');
    expect((await w.ledger(number)).shown).toEqual(['approved', 'python']);
  });

  it('ask for changes, with their comments, and judge the next round again', async () => {
    const { number, pull } = await inReview();
    w.ann.requestChanges(SHOP, pull, 'rename it');
    await look();
    const fix = await w.request('a1');
    expect(fix?.task).toMatchObject({
      kind: 'fix',
      round: 1,
      prNumber: pull,
      reviewComments: ['rename it', 'README.md:1: rename it'],
    });
    w.time.advance(60_000);
    await w.broker.complete({
      taskId: fix?.task.id ?? '',
      token: fix?.lease.token ?? '',
      summary: null,
      prNumber: null,
      verdict: null,
      comments: [],
    });
    await look();
    expect((await w.states())[`${number}~review.2`]).toBe('delayed: review_delay');
    w.ann.approve(SHOP, pull);
    await look();
    expect((await w.states())[`${number}~review.2`]).toBe('cancelled: approved_on_forge');
  });

  it('of strangers and bots count for nothing', async () => {
    const { number, pull } = await inReview();
    w.github.as('stranger').approve(SHOP, pull);
    w.github.setRole(SHOP, 'helper[bot]', 'write');
    w.github.as('helper[bot]').requestChanges(SHOP, pull, 'no');
    await look();
    expect((await w.states())[`${number}~review.1`]).toBe('delayed: review_delay');
  });

  it('end with the merge or the closing of the pull request', async () => {
    const merged = await inReview();
    w.ann.merge(SHOP, merged.pull);
    const closed = await inReview();
    w.ann.close(SHOP, closed.pull);
    await look();
    const states = await w.states();
    expect(states[`${merged.number}~review.1`]).toBe('cancelled: pull_merged');
    expect(states[`${closed.number}~review.1`]).toBe('cancelled: pull_closed');
    w.ann.reopen(SHOP, closed.pull);
    await look();
    expect((await w.states())[`${closed.number}~review.2`]).toBe('delayed: review_delay');
  });
});

describe('a pull request without an issue', () => {
  it('is reviewed for itself, before anything else, until somebody merges it', async () => {
    w.openIssue();
    const pull = openPull(99, { head: 'idea' });
    await w.runUntilIdle();
    expect((await w.states())[`${pull}~review.1`]).toBe('delayed: review_delay');
    w.time.advance(301_000);
    await w.runUntilIdle();
    const given = await w.request('r1', { capabilities: ['review'] });
    expect(given?.task).toMatchObject({
      number: pull,
      priority: 100,
      branch: 'idea',
      prNumber: pull,
    });
    expect(w.github.labels(SHOP, pull)).toContain('in-progress');
    const draft = openPull(98, { head: 'later', draft: true });
    const merged = openPull(97, { head: 'now' });
    await w.runUntilIdle();
    w.time.advance(2000);
    w.ann.merge(SHOP, merged);
    await w.poll();
    const states = await w.states();
    expect(states[`${draft}~review.1`]).toBeUndefined();
    expect(states[`${merged}~review.1`]).toBe('cancelled: pull_merged');
    expect(states[`${pull}~review.1`]).toBe('leased');
  });

  it('that turns out to have one is reviewed there', async () => {
    const number = w.openIssue();
    const pull = openPull(99, { head: 'idea' });
    await w.runUntilIdle();
    w.time.advance(2000);
    w.ann.edit(SHOP, pull, { body: `Closes #${number}` });
    await w.poll();
    await w.poll();
    expect((await w.states())[`${pull}~review.1`]).toBe('cancelled: pull_linked');
  });
});

describe('a pull request that lets go of its issue', () => {
  it('before anybody worked on that is an item of its own for good', async () => {
    const number = w.openIssue();
    const pull = openPull(99, { head: 'idea', body: `Closes #${number}` });
    await w.runUntilIdle();
    w.time.advance(2000);
    w.ann.edit(SHOP, pull, { body: 'alone' });
    for (const _ of [1, 2]) {
      await w.poll();
      await w.runUntilIdle();
      expect((await w.states())[`${pull}~review.1`]).toBe('delayed: review_delay');
    }
  });
});

describe('an issue', () => {
  it('waits for those that GitHub says block it', async () => {
    const first = w.openIssue();
    const second = w.openIssue();
    w.ann.block(SHOP, second, first);
    await w.runUntilIdle();
    expect((await w.states())[`${second}~implement.1`]).toBe(`held: blocked_by:#${first}`);
    w.time.advance(2000);
    w.ann.close(SHOP, first);
    await w.poll();
    expect((await w.states())[`${second}~implement.1`]).toBe('ready');
  });

  it.each(['close', 'remove', 'transfer'] as const)(
    'that somebody does away with (%s) tells its holder',
    async (how) => {
      w.github.addRepository('octo/other');
      const number = w.openIssue();
      await w.runUntilIdle();
      const given = await w.request('a1');
      w.time.advance(5000);
      if (how === 'close') w.ann.close(SHOP, number);
      if (how === 'remove') w.ann.remove(SHOP, number);
      if (how === 'transfer') w.ann.transfer(SHOP, number, 'octo/other');
      await w.poll();
      const { id: taskId } = given?.task ?? { id: '' };
      const token = given?.lease.token ?? '';
      await expect(w.broker.heartbeat({ taskId, token, progress: null })).rejects.toMatchObject({
        code: 'lease_lost',
      });
      await w.converge();
      expect(await w.violations()).toEqual([]);
    },
  );

  it('is edited, locked and reopened while it is leased, and the lease stands', async () => {
    const number = w.openIssue();
    await w.runUntilIdle();
    const given = await w.request('a1');
    w.time.advance(5000);
    w.ann.edit(SHOP, number, { title: 'Other', body: 'no deliverables any more' });
    w.ann.lock(SHOP, number);
    await w.poll();
    const taskId = given?.task.id ?? '';
    const token = given?.lease.token ?? '';
    await w.broker.heartbeat({ taskId, token, progress: 'on it' });
    expect((await w.broker.task(taskId)).issue.title).toBe('Other');
  });

  it('of a repository that was renamed is still reached', async () => {
    const number = w.openIssue();
    await w.runUntilIdle();
    w.github.renameRepository(SHOP, 'store');
    const given = await w.request('a1');
    expect(given?.ledger).toBe('written');
    expect(w.github.labels('octo/store', number)).toContain('in-progress');
    w.github.as('ann').close('octo/store', number);
    await w.poll();
    await w.runUntilIdle();
    expect((await w.states())[`${number}~implement.1`]).toBe('cancelled: issue_closed');
  });

  it('is offered again when its body says what is to be done', async () => {
    const number = w.openIssue({ body: 'vague' });
    await w.runUntilIdle();
    expect((await w.states())[`${number}~implement.1`]).toBe('held: no_deliverables');
    w.time.advance(1000);
    w.ann.edit(SHOP, number, { body: '## 成果物\n- x' });
    await w.poll();
    expect((await w.states())[`${number}~implement.1`]).toBe('ready');
  });
});
