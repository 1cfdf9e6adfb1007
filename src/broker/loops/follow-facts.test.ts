import { expect, test } from 'vitest';
import { createFakeTime } from '../../../test/support/fake-time.ts';
import { silentLog } from '../../../test/support/world.ts';
import type { Fact } from '../../core/facts.ts';
import type { Store } from '../../core/store.ts';
import { createFactFollower, type FactListener } from './follow-facts.ts';

const fact = (seq: number): Fact => ({
  seq,
  at: seq,
  type: 'setting_changed',
  name: 'x',
  value: seq,
});

function follow(leads = () => true, listener: FactListener = () => undefined) {
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
    subscribe(heard: typeof tell) {
      tell = heard;
      return () => {
        tell = () => undefined;
      };
    },
  } as unknown as Store;
  const told: number[] = [];
  const time = createFakeTime();
  const context = { store, log: silentLog, timers: time.timers };
  const follower = createFactFollower(context, leads, [
    listener,
    (facts) => told.push(...facts.map(({ seq }) => seq)),
    () => {
      throw new Error('a broken listener');
    },
  ]);
  return {
    told,
    time,
    follower,
    start: () => follower.start(),
    catchUp: () => follower.catchUp(),
    cut: (last: number) => stored.splice(last),
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

test('a gap in what is heard is read from the store at once, and what was lost within five seconds', async () => {
  const { told, follower, append, hear, time } = follow();
  const rest = async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  await follower.start();
  await rest();
  append(3, 4, 5);
  hear(5);
  await rest();
  expect(told).toEqual([3, 4, 5]);
  append(6);
  time.advance(4999);
  await rest();
  expect(told).toEqual([3, 4, 5]);
  time.advance(1);
  await rest();
  expect(told).toEqual([3, 4, 5, 6]);
  await follower.stop();
  append(7);
  hear(7);
  time.advance(10_000);
  await rest();
  expect(told).toEqual([3, 4, 5, 6]);
});

test('thousands of facts are read in pieces', async () => {
  const { told, follower, append, reads } = follow();
  await follower.start();
  append(...Array.from({ length: 2500 }, (_, index) => index + 3));
  await follower.catchUp();
  expect(told).toHaveLength(2500);
  expect(reads()).toBe(3);
  await follower.stop();
});

test('a store whose facts end before those that were told begins again', async () => {
  const { told, follower, append, cut } = follow();
  await follower.start();
  append(3, 4);
  await follower.catchUp();
  cut(2);
  await follower.catchUp();
  append(3);
  await follower.catchUp();
  expect(told).toEqual([3, 4, 3]);
  await follower.stop();
});

test('each listener is told who should do what is to be done once', async () => {
  const heard: boolean[] = [];
  let leads = false;
  const { start, append, catchUp } = follow(
    () => leads,
    (_facts, isLeader) => heard.push(isLeader),
  );
  await start();
  append(3);
  await catchUp();
  leads = true;
  append(4);
  await catchUp();
  expect(heard).toEqual([false, true]);
});

test('what is heard with a gap in it is read from the store, too', async () => {
  const { told, follower, append, hear } = follow();
  await follower.start();
  append(3, 4, 5);
  hear(3, 5);
  await follower.catchUp();
  expect(told).toEqual([3, 4, 5]);
  await follower.stop();
});
