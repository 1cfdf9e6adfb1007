// What operators do: requeue, prioritize, unlock and cancel; and what is written down of their hand on issues.

import { describe, expect, it } from 'vitest';
import type { IssueFactType } from '../../../src/core/facts.ts';
import { entry, idOf, LEASE_SECONDS, REPOSITORY, sweepInput, twenty, type World } from './world.ts';

export function testOperators(world: () => World): void {
  const id = idOf(1);
  const requeue = (delayMs = 0) => world().store.requeue({ taskId: id, delayMs, ledger: [] });
  const unlock = () => world().store.unlock({ taskId: id, ledger: [] });
  const cancel = (reason = 'not wanted') =>
    world().store.cancel({ taskId: id, reason, ledger: [] });
  const prioritize = (priority: number) => world().store.prioritize({ taskId: id, priority });

  it.each(['requeue', 'unlock', 'cancel', 'prioritize'] as const)(
    '%s does not know a task that is not there',
    async (verb) => {
      const call = { requeue, unlock, cancel, prioritize: () => prioritize(100) }[verb];
      expect(await call()).toEqual({ outcome: 'not_found' });
    },
  );

  describe('requeue', () => {
    it('gives a dead task a new beginning', async () => {
      const { mirror, take, fail, store } = world();
      await mirror(entry(1));
      await fail(await take('a1'), { retryable: false });
      expect(await requeue()).toMatchObject({
        outcome: 'ok',
        task: { state: 'ready', attempts: 0, reason: null, endedAt: null, readyAt: null },
      });
      const seq = await store.lastSeq();
      expect((await requeue()).outcome).toBe('ok');
      expect(await store.lastSeq()).toBe(seq);
      const next = await take('a2');
      expect(next.attempts).toMatchObject([{ outcome: 'failed' }]);
      expect((await store.task(id))?.issue.wanted).toEqual(['in-progress', 'a2']);
    });

    it('can wait, rejoins at the end, and outlasts the next plan', async () => {
      const { mirror, take, task, advance, store } = world();
      await mirror(entry(1), entry(2));
      expect(await requeue(5_000)).toMatchObject({
        task: { state: 'delayed', reason: 'requeued' },
      });
      await mirror(entry(1));
      expect((await task(id)).state).toBe('delayed');
      advance(5_000);
      await store.sweep(sweepInput());
      expect((await take('a1')).task.number).toBe(2);
      expect((await take('a2')).task.number).toBe(1);
    });

    it('takes a review out of its delay for good', async () => {
      const { mirror, task } = world();
      const want = { state: 'delayed', delayMs: 60_000, reason: 'review_delay' } as const;
      await mirror(entry(1, { plan: { want } }));
      expect(await requeue()).toMatchObject({ task: { state: 'ready' } });
      await mirror(entry(1, { plan: { want } }));
      expect((await task(id)).state).toBe('ready');
    });

    it('takes back a cancelled task only while its issue is open', async () => {
      const { mirror } = world();
      await mirror(entry(1));
      await cancel();
      expect(await requeue()).toMatchObject({ outcome: 'ok', task: { state: 'ready' } });
      await mirror(
        entry(1, {
          issue: { state: 'closed' },
          plan: { want: { state: 'cancelled', reason: 'issue_closed' } },
        }),
      );
      expect(await requeue()).toMatchObject({ outcome: 'conflict', task: { state: 'cancelled' } });
    });

    it('lifts a refusal, but no other hold', async () => {
      const { mirror, take, store } = world();
      await mirror(entry(1));
      const { lease } = await take('a1');
      const { fence } = lease;
      await store.refuse({ taskId: id, fence, reason: 'gone', holdMs: 60_000, ledger: [] });
      expect(await requeue()).toMatchObject({ outcome: 'ok', task: { state: 'ready' } });
      await mirror(
        entry(1, { plan: { want: { state: 'held', reason: 'blocked', graceMs: null } } }),
      );
      expect(await requeue()).toMatchObject({ outcome: 'conflict', task: { state: 'held' } });
    });

    it('does not touch what is leased or done', async () => {
      const { mirror, take, complete, store } = world();
      await mirror(entry(1));
      const handOut = await take('a1');
      const seq = await store.lastSeq();
      expect(await requeue()).toMatchObject({ outcome: 'conflict', task: handOut.task });
      expect(await store.lastSeq()).toBe(seq);
      await complete(handOut);
      expect((await requeue()).outcome).toBe('conflict');
    });

    it('happens once when twenty ask at once', async () => {
      const { mirror, take, fail, history } = world();
      await mirror(entry(1));
      await fail(await take('a1'), { retryable: false });
      await twenty(() => requeue());
      expect((await history(id)).filter(({ type }) => type === 'requeued')).toHaveLength(1);
    });
  });

  describe('prioritize', () => {
    it('moves a ready task in line at once, and its age stays', async () => {
      const { mirror, take } = world();
      await mirror(entry(2), entry(1), entry(3, { plan: { priority: 100 } }));
      await prioritize(100);
      expect((await take('a1')).task.number).toBe(1);
      expect((await take('a2')).task.number).toBe(3);
    });

    it('records a change once, however often it is said', async () => {
      const { mirror, history } = world();
      await mirror(entry(1));
      await twenty(() => prioritize(25));
      expect((await history(id)).filter(({ type }) => type === 'prioritized')).toHaveLength(1);
    });

    it('works on a lease without disturbing it, and not on what has ended', async () => {
      const { mirror, take, complete } = world();
      await mirror(entry(1));
      const handOut = await take('a1');
      expect(await prioritize(100)).toMatchObject({
        outcome: 'ok',
        task: { state: 'leased', priority: 100, lease: handOut.lease },
      });
      await complete(handOut);
      expect(await prioritize(25)).toMatchObject({ outcome: 'conflict', task: { priority: 100 } });
    });
  });

  describe('unlock', () => {
    it('takes the lease away without counting an attempt', async () => {
      const { mirror, take, store, complete, history } = world();
      await mirror(entry(1), entry(2));
      const handOut = await take('a1');
      const answer = await unlock();
      expect(answer).toMatchObject({
        outcome: 'ok',
        task: { state: 'ready', attempts: 0, enqueuedAt: handOut.task.enqueuedAt, lease: null },
      });
      expect(await complete(handOut)).toEqual({ outcome: 'lease_lost' });
      expect((await history(id)).at(-1)).toMatchObject({ type: 'unlocked', agentId: 'a1' });
      expect((await store.task(id))?.issue.wanted).toEqual([]);
      expect(await unlock()).toEqual(answer);
    });

    it('happens once when twenty ask at once', async () => {
      const { mirror, take, history } = world();
      await mirror(entry(1));
      await take('a1');
      await twenty(() => unlock());
      expect((await history(id)).filter(({ type }) => type === 'unlocked')).toHaveLength(1);
    });

    it('is a conflict where there is no lease', async () => {
      const { mirror } = world();
      await mirror(entry(1));
      expect(await unlock()).toMatchObject({ outcome: 'conflict', task: { state: 'ready' } });
    });

    it('also takes a lease that lapsed before the sweep', async () => {
      const { mirror, take, advance } = world();
      await mirror(entry(1));
      await take('a1');
      advance(LEASE_SECONDS * 1000);
      expect(await unlock()).toMatchObject({ outcome: 'ok', task: { attempts: 0 } });
    });
  });

  describe('cancel', () => {
    it('ends a task and its lease', async () => {
      const { mirror, take, claim, store, advance } = world();
      await mirror(entry(1));
      const { lease } = await take('a1');
      const answer = await cancel();
      expect(answer).toMatchObject({
        outcome: 'ok',
        task: { state: 'cancelled', reason: 'not wanted', lease: null },
      });
      const seq = await store.lastSeq();
      advance(10);
      expect(await cancel()).toEqual(answer);
      expect(await store.lastSeq()).toBe(seq);
      const { taskId } = { taskId: id };
      expect(await store.heartbeat({ taskId, token: lease.token, progress: null })).toEqual({
        outcome: 'lease_lost',
      });
      expect((await claim('a2')).outcome).toBe('none');
    });

    it('is a conflict on what is done, or was cancelled for another reason', async () => {
      const { mirror, take, complete } = world();
      await mirror(entry(1));
      const handOut = await take('a1');
      await complete(handOut);
      expect(await cancel()).toMatchObject({ outcome: 'conflict', task: { state: 'done' } });
    });

    it('happens once when twenty ask at once', async () => {
      const { mirror, history } = world();
      await mirror(entry(1));
      const answers = await twenty((index) => cancel(`reason ${index}`));
      expect(answers.filter(({ outcome }) => outcome === 'ok')).toHaveLength(1);
      expect((await history(id)).filter(({ type }) => type === 'cancelled')).toHaveLength(1);
    });
  });

  describe('noteIssue', () => {
    const note = (type: IssueFactType, over: { taskId?: string | null; number?: number } = {}) =>
      world().store.noteIssue({
        repository: REPOSITORY,
        number: 1,
        taskId: id,
        by: 'hana',
        type,
        ...over,
      });

    it('says in the history of the task who did what to its issue, and changes nothing', async () => {
      const { mirror, take, claim, complete, task, history } = world();
      await mirror(entry(1));
      await note('issue_edited');
      const handOut = await take('a1');
      const before = await task(id);
      await note('issue_closed');
      expect(await task(id)).toEqual({ ...before, updatedAt: expect.any(Number) });
      expect(await complete(handOut)).toMatchObject({ outcome: 'ok' });
      await note('issue_reopened');
      const told = (await history(id)).filter(({ type }) => type.startsWith('issue_'));
      const issue = { taskId: id, repository: REPOSITORY, number: 1, by: 'hana' };
      expect(told).toMatchObject([
        { type: 'issue_edited', state: 'ready', ...issue },
        { type: 'issue_closed', state: 'leased', ...issue },
        { type: 'issue_reopened', state: 'done', ...issue },
      ]);
      expect((await claim('a2')).outcome).toBe('none');
    });

    it('is told without a task too', async () => {
      const { facts } = world();
      await note('issue_added', { taskId: null, number: 8 });
      await note('issue_added', { taskId: idOf(9), number: 9 });
      const told = (await facts()).filter(({ type }) => type === 'issue_added');
      expect(told).toMatchObject([
        { repository: REPOSITORY, number: 8, by: 'hana' },
        { repository: REPOSITORY, number: 9, by: 'hana' },
      ]);
      for (const fact of told) expect(fact).not.toHaveProperty('taskId');
    });
  });
}
