// Agents, as the store has heard of them.

import { describe, expect, it } from 'vitest';
import { entry, idOf, LEASE_SECONDS, sweepInput, type World } from './world.ts';

export function testAgents(world: () => World): void {
  const agent = async (id = 'a1') =>
    (await world().store.agents()).find(({ agentId }) => agentId === id);

  describe('agents', () => {
    it('are not expected to be heard of while a question pauses their lease', async () => {
      const { mirror, take, store } = world();
      await mirror(entry(1));
      const { task, lease } = await take('a1', { leaseSeconds: 60 });
      expect((await agent())?.leaseSeconds).toBe(60);
      const call = { taskId: task.id, token: lease.token };
      await store.ask({ ...call, question: 'Which?', askMs: 5000 });
      expect(await agent()).toMatchObject({ holds: [task.id], leaseSeconds: null });
      await store.answer({ taskId: task.id, questionId: 'q1', answer: 'That.' });
      expect((await agent())?.leaseSeconds).toBe(60);
    });

    it('are known from their first request on, also when it got nothing', async () => {
      const { claim, store, advance } = world();
      await claim('a1', { capabilities: ['python', 'web'] });
      const firstSeenAt = await store.now();
      advance(1_000);
      await claim('a1', { capabilities: ['python'] });
      expect(await agent()).toEqual({
        agentId: 'a1',
        capabilities: ['python'],
        firstSeenAt,
        lastSeenAt: firstSeenAt + 1_000,
        holds: [],
        leaseSeconds: null,
        lapsed: false,
      });
    });

    it('show what they hold, and are seen by every accepted verb', async () => {
      const { mirror, take, store, advance, complete } = world();
      await mirror(entry(1));
      const handOut = await take('a1', { leaseSeconds: 60 });
      expect(await agent()).toMatchObject({ holds: [idOf(1)], leaseSeconds: 60 });
      advance(10);
      const { token } = handOut.lease;
      await store.heartbeat({ taskId: idOf(1), token, progress: null });
      expect((await agent())?.lastSeenAt).toBe(await store.now());
      advance(10);
      await complete(handOut);
      expect(await agent()).toMatchObject({ holds: [], lastSeenAt: await store.now() });
    });

    it('lapse with their lease until they are heard of again', async () => {
      const { mirror, take, store, advance, claim } = world();
      await mirror(entry(1));
      await take('a1');
      advance(LEASE_SECONDS * 1000);
      expect(await agent()).toMatchObject({ holds: [], lapsed: false });
      await store.sweep(sweepInput());
      expect(await agent()).toMatchObject({ holds: [], lapsed: true });
      await claim('a1', { capabilities: ['nothing'] });
      expect(await agent()).toMatchObject({ lapsed: false });
    });
  });
}
