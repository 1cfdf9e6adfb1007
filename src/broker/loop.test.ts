import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { createFakeTime, type FakeTime } from '../../test/support/fake-time.ts';
import { createLoop, type Loop } from './loop.ts';

let time: FakeTime;
let turns: number;
let next: () => Promise<number | null>;
let warnings: object[];
let loop: Loop;

beforeEach(() => {
  time = createFakeTime();
  turns = 0;
  next = async () => null;
  warnings = [];
  loop = createLoop({
    name: 'mill',
    timers: time.timers,
    log: {
      debug: () => undefined,
      info: () => undefined,
      warn: (data, message) => warnings.push({ ...data, message }),
      error: () => undefined,
    },
    retryMs: 700,
    turn() {
      turns += 1;
      return next();
    },
  });
});

async function rest(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
}

async function pass(ms: number): Promise<void> {
  time.advance(ms);
  await rest();
}

it('runs at its start, and again after the time that its turn asks for', async () => {
  next = async () => 1000;
  loop.start();
  await rest();
  expect(turns).toBe(1);
  await pass(999);
  expect(turns).toBe(1);
  await pass(1);
  expect(turns).toBe(2);
});

it('waits for a kick where its turn asks for no time', async () => {
  loop.start();
  await rest();
  await pass(1_000_000);
  expect(turns).toBe(1);
  loop.kick();
  await rest();
  expect(turns).toBe(2);
});

it('makes one run of many kicks while it runs, and forgets none', async () => {
  const slow = Promise.withResolvers<null>();
  next = () => slow.promise;
  loop.start();
  for (let kicks = 0; kicks < 5; kicks += 1) loop.kick();
  expect(turns).toBe(1);
  slow.resolve(null);
  await rest();
  expect(turns).toBe(2);
});

it('run once waits for the run under way and for one more', async () => {
  const slow = Promise.withResolvers<null>();
  next = () => slow.promise;
  const first = loop.runOnce();
  const second = loop.runOnce();
  slow.resolve(null);
  await Promise.all([first, second]);
  expect(turns).toBe(2);
});

it('run once before the start leaves no timer behind', async () => {
  next = async () => 10;
  await loop.runOnce();
  await pass(1000);
  expect(turns).toBe(1);
});

it('goes on after a failure, which is told with the name of the loop', async () => {
  next = () => Promise.reject(new Error('broken'));
  loop.start();
  await rest();
  expect(warnings).toEqual([
    { err: new Error('broken'), loop: 'mill', message: 'mill failed; it will try again' },
  ]);
  await pass(699);
  expect(turns).toBe(1);
  await pass(1);
  expect(turns).toBe(2);
});

it('a kick takes the place of the time that was waited for', async () => {
  next = async () => 1000;
  loop.start();
  await rest();
  await pass(600);
  loop.kick();
  await rest();
  await pass(600);
  expect(turns).toBe(2);
  await pass(400);
  expect(turns).toBe(3);
});

it('stops: no kick, no timer and no second run counts any more, and the run under way is waited for', async () => {
  const slow = Promise.withResolvers<number>();
  next = () => slow.promise;
  loop.start();
  loop.kick();
  let stopped = false;
  const stopping = loop.stop().then(() => (stopped = true));
  await rest();
  expect(stopped).toBe(false);
  slow.resolve(10);
  await stopping;
  loop.kick();
  await pass(1000);
  expect(turns).toBe(1);
});

it('does nothing by a kick before its start', async () => {
  loop.kick();
  await rest();
  expect(turns).toBe(0);
});
