// Usage, budgets, questions and logs on a whole Banto: real SQLite, real files, a clock that the test moves.

import { afterEach, expect, it } from 'vitest';
import type { Usage } from '../../src/core/usage.ts';
import { makeWorld, type World, type WorldOptions } from '../support/world.ts';

let w: World | null = null;
afterEach(() => w?.close());

/** Statistics of the day are looked at again after so long. */
const READ_AGAIN_MS = 2000;

const usage = (costUsd: number): Usage => ({
  model: 'm1',
  inputTokens: null,
  outputTokens: null,
  cachedTokens: null,
  costUsd,
  turns: null,
  sessionId: null,
});

async function withTasks(count: number, options: WorldOptions = {}) {
  const world = await makeWorld(options);
  w = world;
  for (let number = 1; number <= count; number += 1) {
    await world.repository.write(number, { labels: ['python'] });
  }
  await world.runUntilIdle();
  return world;
}

async function taken(world: World, agentId: string) {
  const given = await world.request(agentId);
  if (given === null) throw new Error('nothing was handed out');
  return { taskId: given.task.id, token: given.lease.token, fence: given.lease.fence };
}

it('a task that overspends is stopped by the next heartbeat and held, and why says so', async () => {
  const world = await withTasks(1, { policy: { maxCostPerTaskUsd: 1 } });
  const { broker } = world;
  const held = await taken(world, 'a1');
  const beat = await broker.heartbeat({ ...held, progress: null, usage: usage(1.5) });
  expect(beat.stop).toMatch(/\$1\.50 of the \$1\.00/);
  const after = await broker.release({ ...held, reason: 'stopped: budget' });
  expect(after).toMatchObject({ state: 'held', reason: 'budget' });
  await world.runUntilIdle();
  expect(await world.request('a1')).toBeNull();
  expect((await broker.why(held.taskId, null)).summary).toContain('used up what it may cost');
  const raised = await broker.setBudget({
    taskId: held.taskId,
    limits: { costUsd: 3, tokens: null },
  });
  expect(raised.state).toBe('ready');
  expect((await taken(world, 'a1')).taskId).toBe(held.taskId);
});

it("a day's limit stops hand-out with that reason until midnight, and hides no living lease", async () => {
  const world = await withTasks(2, { policy: { maxCostPerDayUsd: 2 } });
  const { broker } = world;
  const held = await taken(world, 'a1');
  await broker.heartbeat({ ...held, progress: null, usage: usage(2) });
  world.time.advance(READ_AGAIN_MS);
  await expect(world.request('a2')).rejects.toMatchObject({
    code: 'busy',
    detail: expect.stringContaining('MAX_COST_PER_DAY_USD') as string,
  });
  expect((await world.request('a1', { onUnfinished: 'resume' }))?.task.id).toBe(held.taskId);
  await broker.complete({
    ...held,
    summary: null,
    prNumber: null,
    verdict: null,
    comments: [],
  });
  const open = (await broker.tasks({ state: 'ready', limit: 10 })).tasks[0]?.task.id ?? '';
  expect((await broker.why(open, null)).summary).toContain('MAX_COST_PER_DAY_USD');
  world.time.advance(86_400_000);
  expect(await world.request('a2')).not.toBeNull();
});

it("an agent's own limit of a day leaves the others alone", async () => {
  const world = await withTasks(2, { policy: { maxCostPerAgentDayUsd: 1 } });
  const { broker } = world;
  const held = await taken(world, 'a1');
  await broker.release({ ...held, reason: null, usage: usage(1) });
  world.time.advance(READ_AGAIN_MS);
  await expect(world.request('a1')).rejects.toMatchObject({ code: 'busy' });
  expect(await world.request('a2')).not.toBeNull();
});

it('a question keeps the lease past its time; the answer comes with the heartbeat', async () => {
  const world = await withTasks(1);
  const { broker } = world;
  const held = await taken(world, 'a1');
  const { questionId } = await broker.ask({ ...held, question: 'Which port?' });
  world.time.advance(3_600_000);
  await world.runUntilIdle();
  await broker.answer({ taskId: held.taskId, questionId, answer: '8080' });
  const beat = await broker.heartbeat({ ...held, progress: null });
  expect(beat.answers).toMatchObject([{ id: questionId, question: 'Which port?', answer: '8080' }]);
  await expect(
    broker.answer({ taskId: held.taskId, questionId: 'q9', answer: 'x' }),
  ).rejects.toMatchObject({ code: 'not_found' });
});

it('the log of an attempt is read while it runs and after its end', async () => {
  const world = await withTasks(1);
  const { broker } = world;
  const held = await taken(world, 'a1');
  const { taskId } = held;
  const all = { taskId, fence: null, offset: 0, limit: 1000, followSeconds: 0 };
  expect(await broker.log(all)).toMatchObject({ fence: held.fence, text: '', ended: null });
  expect(await broker.appendLog({ ...held, offset: 0, text: 'reads 番\n' })).toBe(10);
  expect(await broker.appendLog({ ...held, offset: 0, text: 'reads 番\n' })).toBe(10);
  expect(await broker.log(all)).toMatchObject({ text: 'reads 番\n', nextOffset: 10, ended: null });
  expect(await broker.log({ ...all, limit: 8 })).toMatchObject({ text: 'reads ', nextOffset: 6 });
  await broker.release({ ...held, reason: null });
  expect(await broker.appendLog({ ...held, offset: 10, text: 'the last words\n' })).toBe(25);
  expect(await broker.log({ ...all, offset: 10, followSeconds: 60 })).toMatchObject({
    text: 'the last words\n',
    ended: 'released',
  });
  await expect(
    broker.appendLog({ ...held, token: 'wrong', offset: 25, text: 'x' }),
  ).rejects.toMatchObject({ code: 'lease_lost' });
});

/** What comes of it while time goes on. */
async function heard<T>(world: World, following: Promise<T>): Promise<T> {
  let over = false;
  const ends = () => {
    over = true;
  };
  following.then(ends, ends);
  await expect
    .poll(() => {
      world.time.advance(500);
      return over;
    })
    .toBe(true);
  return following;
}

const LOG_OF_FIRST = {
  taskId: 'repo~1~implement.1',
  fence: null,
  offset: 0,
  limit: 1000,
  followSeconds: 30,
};

it('whoever follows a log is told what comes', async () => {
  const world = await withTasks(1);
  const held = await taken(world, 'a1');
  const following = world.broker.log(LOG_OF_FIRST);
  await world.broker.appendLog({ ...held, offset: 0, text: 'now\n' });
  expect(await heard(world, following)).toMatchObject({ fence: held.fence, text: 'now\n' });
});

it('whoever follows the log of a task that nobody has taken hears of its first attempt', async () => {
  const world = await withTasks(1);
  const following = world.broker.log(LOG_OF_FIRST);
  world.time.advance(500);
  const held = await taken(world, 'a1');
  await world.broker.appendLog({ ...held, offset: 0, text: 'now\n' });
  expect(await heard(world, following)).toMatchObject({ fence: held.fence, text: 'now\n' });
});

it('an attempt that ends without a line has an empty log that ends', async () => {
  const world = await withTasks(1);
  const { broker } = world;
  const held = await taken(world, 'a1');
  const following = broker.log(LOG_OF_FIRST);
  await broker.release({ ...held, reason: null });
  const empty = { fence: held.fence, text: '', nextOffset: 0, ended: 'released' };
  expect(await heard(world, following)).toEqual(empty);
  for (const change of [{}, { followSeconds: 0 }, { fence: held.fence }]) {
    expect(await broker.log({ ...LOG_OF_FIRST, ...change })).toEqual(empty);
  }
  const never = broker.log({ ...LOG_OF_FIRST, fence: held.fence + 1 });
  await expect(never).rejects.toMatchObject({ code: 'not_found' });
});

it('a release with a delay comes back after it', async () => {
  const world = await withTasks(1);
  const held = await taken(world, 'a1');
  const given = await world.broker.release({ ...held, reason: 'quota', delaySeconds: 60 });
  expect(given).toMatchObject({ state: 'delayed', reason: 'quota', attempts: 0 });
  expect(await world.request('a1')).toBeNull();
  world.time.advance(60_001);
  await world.runUntilIdle();
  expect(await world.request('a1')).not.toBeNull();
});
