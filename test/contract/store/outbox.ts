// The outbox: merging, versions, locks, and what settling records.

import { describe, expect, it } from 'vitest';
import type { Write } from '../../../src/core/store.ts';
import { entry, idOf, REPOSITORY, twenty, type World } from './world.ts';

export function testOutbox(world: () => World): void {
  const issue = async () => (await world().store.task(idOf(1)))?.issue;
  const outbox = async () => (await world().store.queue(0)).outbox;
  const one = (writes: readonly Write[]): Write => {
    const [write] = writes;
    if (write === undefined || writes.length > 1) throw new Error(`${writes.length} writes`);
    return write;
  };

  describe('the outbox', () => {
    it('hands each entry to one of twenty takers, and again when the lock ends', async () => {
      const { mirror, store, advance } = world();
      await mirror(entry(1, { ledger: ['needs-review'] }));
      const taken = (await twenty(() => store.takeWrites(10, 1_000))).flat();
      expect(taken).toHaveLength(1);
      advance(999);
      expect(await store.takeWrites(10, 1_000)).toEqual([]);
      advance(1);
      expect(one(await store.takeWrites(10, 1_000))).toEqual(taken[0]);
    });

    it('records what was written, once', async () => {
      const { mirror, store, facts } = world();
      await mirror(entry(1, { ledger: ['needs-review'] }));
      const write = one(await store.takeWrites(10, 1_000));
      const written = { outcome: 'written', labels: ['needs-review'] } as const;
      await twenty(() => store.settleWrite(write, written));
      expect(await issue()).toMatchObject({
        written: ['needs-review'],
        writtenAt: await store.now(),
      });
      expect((await facts()).filter(({ type }) => type === 'ledger_written')).toMatchObject([
        { repository: REPOSITORY, number: 1, labels: ['needs-review'] },
      ]);
      expect(await outbox()).toEqual({ pending: 0, failing: 0 });
    });

    it('merges later changes into the one entry of the issue', async () => {
      const { mirror, store } = world();
      await mirror(entry(1, { ledger: ['needs-review'] }));
      await mirror(entry(1, { ledger: ['approved'] }));
      expect(one(await store.takeWrites(10, 1_000))).toMatchObject({ type: 'labels' });
      expect((await outbox()).pending).toBe(1);
    });

    it('leaves an entry due when it was touched while it was being written', async () => {
      const { mirror, store } = world();
      await mirror(entry(1, { ledger: ['needs-review'] }));
      const write = one(await store.takeWrites(10, 1_000));
      await mirror(entry(1, { ledger: ['approved'] }));
      expect(await store.takeWrites(10, 1_000)).toEqual([]);
      await store.settleWrite(write, { outcome: 'written', labels: ['needs-review'] });
      expect(await issue()).toMatchObject({ written: ['needs-review'], wanted: ['approved'] });
      const next = one(await store.takeWrites(10, 1_000));
      expect(next.version).not.toBe(write.version);
      await store.settleWrite(next, { outcome: 'written', labels: ['approved'] });
      expect((await outbox()).pending).toBe(0);
    });

    it('never lets a late settlement end a newer entry', async () => {
      const { mirror, store } = world();
      await mirror(entry(1, { ledger: ['needs-review'] }));
      const write = one(await store.takeWrites(10, 1_000));
      await store.settleWrite(write, { outcome: 'written', labels: ['needs-review'] });
      await mirror(entry(1, { ledger: ['approved'] }));
      const next = one(await store.takeWrites(10, 1_000));
      await store.settleWrite(write, { outcome: 'written', labels: ['needs-review'] });
      expect((await outbox()).pending).toBe(1);
      expect(await store.takeWrites(10, 1_000)).toEqual([]);
      await store.settleWrite(next, { outcome: 'written', labels: ['approved'] });
      expect(await issue()).toMatchObject({ written: ['approved'] });
    });

    it('has what another one may still be writing taken off, whom nobody hears of again', async () => {
      const { mirror, store, advance } = world();
      await mirror(entry(1, { ledger: ['needs-review'] }));
      await store.takeWrites(10, 1_000);
      await mirror(entry(1, { ledger: ['approved'] }));
      advance(1_000);
      const over = one(await store.takeWrites(10, 1_000));
      await store.settleWrite(over, { outcome: 'written', labels: ['approved'] });
      expect(await issue()).toMatchObject({ written: ['needs-review', 'approved'] });
      expect(await outbox()).toEqual({ pending: 1, failing: 0 });
      expect(await store.takeWrites(10, 1_000)).toEqual([]);
      advance(1_000);
      const again = one(await store.takeWrites(10, 1_000));
      await store.settleWrite(again, { outcome: 'written', labels: ['approved'] });
      expect(await issue()).toMatchObject({ written: ['approved'] });
      expect((await outbox()).pending).toBe(0);
    });

    it('asks for nothing when what is wanted stands there already', async () => {
      const { mirror, store } = world();
      await mirror(entry(1, { ledger: ['needs-review'] }));
      const write = one(await store.takeWrites(10, 1_000));
      await store.settleWrite(write, { outcome: 'written', labels: ['approved', 'Needs-Review'] });
      await mirror(entry(1, { ledger: ['needs-review', 'approved'] }));
      expect(await outbox()).toEqual({ pending: 0, failing: 0 });
      await store.touchLabels(REPOSITORY, 1);
      await store.touchLabels(REPOSITORY, 99);
      expect(one(await store.takeWrites(10, 1_000)).number).toBe(1);
    });

    it('retries after the delay and counts', async () => {
      const { mirror, store, advance, facts } = world();
      await mirror(entry(1, { ledger: ['needs-review'] }));
      const write = one(await store.takeWrites(10, 1_000));
      await store.settleWrite(write, { outcome: 'retry', delayMs: 5_000, error: 'no answer' });
      expect(await outbox()).toEqual({ pending: 1, failing: 1 });
      advance(4_999);
      expect(await store.takeWrites(10, 1_000)).toEqual([]);
      advance(1);
      const again = one(await store.takeWrites(10, 1_000));
      expect(again.attempts).toBe(1);
      expect((await facts()).at(-1)).toMatchObject({ type: 'ledger_failed', final: false });
      await store.settleWrite(again, { outcome: 'refused', error: 'gone' });
      expect((await facts()).at(-1)).toMatchObject({ type: 'ledger_failed', final: true });
      expect(await outbox()).toEqual({ pending: 0, failing: 0 });
    });

    it('takes no more than its limit, oldest first', async () => {
      const { mirror, store, advance } = world();
      await mirror(entry(1, { ledger: ['needs-review'] }));
      advance(1);
      await mirror(entry(2, { ledger: ['needs-review'] }));
      expect(one(await store.takeWrites(1, 1_000)).number).toBe(1);
      expect(one(await store.takeWrites(5, 1_000)).number).toBe(2);
    });

    it('counts for a lease what is left of its writes, whoever does them', async () => {
      const { mirror, store, take } = world();
      await mirror(entry(1));
      const { writes } = await take('a1', { requestId: 'r' });
      const branch = writes.find(({ type }) => type === 'branch');
      if (branch === undefined) throw new Error('no branch');
      await store.settleWrite(branch, { outcome: 'written', labels: null });
      expect(await take('a1', { requestId: 'r' })).toMatchObject({ unwritten: 1, writes: [] });
    });
  });
}
