// Recall, the mark of an answer, and reports that are repeated: what a lost answer may and may not lead to.

import { describe, expect, it } from 'vitest';
import type { HandOut } from '../../../src/core/store.ts';
import { entry, idOf, LEASE_SECONDS, type World } from './world.ts';

export function testAnswers(world: () => World): void {
  const recall = (agentId: string, requestId: string, takeOver = false) =>
    world().store.recall({ agentId, requestId, takeOver, writeLockMs: null });
  const taken = async (requestId = 'r1'): Promise<HandOut> => {
    await world().mirror(entry(1), entry(2));
    return world().take('a1', { requestId });
  };
  const unfinished = async (): Promise<HandOut> => {
    const result = await world().claim('a1', { requestId: 'another' });
    if (result.outcome !== 'unfinished') throw new Error(`got ${result.outcome}`);
    return result.handOut;
  };

  describe('the mark of an answer', () => {
    it('is missing until it is made, and belongs to one lease', async () => {
      const { store, take } = world();
      const first = await taken();
      expect(first.answered).toBe(false);
      expect((await unfinished()).answered).toBe(false);
      const seq = await store.lastSeq();
      await store.markAnswered({ taskId: first.task.id, token: first.lease.token });
      expect(await store.lastSeq()).toBe(seq);
      expect((await unfinished()).answered).toBe(true);
      expect((await take('a1', { requestId: 'r1' })).answered).toBe(true);
      await store.unlock({ taskId: first.task.id, ledger: [] });
      expect((await take('a1', { requestId: 'r2' })).answered).toBe(false);
    });

    it('is made by nobody but the holder, and not after the end', async () => {
      const { store, complete, task } = world();
      const { task: leased, lease } = await taken();
      await store.markAnswered({ taskId: leased.id, token: 'forged' });
      await store.markAnswered({ taskId: idOf(99), token: lease.token });
      expect((await unfinished()).answered).toBe(false);
      await complete({ ...(await unfinished()) });
      await store.markAnswered({ taskId: leased.id, token: lease.token });
      expect((await task(leased.id)).state).toBe('done');
    });

    it('is made by a heartbeat: whoever has the token was told of it', async () => {
      const { task, lease } = await taken();
      await world().store.heartbeat({ taskId: task.id, token: lease.token, progress: null });
      expect((await unfinished()).answered).toBe(true);
    });
  });

  describe('recall', () => {
    it('finds the living lease of a request of this agent, and changes nothing', async () => {
      const { store, advance } = world();
      const handOut = await taken();
      const seq = await store.lastSeq();
      expect(await recall('a1', 'r1')).toMatchObject({ lease: handOut.lease, replay: true });
      expect(await recall('a1', 'r2')).toBeNull();
      expect(await recall('a2', 'r1')).toBeNull();
      expect(await store.lastSeq()).toBe(seq);
      advance(LEASE_SECONDS * 1000);
      expect(await recall('a1', 'r1')).toBeNull();
    });

    it('takes over the writes when their lock has ended, if it will write', async () => {
      const { store, advance } = world();
      await taken();
      advance(5_000);
      expect(await recall('a1', 'r1')).toMatchObject({ writes: [], unwritten: 2 });
      const input = { agentId: 'a1', requestId: 'r1', takeOver: false, writeLockMs: 1_000 };
      expect((await store.recall(input))?.writes).toHaveLength(2);
    });

    it('gives a lease that was never answered to the next request of its agent, and to that one alone', async () => {
      const { lease } = await taken();
      expect(await recall('a2', 'r2', true)).toBeNull();
      expect((await recall('a1', 'r2', true))?.lease).toMatchObject({
        token: lease.token,
        fence: lease.fence,
        requestId: 'r2',
      });
      expect(await recall('a1', 'r1')).toBeNull();
      expect((await recall('a1', 'r2'))?.lease.token).toBe(lease.token);
    });

    it('does not give an answered lease to another request', async () => {
      const { store } = world();
      const { task, lease } = await taken();
      await store.markAnswered({ taskId: task.id, token: lease.token });
      expect(await recall('a1', 'r2', true)).toBeNull();
      expect((await recall('a1', 'r1', true))?.answered).toBe(true);
    });
  });

  describe('maintenance', () => {
    it('does not hide living leases', async () => {
      const { store, claim } = world();
      const { lease } = await taken();
      await store.putSetting('flags:maintenance', true);
      expect(await claim('a1', { requestId: 'r1' })).toMatchObject({
        outcome: 'leased',
        handOut: { lease, replay: true },
      });
      expect((await unfinished()).lease).toEqual(lease);
      expect((await recall('a1', 'r1'))?.lease).toEqual(lease);
      expect((await claim('a2')).outcome).toBe('maintenance');
    });

    it('for one repository or agent is listed with the buckets, and makes older rankings stale', async () => {
      const { store, claim, mirror } = world();
      await mirror(entry(1));
      await store.learn(['python']);
      const before = await store.registry();
      expect(before.paused).toEqual([]);
      await store.putSetting('flags:maintenance:octo/park', true);
      await store.putSetting('flags:maintenance:a1', true);
      expect((await claim('a1', { registryVersion: before.version })).outcome).toBe('stale');
      const during = await store.registry();
      expect(during.paused).toEqual(['a1', 'octo/park']);
      await store.putSetting('flags:maintenance:octo/park', null);
      await store.putSetting('flags:maintenance:a1', false);
      expect((await store.registry()).paused).toEqual([]);
      expect((await claim('a1', { registryVersion: during.version })).outcome).toBe('stale');
    });
  });

  it('tells which agents hold a task', async () => {
    const { store, release } = world();
    const handOut = await taken();
    expect(await store.holding(['a1', 'a2', 'nobody'])).toEqual(new Set(['a1']));
    await release(handOut);
    expect(await store.holding(['a1', 'a2'])).toEqual(new Set());
    expect(await store.holding([])).toEqual(new Set());
  });

  describe('a release for a request that nobody listens to', () => {
    const giveBack = ({ task, lease }: HandOut, unheardBy: string) =>
      world().store.release({
        taskId: task.id,
        token: lease.token,
        reason: null,
        ledger: [],
        unheardBy,
      });

    it('gives back what was claimed for it', async () => {
      expect(await giveBack(await taken(), 'r1')).toMatchObject({ outcome: 'ok' });
    });

    it('leaves alone what was answered, or belongs to another request by now', async () => {
      const { store, task } = world();
      const handOut = await taken();
      await recall('a1', 'r2', true);
      expect(await giveBack(handOut, 'r1')).toEqual({ outcome: 'lease_lost' });
      await store.markAnswered({ taskId: handOut.task.id, token: handOut.lease.token });
      expect(await giveBack(handOut, 'r2')).toEqual({ outcome: 'lease_lost' });
      expect((await task(handOut.task.id)).state).toBe('leased');
    });
  });

  describe.each(['complete', 'fail', 'release'] as const)('%s said twice', (verb) => {
    it('is the same with the same content, and a conflict with other content', async () => {
      const { store, task } = world();
      const handOut = await taken();
      const said = await world()[verb](handOut, { fingerprint: 'a1b2' });
      expect(said.outcome).toBe('ok');
      const seq = await store.lastSeq();
      const before = await task(handOut.task.id);
      expect(await world()[verb](handOut, { fingerprint: 'a1b2' })).toEqual(said);
      expect(await world()[verb](handOut, { fingerprint: 'ffff' })).toEqual({
        outcome: 'conflict',
      });
      expect(await task(handOut.task.id)).toEqual(before);
      expect(await store.lastSeq()).toBe(seq);
    });

    it('is believed where no fingerprint was kept', async () => {
      const handOut = await taken();
      const said = await world()[verb](handOut);
      expect(await world()[verb](handOut, { fingerprint: 'ffff' })).toEqual(said);
    });
  });
}
