// Follow-ups: what a completion makes in its own step, and for whom.

import { describe, expect, it } from 'vitest';
import { entry, followUp, idOf, sweepInput, type World } from './world.ts';

export function testFollowUps(world: () => World): void {
  const review = idOf(1, 'review');

  async function written(agent = 'a1', delayMs = 0): Promise<void> {
    const { mirror, take, complete } = world();
    await mirror(entry(1, { plan: { branch: 'topic' } }));
    await complete(await take(agent), {
      prNumber: 5,
      followUp: followUp(review, { state: 'delayed', reason: 'review_delay', delayMs }),
    });
  }

  describe('a follow-up', () => {
    it('is made in the same step, on the same branch and pull request, with its author', async () => {
      const { task, history, facts, store } = world();
      await written('a1', 300_000);
      const now = await store.now();
      expect(await task(review)).toMatchObject({
        kind: 'review',
        state: 'delayed',
        reason: 'review_delay',
        readyAt: now + 300_000,
        branch: 'topic',
        prNumber: 5,
        authors: ['a1'],
        priority: 100,
      });
      expect(await history(review)).toMatchObject([{ type: 'accepted', state: 'delayed' }]);
      expect((await facts()).slice(-2).map(({ type }) => type)).toEqual(['completed', 'accepted']);
    });

    it('is never offered before its instant, and then at once', async () => {
      const { claim, advance, store, take } = world();
      await written('a1', 300_000);
      advance(299_999);
      await store.sweep(sweepInput());
      expect((await claim('a2', { capabilities: ['review'] })).outcome).toBe('none');
      advance(1);
      expect(await store.sweep(sweepInput())).toMatchObject({ promoted: 1, nextDueAt: null });
      expect((await take('a2', { capabilities: ['review'] })).task.id).toBe(review);
    });

    it('keeps a review from those who wrote the change', async () => {
      const { claim, take } = world();
      await written('a1');
      expect((await claim('a1', { capabilities: ['review', '*'] })).outcome).toBe('none');
      expect((await take('a2', { capabilities: ['review'] })).task.id).toBe(review);
    });

    it('is left alone when it is there already', async () => {
      const { mirror, take, complete, task, history } = world();
      const [made] = entry(1).plans;
      if (made === undefined) throw new Error('no plan');
      await mirror(entry(1, { plans: [made, { ...made, id: review, branch: 'other' }] }));
      const before = await task(review);
      await complete(await take('a1'), {
        followUp: followUp(review, { state: 'held', reason: 'x' }),
      });
      expect(await task(review)).toEqual(before);
      expect(await history(review)).toHaveLength(1);
    });

    it('is not made twice when the completion is repeated', async () => {
      const { mirror, take, complete, facts } = world();
      await mirror(entry(1));
      const handOut = await take('a1');
      await complete(handOut, { followUp: followUp(review) });
      await complete(handOut, { followUp: followUp(idOf(1, 'review', 2)) });
      expect((await facts()).filter(({ type }) => type === 'accepted')).toHaveLength(2);
    });

    it('offers a fix to its author first, who needs no label, and then to everyone', async () => {
      const { take, claim, complete, advance, store, task } = world();
      await written('a1');
      const fix = idOf(1, 'fix');
      await complete(await take('r1', { capabilities: ['review'] }), {
        verdict: 'request_changes',
        comments: ['Mind the gap'],
        followUp: followUp(fix, { authorFirstMs: 60_000, reviewComments: ['Mind the gap'] }),
      });
      expect(await task(fix)).toMatchObject({
        authors: ['a1'],
        onlyAgent: 'a1',
        opensAt: (await store.now()) + 60_000,
        reviewComments: ['Mind the gap'],
      });
      expect((await claim('a2', { capabilities: ['python', '*'] })).outcome).toBe('none');
      const handOut = await take('a1', { capabilities: ['cooking'] });
      expect(handOut.task.id).toBe(fix);
      const { lease } = handOut;
      await store.release({ taskId: fix, token: lease.token, reason: null, ledger: [] });
      advance(59_999);
      expect((await store.sweep(sweepInput())).opened).toBe(0);
      advance(1);
      expect((await store.sweep(sweepInput())).opened).toBe(1);
      expect(await task(fix)).toMatchObject({ onlyAgent: null, opensAt: null });
      expect((await take('a2')).task.id).toBe(fix);
    });

    it('names every author, the last one last', async () => {
      const { take, complete, task } = world();
      await written('a1');
      await complete(await take('r1', { capabilities: ['review'] }), {
        followUp: followUp(idOf(1, 'fix')),
      });
      const fix = await take('a2');
      await complete(fix, { followUp: followUp(idOf(1, 'review', 2)) });
      expect((await task(idOf(1, 'review', 2))).authors).toEqual(['a1', 'a2']);
      await complete(await take('r1', { capabilities: ['review'] }), {
        followUp: followUp(idOf(1, 'fix', 2)),
      });
      await complete(await take('a1'), { followUp: followUp(idOf(1, 'review', 3)) });
      expect((await task(idOf(1, 'review', 3))).authors).toEqual(['a2', 'a1']);
    });

    it('that is dead says so, and asks for a comment', async () => {
      const { take, complete, history, store, advance } = world();
      await written('a1');
      const fix = idOf(1, 'fix');
      await complete(await take('r1', { capabilities: ['review'] }), {
        followUp: followUp(fix, { state: 'dead', reason: 'too_many_rounds' }),
        ledger: ['needs-human'],
      });
      expect(await history(fix)).toMatchObject([
        { type: 'accepted', state: 'dead' },
        { type: 'dead', reason: 'too_many_rounds' },
      ]);
      advance(5_000);
      expect(await store.takeWrites(20, 1_000)).toContainEqual(
        expect.objectContaining({ type: 'comment', event: 'dead', taskId: fix }),
      );
    });
  });
}
