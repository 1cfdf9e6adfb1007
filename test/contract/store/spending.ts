// Usage, budgets, questions, delays of a release, logs and the pull request that is to be opened.

import { describe, expect, it } from 'vitest';
import type { Usage } from '../../../src/core/usage.ts';
import { entry, followUp, idOf, LEASE_SECONDS, plan, sweepInput, type World } from './world.ts';

const usage = (over: Partial<Usage> = {}): Usage => ({
  model: 'm1',
  inputTokens: null,
  outputTokens: null,
  cachedTokens: null,
  costUsd: null,
  turns: null,
  sessionId: null,
  ...over,
});

export function testSpending(getWorld: () => World): void {
  const at = (handOut: { task: { id: string }; lease: { token: string } }) => ({
    taskId: handOut.task.id,
    token: handOut.lease.token,
  });

  describe('usage', () => {
    it('is kept with the attempt, summed by task, and counted once however often it is said', async () => {
      const { store, mirror, take, fail, task } = getWorld();
      await mirror(entry(1));
      const first = await take('a1');
      const beat = { ...at(first), progress: null };
      await store.heartbeat({ ...beat, usage: usage({ costUsd: 0.5, inputTokens: 100 }) });
      await store.heartbeat({ ...beat, usage: usage({ costUsd: 0.5, inputTokens: 100 }) });
      await store.heartbeat({ ...beat, usage: usage({ costUsd: 0.2 }) });
      await fail(first, { delayMs: 0, usage: usage({ costUsd: 0.75, turns: 2 }) });
      const second = await take('a2');
      await store.heartbeat({ ...at(second), progress: null, usage: usage({ costUsd: 1 }) });
      expect((await task(idOf(1))).used).toEqual({
        inputTokens: 100,
        outputTokens: 0,
        cachedTokens: 0,
        costMicroUsd: 1_750_000,
        turns: 2,
      });
      const detail = await store.task(idOf(1));
      expect(detail?.attempts.map((attempt) => attempt.usage?.costUsd)).toEqual([0.75, 1]);
      const [today] = await store.stats('daily', 1);
      expect(today?.counters).toMatchObject({
        cost_micro_usd: 1_750_000,
        input_tokens: 100,
        'agent:a1:cost_micro_usd': 750_000,
        'agent:a2:cost_micro_usd': 1_000_000,
        'model:m1:cost_micro_usd': 1_750_000,
      });
    });

    it('comes with completion and release too', async () => {
      const { mirror, take, release, complete, task } = getWorld();
      await mirror(entry(1));
      await release(await take('a1'), { usage: usage({ costUsd: 1 }) });
      await complete(await take('a1'), { usage: usage({ costUsd: 2 }) });
      expect((await task(idOf(1))).used?.costMicroUsd).toBe(3_000_000);
    });
  });

  describe('a budget', () => {
    const limits = { costUsd: 1, tokens: null };

    it('that is used up stops the work, and the task waits for an operator whatever its issue says', async () => {
      const { store, mirror, take, release, claim, task } = getWorld();
      await mirror(entry(1));
      const held = await take('a1');
      const beat = { ...at(held), progress: null, limits };
      expect(await store.heartbeat({ ...beat, usage: usage({ costUsd: 0.9 }) })).toMatchObject({
        stop: null,
      });
      expect(await store.heartbeat({ ...beat, usage: usage({ costUsd: 1.1 }) })).toMatchObject({
        outcome: 'ok',
        stop: expect.stringMatching(/\$1\.10 of the \$1\.00/),
      });
      await release(held, { limits, reason: 'stopped' });
      expect(await task(idOf(1))).toMatchObject({ state: 'held', reason: 'budget', attempts: 0 });
      await mirror(entry(1, { issue: { updatedAt: 5 } }));
      expect((await task(idOf(1))).state).toBe('held');
      expect((await claim('a2')).outcome).toBe('none');
      const writes = await store.takeWrites(10, 1000);
      expect(writes.map(({ type, event }) => [type, event])).toContainEqual(['comment', 'budget']);
    });

    it('that an operator raises far enough lets it be offered again', async () => {
      const { store, mirror, take, fail, task } = getWorld();
      await mirror(entry(1));
      await fail(await take('a1'), { limits, delayMs: 0, usage: usage({ costUsd: 3 }) });
      expect(await task(idOf(1))).toMatchObject({ state: 'held', reason: 'budget', attempts: 1 });
      const raise = (costUsd: number) =>
        store.setBudget({ taskId: idOf(1), limits: { costUsd, tokens: null }, general: limits });
      expect(await raise(2)).toMatchObject({ outcome: 'ok', task: { state: 'held' } });
      expect(await raise(5)).toMatchObject({ outcome: 'ok', task: { state: 'ready' } });
      expect(await raise(5)).toMatchObject({ outcome: 'ok', task: { state: 'ready' } });
      const again = await take('a1');
      const beat = { ...at(again), progress: null, limits };
      expect(await store.heartbeat(beat)).toMatchObject({ stop: null });
      expect(
        await store.setBudget({ taskId: idOf(9), limits: NO_LIMITS, general: NO_LIMITS }),
      ).toEqual({ outcome: 'not_found' });
    });

    it('holds a lease that expires, and lets a completion stand', async () => {
      const { store, mirror, take, complete, advance, task } = getWorld();
      await mirror(entry(1), entry(2));
      const first = await take('a1');
      await store.heartbeat({ ...at(first), progress: null, usage: usage({ costUsd: 2 }) });
      advance(LEASE_SECONDS * 1000 + 1);
      await store.sweep(sweepInput({ limits }));
      expect(await task(first.task.id)).toMatchObject({ state: 'held', reason: 'budget' });
      const second = await take('a2');
      await complete(second, { limits, usage: usage({ costUsd: 2 }) });
      expect((await task(second.task.id)).state).toBe('done');
    });
  });

  describe('two failures that leave the same files', () => {
    const TREE = 'c'.repeat(40);

    it('hold the task for a person until an operator requeues it, whatever its issue says', async () => {
      const { store, mirror, take, fail, claim, task } = getWorld();
      await mirror(entry(1));
      await fail(await take('a1'), { delayMs: 0, tree: TREE });
      const second = await take('a2');
      const ended = await fail(second, { delayMs: 0, tree: TREE });
      expect(ended).toMatchObject({ task: { state: 'held', reason: 'no_progress', attempts: 2 } });
      expect(await fail(second, { delayMs: 0, tree: TREE })).toEqual(ended);
      await mirror(entry(1, { issue: { updatedAt: 5 } }));
      expect(await task(idOf(1))).toMatchObject({ state: 'held', reason: 'no_progress' });
      expect((await claim('a3')).outcome).toBe('none');
      const again = await store.requeue({ taskId: idOf(1), delayMs: 0, ledger: [] });
      expect(again).toMatchObject({ outcome: 'ok', task: { state: 'ready', attempts: 0 } });
      await mirror(entry(1, { issue: { updatedAt: 6 } }));
      await fail(await take('a3'), { delayMs: 0, tree: TREE });
      expect((await task(idOf(1))).state).toBe('ready');
    });
  });

  describe('a release with a delay', () => {
    it('offers the task from then on, counts no attempt, and no plan changes the instant', async () => {
      const { store, mirror, take, release, claim, advance, task } = getWorld();
      await mirror(entry(1));
      const held = await take('a1');
      const ended = await release(held, { delayMs: 60_000, reason: 'quota until noon' });
      expect(ended).toMatchObject({ task: { state: 'delayed', reason: 'quota', attempts: 0 } });
      expect(await release(held, { delayMs: 60_000, reason: 'quota until noon' })).toEqual(ended);
      const { readyAt } = await task(idOf(1));
      await mirror(entry(1, { issue: { updatedAt: 5 } }));
      expect((await task(idOf(1))).readyAt).toBe(readyAt);
      advance(59_000);
      await store.sweep(sweepInput());
      expect((await claim('a2')).outcome).toBe('none');
      advance(1001);
      await store.sweep(sweepInput());
      expect((await take('a2')).task.attempts).toBe(0);
    });
  });

  describe('a question', () => {
    const DAY_MS = 86_400_000;

    it('pauses the lease until it is answered; the heartbeat brings the answer', async () => {
      const { store, mirror, take, advance, task } = getWorld();
      await mirror(entry(1));
      const held = await take('a1');
      const ask = { ...at(held), question: 'Which port?', askMs: DAY_MS };
      expect(await store.ask(ask)).toEqual({ outcome: 'ok', questionId: 'q1' });
      expect(await store.ask(ask)).toEqual({ outcome: 'ok', questionId: 'q1' });
      advance(DAY_MS / 2);
      await store.sweep(sweepInput());
      const beat = { ...at(held), progress: null };
      expect(await store.heartbeat(beat)).toMatchObject({ outcome: 'ok', answers: [] });
      const answer = { taskId: idOf(1), questionId: 'q1', answer: '8080' };
      expect(await store.answer(answer)).toMatchObject({ outcome: 'ok' });
      expect(await store.answer(answer)).toMatchObject({ outcome: 'ok' });
      expect(await store.answer({ ...answer, answer: '80' })).toMatchObject({
        outcome: 'conflict',
      });
      expect(await store.heartbeat(beat)).toMatchObject({
        outcome: 'ok',
        answers: [{ id: 'q1', question: 'Which port?', answer: '8080' }],
      });
      advance(LEASE_SECONDS * 1000 + 1);
      await store.sweep(sweepInput());
      expect(await task(idOf(1))).toMatchObject({
        state: 'ready',
        questions: [{ id: 'q1', answer: '8080' }],
      });
    });

    it('that was answered goes along with the tasks that follow, made by a step or by a plan', async () => {
      const { store, mirror, take, complete, task } = getWorld();
      await mirror(entry(1));
      const held = await take('a1');
      await store.ask({ ...at(held), question: 'Which port?', askMs: DAY_MS });
      await store.answer({ taskId: idOf(1), questionId: 'q1', answer: '8080' });
      await store.ask({ ...at(held), question: 'And the host?', askMs: DAY_MS });
      await complete(held, { followUp: followUp(idOf(1, 'review')) });
      const answered = [{ id: 'q1', question: 'Which port?', answer: '8080' }];
      expect((await task(idOf(1, 'review'))).questions).toMatchObject(answered);
      const plans = [plan(idOf(1)), plan(idOf(1, 'fix'))];
      await mirror(entry(1, { issue: { updatedAt: 5 }, plans }));
      expect((await task(idOf(1, 'fix'))).questions).toMatchObject(answered);
    });

    it('that nobody answers in time loses the lease, and its comment is due at once', async () => {
      const { store, mirror, take, advance, task } = getWorld();
      await mirror(entry(1));
      const held = await take('a1');
      await store.ask({ ...at(held), question: 'May I?', askMs: DAY_MS });
      const writes = await store.takeWrites(10, 1000);
      expect(writes.map(({ type, event }) => [type, event])).toContainEqual([
        'comment',
        'asked-q1',
      ]);
      advance(DAY_MS + 1);
      await store.sweep(sweepInput());
      expect((await task(idOf(1))).state).toBe('ready');
      const late = { ...at(held), question: 'Still there?', askMs: DAY_MS };
      expect(await store.ask(late)).toEqual({ outcome: 'lease_lost' });
    });

    it('is refused to strangers, and an answer needs a question', async () => {
      const { store, mirror, take } = getWorld();
      await mirror(entry(1));
      const held = await take('a1');
      const ask = { ...at(held), question: 'Which port?', askMs: DAY_MS };
      expect(await store.ask({ ...ask, token: 'wrong' })).toEqual({ outcome: 'lease_lost' });
      expect(await store.ask({ ...ask, agentId: 'a2' })).toEqual({ outcome: 'forbidden' });
      expect(await store.ask({ ...ask, taskId: idOf(9) })).toEqual({ outcome: 'not_found' });
      const answer = { taskId: idOf(1), questionId: 'q7', answer: 'x' };
      expect(await store.answer(answer)).toEqual({ outcome: 'no_question' });
      expect(await store.answer({ ...answer, taskId: idOf(9) })).toEqual({ outcome: 'not_found' });
    });
  });

  describe('the writer of a log', () => {
    it('belongs to the attempt of the token, also after its end', async () => {
      const { store, mirror, take, release } = getWorld();
      await mirror(entry(1));
      const held = await take('a1');
      const { fence } = held.lease;
      expect(await store.whose(at(held))).toEqual({ outcome: 'ok', fence });
      await release(held);
      expect(await store.whose(at(held))).toEqual({ outcome: 'ok', fence });
      expect(await store.whose({ ...at(held), agentId: 'a2' })).toEqual({ outcome: 'forbidden' });
      expect(await store.whose({ ...at(held), token: 'no' })).toEqual({ outcome: 'lease_lost' });
    });
  });

  describe('a pull request that is to be opened', () => {
    const pullRequest = { title: 'Fix it', body: 'For #1.' };

    it('is a write of its own; once opened, the task and its review name it', async () => {
      const { store, mirror, take, complete, task } = getWorld();
      await mirror(entry(1));
      const followUpId = idOf(1, 'review');
      const review = followUp(followUpId, { state: 'held', reason: 'no_pull_request' });
      await complete(await take('a1'), { pullRequest, followUp: review });
      expect((await task(idOf(1))).result?.pullRequest).toEqual(pullRequest);
      const writes = await store.takeWrites(10, 1000);
      const pull = writes.find(({ type }) => type === 'pull');
      expect(pull).toMatchObject({ taskId: idOf(1), branch: 'feature/issue' });
      await store.linkPull({ taskId: idOf(1), followUpId, prNumber: 12 });
      await store.linkPull({ taskId: idOf(1), followUpId, prNumber: 12 });
      await store.settleWrite(pull ?? expect.fail(), { outcome: 'written', labels: null });
      expect((await task(idOf(1))).prNumber).toBe(12);
      expect((await task(followUpId)).prNumber).toBe(12);
    });

    it('is not asked for where one is known', async () => {
      const { store, mirror, take, complete } = getWorld();
      await mirror(entry(1));
      await complete(await take('a1'), { pullRequest, prNumber: 3 });
      const writes = await store.takeWrites(10, 1000);
      expect(writes.filter(({ type }) => type === 'pull')).toEqual([]);
    });
  });

  describe('ledger writes that failed', () => {
    it('are due now when somebody asks for it', async () => {
      const { store, mirror, take } = getWorld();
      await mirror(entry(1));
      await take('a1', { writeLockMs: 0 });
      const taken = await store.takeWrites(10, 1000);
      for (const write of taken) {
        await store.settleWrite(write, { outcome: 'retry', delayMs: 600_000, error: 'away' });
      }
      expect(await store.takeWrites(10, 1000)).toEqual([]);
      expect(await store.retryWrites(100)).toBe(taken.length);
      expect(await store.retryWrites(100)).toBe(0);
      expect(await store.takeWrites(10, 1000)).toHaveLength(taken.length);
    });
  });
}

/** Apart: these need no decisions. */
export function testLogs(getWorld: () => World): void {
  describe('a log', () => {
    const bytes = (text: string) => Buffer.from(text, 'utf8');

    it('is there once, however often a piece is written, and is read from any place', async () => {
      const { store } = getWorld();
      const { logs } = store;
      expect(await logs.read(idOf(1), 5, 0, 100)).toBeNull();
      expect(await logs.append(idOf(1), 5, 0, bytes('one\n'))).toBe(4);
      expect(await logs.append(idOf(1), 5, 4, bytes('two 番\n'))).toBe(12);
      expect(await logs.append(idOf(1), 5, 4, bytes('two 番\n'))).toBe(12);
      expect(await logs.append(idOf(1), 5, 4, bytes('two 番\nthree\n'))).toBe(18);
      await logs.append(idOf(1), 8, 0, bytes('another attempt\n'));
      const all = await logs.read(idOf(1), 5, 0, 100);
      expect(Buffer.from(all?.bytes ?? []).toString()).toBe('one\ntwo 番\nthree\n');
      const part = await logs.read(idOf(1), 5, 4, 4);
      expect(Buffer.from(part?.bytes ?? []).toString()).toBe('two ');
      expect(await logs.read(idOf(1), 5, 99, 4)).toMatchObject({ size: 18 });
      expect(await logs.fences(idOf(1))).toEqual([5, 8]);
      expect(await logs.fences(idOf(2))).toEqual([]);
    });

    it('loses its beginning past two megabytes, never its end', async () => {
      const { store } = getWorld();
      const { logs } = store;
      const piece = bytes('x'.repeat(99_999) + '\n');
      for (let n = 0; n < 30; n += 1) await logs.append(idOf(1), 5, n * 100_000, piece);
      const page = await logs.read(idOf(1), 5, 0, 10);
      expect(page?.size).toBe(3_000_000);
      expect(page?.offset).toBeGreaterThan(500_000);
      expect(page?.offset).toBeLessThan(1_100_000);
      expect(await logs.read(idOf(1), 5, 2_999_999, 10)).toMatchObject({ offset: 2_999_999 });
    });
  });
}

const NO_LIMITS = { costUsd: null, tokens: null };
