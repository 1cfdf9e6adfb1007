// Heartbeat, complete, fail, release and refuse: what the holder may do, and nobody else.

import { describe, expect, it } from 'vitest';
import type { Ended, HandOut } from '../../../src/core/store.ts';
import { entry, idOf, LEASE_SECONDS, sweepInput, twenty, type World } from './world.ts';

export function testLeaseVerbs(world: () => World): void {
  const leased = async (): Promise<HandOut> => {
    await world().mirror(entry(1));
    return world().take('a1');
  };

  type Verb = (handOut: HandOut, token: string, taskId: string) => Promise<Ended>;
  const verbs: Record<'complete' | 'fail' | 'release', Verb> = {
    complete: (handOut, token, taskId) => world().complete(handOut, { token, taskId }),
    fail: (handOut, token, taskId) => world().fail(handOut, { token, taskId }),
    release: (_, token, taskId) =>
      world().store.release({ taskId, token, reason: 'no time', ledger: [] }),
  };
  const after = {
    complete: { state: 'done', attempts: 0, reason: null, lease: null },
    fail: { state: 'delayed', attempts: 1, reason: 'retry', lease: null },
    release: { state: 'ready', attempts: 0, reason: null, lease: null },
  };
  const names = ['complete', 'fail', 'release'] as const;

  describe.each(names)('%s', (name) => {
    const verb = verbs[name];

    it('ends the lease', async () => {
      const { task } = world();
      const handOut = await leased();
      const answer = await verb(handOut, handOut.lease.token, idOf(1));
      expect(answer).toMatchObject({ outcome: 'ok', task: after[name] });
      expect(await task(idOf(1))).toMatchObject(after[name]);
    });

    it('does not know a task that is not there', async () => {
      const handOut = await leased();
      expect(await verb(handOut, handOut.lease.token, idOf(99))).toEqual({ outcome: 'not_found' });
      expect(await verb(handOut, handOut.lease.token, '../x')).toEqual({ outcome: 'not_found' });
    });

    it('refuses a token that never was, and changes nothing', async () => {
      const { task, store } = world();
      const handOut = await leased();
      const seq = await store.lastSeq();
      expect(await verb(handOut, 'forged', idOf(1))).toEqual({ outcome: 'lease_lost' });
      expect(await task(idOf(1))).toEqual(handOut.task);
      expect(await store.lastSeq()).toBe(seq);
    });

    it('refuses the token of an earlier lease', async () => {
      const { store, take, task } = world();
      const earlier = await leased();
      await store.unlock({ taskId: idOf(1), ledger: [] });
      const later = await take('a2');
      expect(await verb(earlier, earlier.lease.token, idOf(1))).toEqual({ outcome: 'lease_lost' });
      expect(await task(idOf(1))).toEqual(later.task);
    });

    it('refuses a lease past its deadline, swept or not', async () => {
      const { store, advance } = world();
      const handOut = await leased();
      advance(LEASE_SECONDS * 1000);
      expect(await verb(handOut, handOut.lease.token, idOf(1))).toEqual({ outcome: 'lease_lost' });
      await store.sweep(sweepInput());
      expect(await verb(handOut, handOut.lease.token, idOf(1))).toEqual({ outcome: 'lease_lost' });
    });

    it('accepts the lease in its last millisecond', async () => {
      const { advance } = world();
      const handOut = await leased();
      advance(LEASE_SECONDS * 1000 - 1);
      expect((await verb(handOut, handOut.lease.token, idOf(1))).outcome).toBe('ok');
    });

    it('gives the same answer when the caller never heard, and records nothing more', async () => {
      const { store, advance } = world();
      const handOut = await leased();
      const first = await verb(handOut, handOut.lease.token, idOf(1));
      const seq = await store.lastSeq();
      advance(LEASE_SECONDS * 2000);
      expect(await verb(handOut, handOut.lease.token, idOf(1))).toEqual(first);
      expect(await store.lastSeq()).toBe(seq);
    });

    it('is lost to a token that ended in another way', async () => {
      const handOut = await leased();
      const other = names[(names.indexOf(name) + 1) % names.length] ?? 'complete';
      await verbs[other](handOut, handOut.lease.token, idOf(1));
      expect(await verb(handOut, handOut.lease.token, idOf(1))).toEqual({ outcome: 'lease_lost' });
    });

    it('happens once when twenty say it at once', async () => {
      const { history } = world();
      const handOut = await leased();
      const answers = await twenty(() => verb(handOut, handOut.lease.token, idOf(1)));
      expect(answers.every(({ outcome }) => outcome === 'ok')).toBe(true);
      const endings = (await history(idOf(1))).filter(({ type }) =>
        ['completed', 'failed', 'released'].includes(type),
      );
      expect(endings).toHaveLength(1);
    });
  });

  it('lets exactly one of complete, fail and release win a race of twenty', async () => {
    const { task, history } = world();
    const handOut = await leased();
    const answers = await twenty(async (index) => {
      const name = names[index % names.length] ?? 'complete';
      return { name, ...(await verbs[name](handOut, handOut.lease.token, idOf(1))) };
    });
    const winners = new Set(answers.filter((a) => a.outcome === 'ok').map((a) => a.name));
    expect(winners.size).toBe(1);
    const [winner = 'complete'] = winners;
    expect(await task(idOf(1))).toMatchObject(after[winner]);
    expect(await history(idOf(1))).toHaveLength(3);
  });

  describe('heartbeat', () => {
    const beat = (token: string, progress: string | null = null, taskId = idOf(1)) =>
      world().store.heartbeat({ taskId, token, progress });

    it('renews the lease from now and keeps the last five notes', async () => {
      const { advance, store, task } = world();
      const { lease } = await leased();
      for (const note of ['1', '2', '2', '3', '4', '5', '6']) {
        advance(60_000);
        const now = await store.now();
        expect(await beat(lease.token, note)).toMatchObject({
          outcome: 'ok',
          expiresAt: now + LEASE_SECONDS * 1000,
        });
      }
      expect((await store.task(idOf(1)))?.attempts[0]?.progress).toEqual(['2', '3', '4', '5', '6']);
      expect((await task(idOf(1))).lease?.expiresAt).toBe((await store.now()) + 600_000);
    });

    it('is lost for a wrong token, an ended lease and a deadline that has passed', async () => {
      const { advance, complete, take, mirror, store } = world();
      const handOut = await leased();
      expect(await beat('forged')).toEqual({ outcome: 'lease_lost' });
      expect(await beat(handOut.lease.token, null, idOf(99))).toEqual({ outcome: 'not_found' });
      await complete(handOut);
      expect(await beat(handOut.lease.token)).toEqual({ outcome: 'lease_lost' });
      await mirror(entry(2));
      const { lease } = await take('a2');
      advance(LEASE_SECONDS * 1000);
      const seq = await store.lastSeq();
      expect(await beat(lease.token, 'late', idOf(2))).toEqual({ outcome: 'lease_lost' });
      expect(await store.lastSeq()).toBe(seq);
    });

    it('survives twenty at once', async () => {
      const { lease } = await leased();
      const answers = await twenty(() => beat(lease.token, 'same'));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    });

    it('hears of a task that was cancelled under it', async () => {
      const { store } = world();
      const { lease } = await leased();
      await store.cancel({ taskId: idOf(1), reason: 'closed', ledger: [] });
      expect(await beat(lease.token)).toEqual({ outcome: 'lease_lost' });
    });
  });

  describe('complete', () => {
    it('records the result, the pull request, and the labels wanted', async () => {
      const { complete, store } = world();
      const handOut = await leased();
      await complete(handOut, { prNumber: 12, summary: 'all green' });
      const detail = await store.task(idOf(1));
      expect(detail?.task).toMatchObject({
        prNumber: 12,
        result: { agentId: 'a1', summary: 'all green', verdict: null },
        endedAt: await store.now(),
      });
      expect(detail?.issue.wanted).toEqual(['needs-review']);
      expect(detail?.attempts).toEqual([
        expect.objectContaining({ outcome: 'completed', note: 'all green' }),
      ]);
    });
  });

  describe('fail', () => {
    it('backs off by the delay of its attempt, rejoins at the end and is dead after the last', async () => {
      const { fail, take, store, advance, mirror, task, history } = world();
      await fail(await leased());
      expect((await task(idOf(1))).readyAt).toBe((await store.now()) + 30_000);
      await mirror(entry(2));
      advance(30_000);
      await store.sweep(sweepInput());
      const other = await take('b1');
      expect(other.task.number).toBe(2);
      const second = await take('a1');
      expect(second.task.attempts).toBe(1);
      await fail(second, { delayMs: 5 });
      expect(await task(idOf(1))).toMatchObject({ readyAt: (await store.now()) + 5, attempts: 2 });
      advance(5);
      await store.sweep(sweepInput());
      const answer = await fail(await take('a1'), { reason: 'for good' });
      expect(answer).toMatchObject({
        task: { state: 'dead', reason: 'for good', attempts: 3, readyAt: null },
      });
      expect((await history(idOf(1))).slice(-2)).toMatchObject([
        { type: 'failed', state: 'dead', attempt: 3, readyAt: null },
        { type: 'dead', reason: 'for good' },
      ]);
      expect((await store.task(idOf(1)))?.issue.wanted).toEqual(['needs-human']);
      advance(5_000);
      expect(await store.takeWrites(20, 1_000)).toContainEqual(
        expect.objectContaining({ type: 'comment', event: 'dead', taskId: idOf(1) }),
      );
    });

    it('is dead at once when it cannot be retried, whatever delay it names', async () => {
      const { fail } = world();
      const answer = await fail(await leased(), { retryable: false, delayMs: 1_000 });
      expect(answer).toMatchObject({ outcome: 'ok', task: { state: 'dead', attempts: 1 } });
    });
  });

  describe('release', () => {
    it('gives the task its old place back', async () => {
      const { mirror, take, store } = world();
      await mirror(entry(1), entry(2));
      const { task, lease } = await take('a1');
      await store.release({ taskId: task.id, token: lease.token, reason: null, ledger: [] });
      const again = await take('a2');
      expect(again.task).toMatchObject({ number: 1, enqueuedAt: task.enqueuedAt });
      expect(again.attempts).toMatchObject([{ agentId: 'a1', outcome: 'released' }]);
    });
  });

  describe('refuse', () => {
    const refuse = (handOut: HandOut, fence = handOut.lease.fence) =>
      world().store.refuse({
        taskId: handOut.task.id,
        fence,
        reason: 'forbidden',
        holdMs: 60_000,
        ledger: [],
      });

    it('undoes the lease and holds the task without counting an attempt', async () => {
      const { store } = world();
      const handOut = await leased();
      const answer = await refuse(handOut);
      expect(answer).toMatchObject({
        outcome: 'ok',
        task: { state: 'held', reason: 'refused:forbidden', attempts: 0, lease: null },
      });
      const seq = await store.lastSeq();
      expect(await refuse(handOut)).toEqual(answer);
      expect(await store.lastSeq()).toBe(seq);
    });

    it('is lifted by mirroring only after its time', async () => {
      const { mirror, task, advance, store } = world();
      await refuse(await leased());
      advance(59_999);
      await mirror(entry(1));
      expect((await task(idOf(1))).state).toBe('held');
      await store.sweep(sweepInput());
      expect((await task(idOf(1))).state).toBe('held');
      advance(1);
      await mirror(entry(1));
      expect((await task(idOf(1))).state).toBe('ready');
    });

    it('leaves a later lease alone', async () => {
      const { store, take, complete, task } = world();
      const earlier = await leased();
      await store.unlock({ taskId: idOf(1), ledger: [] });
      const later = await take('a2');
      expect(await refuse(earlier)).toEqual({ outcome: 'lease_lost' });
      expect(await task(idOf(1))).toEqual(later.task);
      await complete(later);
      expect(await refuse(later)).toEqual({ outcome: 'lease_lost' });
    });

    it('happens once when twenty say it at once', async () => {
      const { history } = world();
      const handOut = await leased();
      await twenty(() => refuse(handOut));
      expect((await history(idOf(1))).filter(({ type }) => type === 'refused')).toHaveLength(1);
    });
  });
}
