// Many calls about one task at the same moment, from one process: all of them get their answer, none is `busy`.

import { describe, expect, it } from 'vitest';
import { entry, idOf, type World } from './world.ts';

const MANY = 100;
const many = <T>(make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: MANY }, (_, index) => make(index)));

export function testAtOnce(world: () => World): void {
  describe('at the same moment', () => {
    it('many heartbeats of one lease all renew it, and every note is heard', async () => {
      const { store, mirror, take } = world();
      await mirror(entry(1));
      const { lease } = await take('a1');
      const beats = await many((index) =>
        store.heartbeat({ taskId: idOf(1), token: lease.token, progress: `note ${index}` }),
      );
      expect(new Set(beats.map(({ outcome }) => outcome))).toEqual(new Set(['ok']));
      const facts = await store.facts(0, 1000);
      const notes = facts.flatMap((fact) => (fact.type === 'renewed' ? [fact.progress] : []));
      expect(notes).toEqual(Array.from({ length: MANY }, (_, index) => `note ${index}`));
    });

    it('heartbeats before a completion renew, and those after it have lost the lease', async () => {
      const { store, mirror, take, complete, task } = world();
      await mirror(entry(1));
      const handOut = await take('a1');
      const beat = () =>
        store.heartbeat({ taskId: idOf(1), token: handOut.lease.token, progress: null });
      const [before, ended, after] = await Promise.all([beat(), complete(handOut), beat()]);
      expect([before?.outcome, ended?.outcome, after?.outcome]).toEqual(['ok', 'ok', 'lease_lost']);
      expect(await task(idOf(1))).toMatchObject({ state: 'done', lease: null });
    });

    it('many completions of one lease are one completion', async () => {
      const { store, mirror, take, complete } = world();
      await mirror(entry(1));
      const handOut = await take('a1');
      const ended = await many(() => complete(handOut));
      expect(new Set(ended.map(({ outcome }) => outcome))).toEqual(new Set(['ok']));
      const facts = await store.facts(0, 1000);
      expect(facts.filter(({ type }) => type === 'completed')).toHaveLength(1);
    });

    it('a storm of claims hands out each task once, and tells the others that there is none', async () => {
      const { mirror, claim } = world();
      await mirror(...Array.from({ length: 40 }, (_, index) => entry(index + 1)));
      await claim('warm', { capabilities: ['nothing'] });
      const claims = await many((index) => claim(`a${index}`));
      const leased = claims.flatMap((result) =>
        result.outcome === 'leased' ? [result.handOut.task.id] : [],
      );
      expect(new Set(leased).size).toBe(40);
      expect(leased).toHaveLength(40);
      expect(claims.filter(({ outcome }) => outcome === 'none')).toHaveLength(MANY - 40);
    });

    it('a verb that fails while it decides fails alone', async () => {
      const { store, mirror, take } = world();
      await mirror(entry(1));
      const { lease } = await take('a1');
      const beat = { taskId: idOf(1), token: lease.token, progress: null };
      const broken = {
        ...beat,
        get usage(): never {
          throw new Error('cannot be read');
        },
      };
      const answers = await Promise.allSettled([
        store.heartbeat(beat),
        store.heartbeat(broken),
        store.heartbeat(beat),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    });
  });
}
