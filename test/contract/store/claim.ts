// Claim: order, exactly one winner, and every reason for not handing out.

import { describe, expect, it } from 'vitest';
import { entry, idOf, LEASE_SECONDS, sweepInput, twenty, type World } from './world.ts';

export function testClaim(world: () => World): void {
  describe('claim', () => {
    it('hands out a task with its lease, issue and ledger writes', async () => {
      const { mirror, take, store, task, history } = world();
      await mirror(entry(7, { plan: { branch: 'feature/issue-7' } }));
      const now = await store.now();
      const handOut = await take('a1', { requestId: 'r1' });
      expect(handOut.task).toMatchObject({ id: idOf(7), state: 'leased', attempts: 0 });
      expect(handOut.lease).toMatchObject({ agentId: 'a1', requestId: 'r1', leasedAt: now });
      expect(handOut.lease.expiresAt).toBe(now + LEASE_SECONDS * 1000);
      expect(handOut.lease.fence).toBeGreaterThanOrEqual(now * 1000);
      expect(handOut.issue).toMatchObject({ number: 7, wanted: ['in-progress', 'a1'] });
      expect(handOut.writes.map(({ type }) => type).sort()).toEqual(['branch', 'labels']);
      expect(handOut.writes).toEqual([
        expect.objectContaining({ taskId: idOf(7), fence: handOut.lease.fence }),
        expect.objectContaining({ taskId: idOf(7), fence: handOut.lease.fence }),
      ]);
      expect(handOut).toMatchObject({ unwritten: 2, replay: false, attempts: [] });
      expect(await task(idOf(7))).toEqual(handOut.task);
      expect((await history(idOf(7))).at(-1)).toMatchObject({ type: 'leased', attempt: 1 });
    });

    it('asks for no branch for a review', async () => {
      const { mirror, take } = world();
      await mirror(entry(7, { plans: [{ ...entry(7).plans[0], id: idOf(7, 'review') } as never] }));
      const handOut = await take('a1', { capabilities: ['review'] });
      expect(handOut.writes.map(({ type }) => type)).toEqual(['labels']);
    });

    it('orders by priority, then by matching labels, then by age', async () => {
      const { mirror, take } = world();
      await mirror(
        entry(1, { plan: { priority: 25 }, labels: ['python', 'web'] }),
        entry(2, { labels: ['python'] }),
        entry(3, { labels: ['python', 'web'] }),
        entry(4, { labels: ['web'] }),
        entry(5, { plan: { priority: 100 }, labels: ['web'] }),
      );
      const order: number[] = [];
      for (const agent of ['a', 'b', 'c', 'd', 'e']) {
        order.push((await take(agent, { capabilities: ['python', 'web'] })).task.number);
      }
      expect(order).toEqual([5, 3, 2, 4, 1]);
    });

    it('is exactly first come, first served within one millisecond', async () => {
      const { mirror, take } = world();
      const numbers = [9, 3, 12, 1, 30, 7];
      await mirror(...numbers.map((number) => entry(number)));
      const order: number[] = [];
      for (const number of numbers) order.push((await take(`a${number}`)).task.number);
      expect(order).toEqual(numbers);
    });

    it('answers none when nothing suits', async () => {
      const { mirror, claim } = world();
      await mirror(entry(1, { labels: ['rust'] }));
      expect(await claim('a1')).toEqual({ outcome: 'none' });
    });

    it('gives one task to exactly one of twenty', async () => {
      const { mirror, claim, take, task } = world();
      await mirror(entry(1));
      await take('warm-up', { capabilities: ['nothing', 'python'] }).then(
        ({ lease, task: { id } }) =>
          world().store.release({ taskId: id, token: lease.token, reason: null, ledger: [] }),
      );
      const results = await twenty((index) => claim(`a${index}`));
      const winners = results.filter(({ outcome }) => outcome === 'leased');
      expect(winners).toHaveLength(1);
      expect(results.filter(({ outcome }) => outcome === 'none')).toHaveLength(19);
      expect((await task(idOf(1))).state).toBe('leased');
    });

    it('gives twenty tasks to twenty agents, each exactly once', async () => {
      const { mirror, take } = world();
      await mirror(...Array.from({ length: 20 }, (_, index) => entry(index + 1)));
      const taken = await twenty((index) => take(`a${index}`));
      expect(new Set(taken.map(({ task }) => task.id)).size).toBe(20);
    });

    it('gives the same answer to the same request, also when twenty ask at once', async () => {
      const { mirror, take, claim, facts } = world();
      await mirror(entry(1), entry(2));
      const results = await twenty(() => claim('a1', { requestId: 'r1' }));
      const leases = results.map((result) =>
        result.outcome === 'leased' ? result.handOut.lease : null,
      );
      expect(new Set(leases.map((lease) => lease?.token)).size).toBe(1);
      expect(leases).not.toContain(null);
      const replay = await take('a1', { requestId: 'r1' });
      expect(replay.replay).toBe(true);
      expect((await facts()).filter(({ type }) => type === 'leased')).toHaveLength(1);
    });

    it('lets a replay take over the writes once their lock has ended', async () => {
      const { mirror, take, advance } = world();
      await mirror(entry(1));
      await take('a1', { requestId: 'r1' });
      expect(await take('a1', { requestId: 'r1' })).toMatchObject({ writes: [], unwritten: 2 });
      advance(5_000);
      expect((await take('a1', { requestId: 'r1' })).writes).toHaveLength(2);
    });

    it('tells an agent what it has not finished instead of giving it more', async () => {
      const { mirror, take, claim } = world();
      await mirror(entry(1), entry(2));
      const held = await take('a1', { requestId: 'r1' });
      const again = await claim('a1', { requestId: 'r2' });
      expect(again).toMatchObject({
        outcome: 'unfinished',
        handOut: { lease: held.lease, writes: [], unwritten: 2, replay: false },
      });
      expect((await claim('a1')).outcome).toBe('unfinished');
    });

    it('does not count a lease past its deadline as held, and does not give it out twice', async () => {
      const { mirror, take, claim, advance, store } = world();
      await mirror(entry(1));
      const lost = await take('a1', { requestId: 'r1' });
      advance(LEASE_SECONDS * 1000);
      expect((await claim('a1', { requestId: 'r1' })).outcome).toBe('none');
      await store.sweep(sweepInput());
      const next = await take('a2');
      expect(next.lease.fence).toBeGreaterThan(lost.lease.fence);
      expect(next.attempts).toEqual([
        expect.objectContaining({ agentId: 'a1', outcome: 'expired', fence: lost.lease.fence }),
      ]);
    });

    it('answers stale when buckets or labels have appeared since the ranking', async () => {
      const { mirror, claim, store } = world();
      await mirror(entry(1));
      const { version } = await store.registry();
      expect((await store.registry()).unlearned).toEqual(['python']);
      await store.learn(['python']);
      expect((await claim('a1', { registryVersion: version })).outcome).toBe('stale');
      const learned = await store.registry();
      expect(learned.unlearned).toEqual([]);
      await mirror(entry(2, { labels: ['python', 'web'] }));
      expect((await store.registry()).unlearned).toEqual(['web']);
      expect((await claim('a1', { registryVersion: learned.version })).outcome).toBe('stale');
      await mirror(entry(3, { labels: ['python', 'web'] }));
      const before = await store.registry();
      await mirror(entry(4, { labels: ['python', 'web'] }));
      expect(await store.registry()).toEqual(before);
    });

    it('hands out nothing during maintenance', async () => {
      const { mirror, claim, take, store } = world();
      await mirror(entry(1), entry(2));
      await take('a1', { requestId: 'r1' });
      await store.putSetting('flags:maintenance', true);
      expect((await claim('a2')).outcome).toBe('maintenance');
      await store.putSetting('flags:maintenance', false);
      expect((await claim('a2')).outcome).toBe('leased');
    });

    it('keeps its fences rising and its leases alive when the clock is set back', async () => {
      const { mirror, take, store, advance } = world();
      await mirror(entry(1));
      const first = await take('a1');
      advance(-3_600_000);
      expect(await store.now()).toBeGreaterThanOrEqual(first.lease.leasedAt);
      const { task, lease } = first;
      await store.release({ taskId: task.id, token: lease.token, reason: null, ledger: [] });
      const second = await take('a2');
      expect(second.lease.fence).toBeGreaterThan(first.lease.fence);
      expect(second.lease.leasedAt).toBeGreaterThanOrEqual(first.lease.leasedAt);
    });

    it('names the buckets that hold a ready task, and no others', async () => {
      const { mirror, store, take } = world();
      expect(await store.filled()).toEqual([]);
      await store.learn(['python', 'web']);
      await mirror(entry(1, { labels: ['python'] }), entry(2, { labels: ['web'] }));
      const { buckets } = await store.registry();
      expect(buckets).toHaveLength(2);
      expect((await store.filled()).toSorted()).toEqual(buckets);
      await take('a1', { capabilities: ['python'] });
      expect(await store.filled()).toEqual(buckets.filter((bucket) => bucket.includes('web')));
    });

    it('files tasks again when a label is learned', async () => {
      const { mirror, store, take } = world();
      await store.learn(['python']);
      await mirror(entry(1, { labels: ['python'] }), entry(2, { labels: ['python', 'web'] }));
      await store.learn(['web', 'web', 'unseen']);
      await store.learn(['web']);
      expect((await take('a1', { capabilities: ['python', 'web'] })).task.number).toBe(2);
      const { buckets } = await store.registry();
      const ready = (await store.peek(buckets, 5)).filter((peek) => peek.ready > 0);
      expect(ready).toEqual([expect.objectContaining({ ready: 1, scores: [expect.any(Number)] })]);
    });
  });
}
