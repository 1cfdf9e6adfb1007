// The way of a task through mirror, store, forge and broker.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Assignment } from '../../src/broker/broker.ts';
import { checkInvariants } from '../support/invariants.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});
afterEach(async () => {
  const facts = await world.store.facts(0, 100_000);
  expect(checkInvariants(facts)).toEqual([]);
  await world.close();
});

function got(assignment: Assignment | null): Assignment {
  if (assignment === null) throw new Error('expected a task');
  return assignment;
}

async function complete(task: Assignment, verdict: 'approve' | 'request_changes' | null = null) {
  return world.broker.complete({
    taskId: task.task.id,
    token: task.lease.token,
    summary: null,
    prNumber: null,
    verdict,
    comments: verdict === 'request_changes' ? ['add a test'] : [],
  });
}

describe('an issue that suits the agent', () => {
  it('is handed out with branch and labels written, and the fields that every task has', async () => {
    await world.repository.write(7, { title: 'Fix login', labels: ['python', 'bug'] });
    await world.runUntilIdle();
    const task = got(await world.request('hana'));
    expect(task).toMatchObject({
      ledger: 'written',
      handoff: null,
      task: { id: 'repo~7~implement.1', branch: 'feature/issue-7', state: 'leased' },
      issue: { title: 'Fix login' },
      lease: { seconds: 600, agentId: 'hana' },
    });
    expect(await world.repository.labels(7)).toEqual(['python', 'bug', 'in-progress', 'hana']);
    expect(await world.repository.branches()).toContain('feature/issue-7');
    expect(await world.request('kenji')).toBeNull();
  });

  it('goes to exactly one of many that ask at the same instant', async () => {
    await world.repository.write(1);
    await world.runUntilIdle();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => world.request(`a${index}`)),
    );
    expect(answers.filter((answer) => answer !== null)).toHaveLength(1);
  });

  it('is not offered to an agent that can do none of it', async () => {
    await world.repository.write(1, { labels: ['rust'] });
    await world.runUntilIdle();
    expect(await world.request('hana', { capabilities: ['python'] })).toBeNull();
    expect(await world.request('hana', { capabilities: ['Rust'] })).not.toBeNull();
  });

  it('is chosen by priority, then by matching labels, then by age', async () => {
    await world.repository.write(1, { labels: ['python'] });
    await world.repository.write(2, { labels: ['python', 'web'] });
    await world.repository.write(3, { labels: ['python', 'web'] });
    await world.repository.write(4, { labels: ['python', 'P0'] });
    await world.runUntilIdle();
    const order: number[] = [];
    for (const agent of ['a', 'b', 'c', 'd']) {
      order.push(got(await world.request(agent, { capabilities: ['python', 'web'] })).task.number);
    }
    expect(order).toEqual([4, 2, 3, 1]);
  });
});

describe('review', () => {
  it('waits for people first, then goes to somebody who did not write the change', async () => {
    await world.repository.write(1);
    await world.runUntilIdle();
    await complete(got(await world.request('hana')));
    await world.runUntilIdle();
    expect(await world.repository.labels(1)).toEqual(['python', 'needs-review']);
    const reviewer = { capabilities: ['review', 'python'] };
    expect(await world.request('kenji', reviewer)).toBeNull();
    world.time.advance(300_000);
    await world.runUntilIdle();
    expect(await world.request('hana', reviewer)).toBeNull();
    const review = got(await world.request('kenji', reviewer));
    expect(review.task).toMatchObject({ kind: 'review', priority: 100 });
    await complete(review, 'approve');
    await world.runUntilIdle();
    expect(await world.repository.labels(1)).toEqual(['python', 'approved']);
  });

  it('is not restarted by looking again', async () => {
    await world.repository.write(1, { labels: ['python', 'needs-review'] });
    await world.runUntilIdle();
    world.time.advance(200_000);
    await world.runUntilIdle();
    world.time.advance(100_000);
    await world.runUntilIdle();
    const review = got(await world.request('kenji', { capabilities: ['review'] }));
    expect(review.task.kind).toBe('review');
  });

  it('makes a fix for the author first, and asks for a person after three rounds', async () => {
    await world.repository.write(1);
    await world.runUntilIdle();
    await complete(got(await world.request('hana')));
    for (let round = 1; round <= 3; round += 1) {
      world.time.advance(300_000);
      await world.runUntilIdle();
      await complete(
        got(await world.request('kenji', { capabilities: ['review'] })),
        'request_changes',
      );
      await world.runUntilIdle();
      if (round === 3) break;
      expect(await world.request('taro', { capabilities: ['python', '*'] })).toBeNull();
      const fix = got(await world.request('hana'));
      expect(fix.task).toMatchObject({
        kind: 'fix',
        priority: 100,
        reviewComments: ['add a test'],
      });
      await complete(fix);
    }
    expect(await world.repository.labels(1)).toEqual(['python', 'needs-human']);
    expect(await world.request('hana')).toBeNull();
    await world.broker.requeue({ taskId: 'repo~1~fix.3', delaySeconds: 0 });
    await world.runUntilIdle();
    expect(await world.repository.labels(1)).toEqual(['python']);
    expect(got(await world.request('hana')).task.id).toBe('repo~1~fix.3');
  });

  it('offers the fix to everyone when its author does not come', async () => {
    await world.repository.write(1);
    await world.runUntilIdle();
    await complete(got(await world.request('hana')));
    world.time.advance(300_000);
    await world.runUntilIdle();
    await complete(
      got(await world.request('kenji', { capabilities: ['review'] })),
      'request_changes',
    );
    world.time.advance(120_000);
    await world.runUntilIdle();
    expect(got(await world.request('taro')).task.kind).toBe('fix');
  });
});

describe('a lease', () => {
  it('runs out without heartbeats; the next agent gets what the first one knew', async () => {
    await world.repository.write(1);
    await world.runUntilIdle();
    const first = got(await world.request('hana'));
    const held = { taskId: first.task.id, token: first.lease.token };
    world.time.advance(590_000);
    await world.broker.heartbeat({ ...held, progress: 'half-way there' });
    world.time.advance(599_000);
    await world.runUntilIdle();
    expect(await world.request('kenji')).toBeNull();
    world.time.advance(2000);
    await world.runUntilIdle();
    expect((await world.broker.agent('hana')).status).toBe('zombie');
    const second = got(await world.request('kenji'));
    expect(second.handoff).toMatchObject([
      {
        agentId: 'hana',
        outcome: 'expired',
        progress: ['half-way there'],
        branch: 'feature/issue-1',
      },
    ]);
    expect(second.lease.fence).toBeGreaterThan(first.lease.fence);
    await expect(world.broker.heartbeat({ ...held, progress: null })).rejects.toMatchObject({
      code: 'lease_lost',
    });
    await expect(complete(first)).rejects.toMatchObject({ code: 'lease_lost' });
    await world.runUntilIdle();
    expect(await world.repository.labels(1)).toEqual(['python', 'in-progress', 'kenji']);
  });

  it('may fail three times; then a person is asked, with the reasons', async () => {
    await world.repository.write(1);
    await world.runUntilIdle();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const task = got(await world.request('hana'));
      expect(task.task.attempts).toBe(attempt - 1);
      await world.broker.fail({
        taskId: task.task.id,
        token: task.lease.token,
        reason: `broken ${attempt}`,
        retryable: true,
        delaySeconds: null,
      });
      await world.runUntilIdle();
      expect(await world.request('kenji')).toBeNull();
      world.time.advance(30_000 * 2 ** (attempt - 1));
      await world.runUntilIdle();
    }
    expect(await world.repository.labels(1)).toEqual(['python', 'needs-human']);
    const { task } = await world.broker.task('repo~1~implement.1');
    expect(task).toMatchObject({ state: 'dead', reason: 'broken 3' });
  });

  it('fails for good at once when the agent says so', async () => {
    await world.repository.write(1);
    await world.runUntilIdle();
    const task = got(await world.request('hana'));
    const failed = await world.broker.fail({
      taskId: task.task.id,
      token: task.lease.token,
      reason: 'the repository is empty',
      retryable: false,
      delaySeconds: null,
    });
    expect(failed.state).toBe('dead');
  });

  it('can be released without counting an attempt', async () => {
    await world.repository.write(1);
    await world.runUntilIdle();
    const task = got(await world.request('hana'));
    const released = await world.broker.release({
      taskId: task.task.id,
      token: task.lease.token,
      reason: null,
    });
    expect(released).toMatchObject({ state: 'ready', attempts: 0 });
    await world.runUntilIdle();
    expect(await world.repository.labels(1)).toEqual(['python']);
  });
});

describe('a request by an agent that still holds a task', () => {
  beforeEach(async () => {
    await world.repository.write(1);
    await world.repository.write(2);
    await world.runUntilIdle();
  });

  it('means that it is finished', async () => {
    got(await world.request('hana'));
    expect(got(await world.request('hana')).task.number).toBe(2);
    await world.runUntilIdle();
    expect(await world.repository.labels(1)).toEqual(['python', 'needs-review']);
  });

  it('answers with it when asked to resume', async () => {
    const first = got(await world.request('hana'));
    const again = got(await world.request('hana', { onUnfinished: 'resume' }));
    expect(again.lease.token).toBe(first.lease.token);
  });

  it('gives it back when asked to release', async () => {
    const first = got(await world.request('hana'));
    await world.request('hana', { onUnfinished: 'release', repositories: ['nowhere'] });
    expect((await world.broker.task(first.task.id)).task).toMatchObject({ state: 'ready' });
  });

  it('gets the same answer for the same request id while the lease lives', async () => {
    const first = got(await world.request('hana', { requestId: 'r1' }));
    const again = got(await world.request('hana', { requestId: 'r1' }));
    expect(again.lease).toEqual(first.lease);
    await complete(first);
    expect(got(await world.request('hana', { requestId: 'r1' })).task.number).toBe(2);
  });
});

describe('the issue itself', () => {
  it('waits for what blocks it, and is free when that is closed', async () => {
    await world.repository.write(1);
    await world.repository.write(2, { blockedBy: [1], labels: ['docs'] });
    await world.runUntilIdle();
    expect(await world.request('hana', { capabilities: ['docs'] })).toBeNull();
    expect((await world.broker.why('repo~2~implement.1', null)).summary).toContain('#1');
    await world.repository.write(1, { state: 'closed' });
    await world.runUntilIdle();
    expect(got(await world.request('hana', { capabilities: ['docs'] })).task.number).toBe(2);
  });

  it('cancels its task when it is closed, and tells the holder', async () => {
    await world.repository.write(1);
    await world.runUntilIdle();
    const task = got(await world.request('hana'));
    await world.repository.write(1, { state: 'closed' });
    await world.runUntilIdle();
    await expect(
      world.broker.heartbeat({ taskId: task.task.id, token: task.lease.token, progress: null }),
    ).rejects.toMatchObject({ code: 'lease_lost' });
    await world.repository.write(1, { state: 'open' });
    await world.runUntilIdle();
    expect(got(await world.request('kenji')).lease.fence).toBeGreaterThan(task.lease.fence);
  });

  it('is held, with the reason, when something is missing', async () => {
    await world.repository.write(1, { body: 'do something' });
    await world.runUntilIdle();
    const { task } = await world.broker.task('repo~1~implement.1');
    expect(task).toMatchObject({ state: 'held', reason: 'no_deliverables' });
    await world.repository.write(1);
    await world.runUntilIdle();
    expect(await world.request('hana')).not.toBeNull();
  });
});

describe('waiting', () => {
  const waiting = (agentId: string, capabilities = ['python']) =>
    world.request(agentId, { capabilities, waitSeconds: 60 });

  /** The request has become a ticket. */
  async function asleep(count: number): Promise<void> {
    while ((await world.store.tickets.count()) < count) await new Promise(setImmediate);
  }

  it('wakes exactly one waiter when a task appears', async () => {
    const answers = ['a', 'b', 'c'].map((agent) => waiting(agent));
    await asleep(3);
    await world.repository.write(1);
    await world.runUntilIdle();
    const first = got(await Promise.race(answers));
    expect(first.task.number).toBe(1);
    expect(await world.store.tickets.count()).toBe(2);
    world.time.advance(60_000);
    expect((await Promise.all(answers)).filter((answer) => answer !== null)).toHaveLength(1);
  });

  it('pairs best overall: the specialist is kept for what only it can do', async () => {
    const both = waiting('generalist', ['python', 'docs']);
    await asleep(1);
    const docs = waiting('specialist', ['docs']);
    await asleep(2);
    await world.repository.write(1, { labels: ['docs'] });
    await world.repository.write(2, { labels: ['python'] });
    await world.runUntilIdle();
    expect(got(await both).task.number).toBe(2);
    expect(got(await docs).task.number).toBe(1);
  });

  it('ends with nothing when nothing comes in time', async () => {
    const answer = waiting('a');
    await asleep(1);
    world.time.advance(60_000);
    expect(await answer).toBeNull();
    expect(await world.store.tickets.count()).toBe(0);
  });

  it('ends with the connection', async () => {
    const gone = new AbortController();
    const answer = world.broker.requestTask(
      {
        agentId: 'a',
        capabilities: ['python'],
        waitSeconds: 60,
        leaseSeconds: null,
        requestId: null,
        kinds: null,
        repositories: null,
        onUnfinished: 'complete',
      },
      gone.signal,
    );
    await asleep(1);
    gone.abort();
    expect(await answer).toBeNull();
    await world.repository.write(1);
    await world.runUntilIdle();
    expect((await world.broker.task('repo~1~implement.1')).task.state).toBe('ready');
  });

  it('is limited for each agent', async () => {
    const answers = Array.from({ length: 4 }, () => waiting('a'));
    await asleep(4);
    await expect(waiting('a')).rejects.toMatchObject({ code: 'too_many_requests' });
    world.time.advance(60_000);
    await Promise.all(answers);
  });
});

describe('an operator', () => {
  it('pauses and resumes the hand-out', async () => {
    await world.repository.write(1);
    await world.runUntilIdle();
    await world.broker.putFlag('maintenance', true);
    await expect(world.request('hana')).rejects.toMatchObject({
      code: 'maintenance',
      detail: 'Hand-out is paused by an operator.',
    });
    await world.broker.putFlag('maintenance', false);
    expect(await world.request('hana')).not.toBeNull();
  });

  it('changes settings that count at once, and nothing on a bad value', async () => {
    await world.broker.putConfig('lease_seconds', 60);
    await expect(world.broker.putConfig('lease_seconds', 'x')).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(world.broker.putConfig('nonsense', 1)).rejects.toMatchObject({
      code: 'not_found',
    });
    await world.repository.write(1);
    await world.runUntilIdle();
    expect(got(await world.request('hana')).lease.seconds).toBe(60);
  });

  it('unlocks, gives another priority and cancels', async () => {
    await world.repository.write(1);
    await world.repository.write(2);
    await world.runUntilIdle();
    const first = got(await world.request('hana'));
    await world.broker.unlock({ taskId: first.task.id });
    await expect(complete(first)).rejects.toMatchObject({ code: 'lease_lost' });
    await world.broker.prioritize({ taskId: 'repo~2~implement.1', priority: 100 });
    await world.runUntilIdle();
    expect(got(await world.request('kenji')).task.number).toBe(2);
    await world.broker.cancel({ taskId: first.task.id, reason: null });
    await world.runUntilIdle();
    expect(await world.request('taro')).toBeNull();
    await expect(world.broker.unlock({ taskId: first.task.id })).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});
