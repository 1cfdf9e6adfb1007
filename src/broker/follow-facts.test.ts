import { expect, test } from 'vitest';
import { createFakeTime } from '../../test/support/fake-time.ts';
import { silentLog } from '../../test/support/world.ts';
import type { Fact } from '../core/facts.ts';
import type { Store } from '../core/store.ts';
import { createFactFollower } from './follow-facts.ts';

const fact = (seq: number): Fact => ({
  seq,
  at: seq,
  type: 'setting_changed',
  name: 'x',
  value: seq,
});

function follow() {
  const stored: Fact[] = [fact(1), fact(2)];
  let generation = 'one';
  let reads = 0;
  let tell: (facts: readonly Fact[]) => void = () => undefined;
  const store = {
    generation: () => generation,
    lastSeq: async () => stored.at(-1)?.seq ?? 0,
    async facts(after: number, limit: number) {
      reads += 1;
      return stored.filter(({ seq }) => seq > after).slice(0, limit);
    },
    subscribe(listener: typeof tell) {
      tell = listener;
      return () => undefined;
    },
  } as unknown as Store;
  const told: number[] = [];
  const { timers } = createFakeTime();
  const context = { store, log: silentLog, timers };
  const follower = createFactFollower(context, () => true, [
    (facts) => told.push(...facts.map(({ seq }) => seq)),
    () => {
      throw new Error('a broken listener');
    },
  ]);
  return {
    told,
    follower,
    reads: () => reads,
    append: (...seqs: number[]) => stored.push(...seqs.map(fact)),
    hear: (...seqs: number[]) => tell(seqs.map(fact)),
    lose() {
      stored.length = 0;
      generation = 'two';
    },
  };
}

test('facts come once and in order, from the start on, whatever is heard twice or late', async () => {
  const { told, follower, append, hear, reads } = follow();
  await follower.start();
  append(3, 4);
  hear(3, 4);
  hear(3, 4);
  expect(told).toEqual([3, 4]);
  append(5, 6, 7);
  hear(7);
  await follower.catchUp();
  expect(told).toEqual([3, 4, 5, 6, 7]);
  hear(5, 6);
  await follower.catchUp();
  expect(told).toEqual([3, 4, 5, 6, 7]);
  expect(reads()).toBeLessThanOrEqual(2);
  await follower.stop();
});

test('after the store lost data, what was there before is not told again', async () => {
  const { told, follower, append, lose } = follow();
  await follower.start();
  append(3);
  await follower.catchUp();
  lose();
  append(1);
  await follower.catchUp();
  append(2);
  await follower.catchUp();
  expect(told).toEqual([3, 2]);
  await follower.stop();
});
