// Sweep: what time brings about.

import { describe, expect, it } from 'vitest';
import { entry, idOf, LEASE_SECONDS, plan, sweepInput, twenty, type World } from './world.ts';

const DAY_MS = 86_400_000;

const delayed = (taskId: string, delayMs: number) =>
  plan(taskId, { want: { state: 'delayed', delayMs, reason: 'wait' } });

export function testSweep(world: () => World): void {
  const id = idOf(1);

  describe('sweep', () => {
    it('expires a lease at its deadline, counts the attempt and keeps the place', async () => {
      const { mirror, take, store, advance, task, history } = world();
      await mirror(entry(1), entry(2));
      const { lease, task: leased } = await take('a1');
      advance(LEASE_SECONDS * 1000 - 1);
      expect(await store.sweep(sweepInput())).toMatchObject({
        expired: 0,
        nextDueAt: lease.expiresAt,
      });
      advance(1);
      expect(await store.sweep(sweepInput())).toMatchObject({ expired: 1, nextDueAt: null });
      expect(await task(id)).toMatchObject({
        state: 'ready',
        attempts: 1,
        lease: null,
        enqueuedAt: leased.enqueuedAt,
      });
      expect((await history(id)).at(-1)).toMatchObject({ type: 'expired', attempt: 1 });
      expect((await store.task(id))?.issue.wanted).toEqual([]);
      expect((await take('a2')).task.number).toBe(1);
    });

    it('buries a task whose attempts are used up', async () => {
      const { mirror, take, store, advance, task, history } = world();
      await mirror(entry(1));
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        await take(`a${attempt}`);
        advance(LEASE_SECONDS * 1000);
        await store.sweep(sweepInput());
      }
      expect(await task(id)).toMatchObject({ state: 'dead', reason: 'expired', attempts: 3 });
      expect((await history(id)).slice(-2)).toMatchObject([
        { type: 'expired', state: 'dead' },
        { type: 'dead', reason: 'expired' },
      ]);
      expect((await store.task(id))?.issue.wanted).toEqual(['needs-human']);
    });

    it('expires once when twenty sweep at once', async () => {
      const { mirror, take, store, advance } = world();
      await mirror(entry(1));
      await take('a1');
      advance(LEASE_SECONDS * 1000);
      const results = await twenty(() => store.sweep(sweepInput()));
      expect(results.reduce((sum, { expired }) => sum + expired, 0)).toBe(1);
    });

    it('does no more than its limit at once, and says that there is more', async () => {
      const { mirror, take, store, advance } = world();
      await mirror(entry(1), entry(2), entry(3));
      for (const agent of ['a', 'b', 'c']) await take(agent);
      advance(LEASE_SECONDS * 1000);
      const limited = sweepInput({ limit: 2 });
      expect(await store.sweep(limited)).toMatchObject({ expired: 2, more: true });
      expect(await store.sweep(limited)).toMatchObject({ expired: 1, more: false });
    });

    it('promotes in the order in which tasks fall due', async () => {
      const { mirror, take, store, advance } = world();
      await mirror(
        entry(1, { plans: [delayed(idOf(1), 3_000)] }),
        entry(2, { plans: [delayed(idOf(2), 1_000)] }),
        entry(3, { plans: [delayed(idOf(3), 2_000)] }),
      );
      const start = await store.now();
      expect((await store.sweep(sweepInput())).nextDueAt).toBe(start + 1_000);
      advance(5_000);
      expect((await store.sweep(sweepInput())).promoted).toBe(3);
      const order = [];
      for (const agent of ['a', 'b', 'c']) order.push((await take(agent)).task.number);
      expect(order).toEqual([2, 3, 1]);
    });

    it('promotes the older first of those that fall due at the same instant', async () => {
      const { mirror, take, store, advance } = world();
      await mirror(entry(3, { plans: [delayed(idOf(3), 2_000)] }));
      advance(1_000);
      await mirror(
        entry(10, { plans: [delayed(idOf(10), 1_000)] }),
        entry(2, { plans: [delayed(idOf(2), 1_000)] }),
      );
      advance(5_000);
      expect((await store.sweep(sweepInput())).promoted).toBe(3);
      const order = [];
      for (const agent of ['a', 'b', 'c']) order.push((await take(agent)).task.number);
      expect(order).toEqual([3, 2, 10]);
    });

    it('promotes in that order also where an issue has two of them', async () => {
      const { mirror, take, store, advance } = world();
      const review = (number: number) => idOf(number, 'review');
      await mirror(
        entry(1, { plans: [delayed(idOf(1), 1_000), delayed(review(1), 2_000)] }),
        entry(2, { plans: [delayed(idOf(2), 3_000), delayed(review(2), 5_000)] }),
        entry(3, { plans: [delayed(idOf(3), 4_000)] }),
      );
      advance(5_000);
      expect((await store.sweep(sweepInput())).promoted).toBe(5);
      const order = [];
      const skills = { capabilities: ['*', 'review'] };
      for (const agent of ['a', 'b', 'c', 'd', 'e'])
        order.push((await take(agent, skills)).task.id);
      expect(order).toEqual([idOf(1), review(1), idOf(2), idOf(3), review(2)]);
    });

    it('forgets facts, results and closed issues that are old, and nothing open', async () => {
      const { mirror, take, complete, store, advance, task } = world();
      await mirror(entry(1), entry(2), entry(3, { dependsOn: [2] }));
      await complete(await take('a1'));
      await complete(await take('a1'));
      const closed = { state: 'closed' } as const;
      await mirror(entry(1, { plans: [] }), entry(2, { plans: [], issue: closed }));
      await mirror(entry(4, { issue: closed, plans: [] }));
      const kept = sweepInput({ factsKeptMs: DAY_MS, resultsKeptMs: 2 * DAY_MS });
      const seq = await store.lastSeq();
      advance(DAY_MS + 1);
      await store.sweep(kept);
      expect(await store.facts(0, 10)).toEqual([]);
      expect(await store.lastSeq()).toBe(seq);
      expect((await task(idOf(1))).result).not.toBeNull();
      advance(DAY_MS);
      await store.sweep(kept);
      expect(await task(idOf(1))).toMatchObject({ state: 'done', result: null });
      const numbers = async () =>
        (await store.issuesNumbered('octo/park', [1, 2, 3, 4])).map(({ issue }) => issue.number);
      expect(await numbers()).toEqual([1, 2, 3]);
      await store.putSetting('config:after', 1);
      expect(await store.lastSeq()).toBe(seq + 1);
    });

    it('keeps a closed issue while an open one waits for it, or a task of it is dead', async () => {
      const { mirror, take, fail, store, advance, task } = world();
      const closed = { state: 'closed' } as const;
      const nothing = { issue: closed, plans: [] };
      await mirror(entry(1, { labels: ['css'], dependsOn: [2] }), entry(2, nothing), entry(3));
      await fail(await take('a1'), { retryable: false });
      await mirror(entry(3, nothing));
      // Issues with something to be written to them are kept for that reason alone.
      const writeAll = async () => {
        for (const write of await store.takeWrites(100, 1000)) {
          await store.settleWrite(write, { outcome: 'written', labels: null });
        }
      };
      advance(DAY_MS);
      await writeAll();
      expect((await task(idOf(3))).state).toBe('dead');
      const sweep = async () => {
        advance(DAY_MS + 1);
        await store.sweep(sweepInput({ resultsKeptMs: DAY_MS }));
        const found = await store.issuesNumbered('octo/park', [1, 2, 3]);
        return found.map(({ issue }) => issue.number);
      };
      expect(await sweep()).toEqual([1, 2, 3]);
      const gone = { want: { state: 'cancelled', reason: 'issue_closed' } } as const;
      await mirror(entry(1, { labels: ['css'] }), entry(3, { issue: closed, plan: gone }));
      await writeAll();
      expect(await sweep()).toEqual([1]);
    });

    it('forgets buckets that stay empty, and the registry says so by its version', async () => {
      const { mirror, take, complete, store, advance } = world();
      await mirror(entry(1));
      await complete(await take('a1'));
      const before = await store.registry();
      expect(before.buckets.length).toBeGreaterThan(0);
      await store.sweep(sweepInput());
      expect(await store.registry()).toEqual(before);
      advance(3_600_000);
      await store.sweep(sweepInput());
      const after = await store.registry();
      expect(after.buckets).toEqual([]);
      expect(after.version).not.toBe(before.version);
    });
  });
}
