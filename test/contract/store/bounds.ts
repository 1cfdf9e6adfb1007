// What one agent can make a task carry about: heartbeats, attempts and history are bounded, whoever calls.

import { describe, expect, it } from 'vitest';
import { ATTEMPTS_KEPT, HISTORY_KEPT, HISTORY_SHOWN } from '../../../src/core/attempt/history.ts';
import type { HandOut } from '../../../src/core/store.ts';
import { entry, idOf, LEASE_SECONDS, type World } from './world.ts';

export function testBounds(world: () => World): void {
  const leased = async (): Promise<HandOut> => {
    await world().mirror(entry(1));
    return world().take('a1');
  };
  const detail = async (cursor?: string) => {
    const found = await world().store.task(idOf(1), cursor);
    if (found === null) throw new Error('it is gone');
    return found;
  };

  describe('the holder', () => {
    type Verb = (handOut: HandOut, agentId: string | null) => Promise<{ outcome: string }>;
    const verbs: Record<string, Verb> = {
      heartbeat: ({ lease: { token } }, agentId) =>
        world().store.heartbeat({ taskId: idOf(1), token, agentId, progress: 'mine' }),
      complete: (handOut, agentId) => world().complete(handOut, { agentId }),
      fail: (handOut, agentId) => world().fail(handOut, { agentId }),
      release: ({ lease: { token } }, agentId) =>
        world().store.release({ taskId: idOf(1), token, agentId, reason: null, ledger: [] }),
    };
    for (const [name, verb] of Object.entries(verbs)) {
      it(`alone may ${name}; another agent is refused in the step and changes nothing`, async () => {
        const { store } = world();
        const handOut = await leased();
        const before = [await detail(), await store.lastSeq(), await store.agents()];
        expect(await verb(handOut, 'a2')).toEqual({ outcome: 'forbidden' });
        expect([await detail(), await store.lastSeq(), await store.agents()]).toEqual(before);
        expect((await verb(handOut, 'a1')).outcome).toBe('ok');
      });
    }

    it('is not asked for where the lease is lost: that is said as ever', async () => {
      const handOut = await leased();
      await world().store.unlock({ taskId: idOf(1), ledger: [] });
      expect(await verbs['heartbeat']?.(handOut, 'a2')).toEqual({ outcome: 'lease_lost' });
    });
  });

  describe('heartbeats without news', () => {
    it('leave a fact once in a quarter of the lease time, and none in the history', async () => {
      const { store, advance } = world();
      const { lease } = await leased();
      const seq = await store.lastSeq();
      const before = (await detail()).history;
      for (let n = 0; n < 120; n += 1) {
        advance((LEASE_SECONDS * 1000) / 60);
        await store.heartbeat({ taskId: idOf(1), token: lease.token, progress: null });
      }
      const facts = await store.facts(seq, 1000);
      expect(facts.map(({ type }) => type)).toEqual(Array.from({ length: 8 }, () => 'renewed'));
      expect((await detail()).history).toEqual(before);
    });

    it('count a repeated note as none', async () => {
      const { store } = world();
      const { lease } = await leased();
      for (let n = 0; n < 5; n += 1) {
        await store.heartbeat({ taskId: idOf(1), token: lease.token, progress: 'the same' });
      }
      const notes = (await detail()).history.filter(({ type }) => type === 'renewed');
      expect(notes).toMatchObject([{ progress: 'the same' }]);
    });
  });

  describe('a history', () => {
    it('is shown in pages from the newest, each fact once', async () => {
      const { store } = world();
      const { lease } = await leased();
      const notes = Array.from({ length: 250 }, (_, n) => `note ${n}`);
      for (const progress of notes) {
        await store.heartbeat({ taskId: idOf(1), token: lease.token, progress });
      }
      const pages = [await detail()];
      while (pages[0]?.nextHistoryCursor) pages.unshift(await detail(pages[0].nextHistoryCursor));
      expect(pages.map(({ history }) => history.length)).toEqual([
        52,
        HISTORY_SHOWN,
        HISTORY_SHOWN,
      ]);
      const all = pages.flatMap(({ history }) => history);
      expect(all).toEqual(await store.facts(0, 1000));
      expect(all.flatMap((fact) => (fact.type === 'renewed' ? fact.progress : []))).toEqual(notes);
    });

    it('is empty before the first of all', async () => {
      await leased();
      expect(await detail('1')).toMatchObject({ history: [], nextHistoryCursor: null });
      await expect(detail('not-a-cursor')).rejects.toMatchObject({ code: 'invalid_request' });
    });

    it('has its newest thousand within reach after more notes than that', async () => {
      const { store } = world();
      const { lease } = await leased();
      for (let n = 0; n < HISTORY_KEPT + 200; n += 1) {
        await store.heartbeat({ taskId: idOf(1), token: lease.token, progress: `note ${n}` });
      }
      let reached = 0;
      let cursor: string | undefined;
      do {
        const page = await detail(cursor);
        reached += page.history.length;
        cursor = page.nextHistoryCursor ?? undefined;
      } while (cursor !== undefined);
      expect(reached).toBeGreaterThanOrEqual(HISTORY_KEPT);
      expect((await detail()).attempts[0]?.progress).toHaveLength(5);
    });
  });

  describe('attempts', () => {
    it('are kept to the last twenty, in the hand-out and in the task', async () => {
      const { store, take } = world();
      const first = await leased();
      let last = first;
      for (let n = 0; n < 60; n += 1) {
        const { token } = last.lease;
        await store.release({ taskId: idOf(1), token, reason: `try ${n}`, ledger: [] });
        last = await take(`agent-${n % 3}`);
      }
      const { attempts } = await detail();
      expect(attempts).toHaveLength(ATTEMPTS_KEPT);
      expect(attempts.at(-1)).toMatchObject({ fence: last.lease.fence, outcome: null });
      expect(attempts[0]).toMatchObject({ note: 'try 41' });
      expect(last.attempts).toEqual(attempts.slice(0, -1));
      const forgotten = { taskId: idOf(1), token: first.lease.token, reason: null, ledger: [] };
      expect(await store.release(forgotten)).toEqual({ outcome: 'lease_lost' });
    });
  });
}
