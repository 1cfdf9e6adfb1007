import { afterEach, beforeEach, expect, it } from 'vitest';
import { entry, idOf } from '../../test/contract/store/world.ts';
import { type Desk, makeDesk } from '../../test/support/desk.ts';
import type { SweepInput } from '../core/store.ts';
import type { Loop } from './loop.ts';
import { createSweep } from './sweep.ts';

let desk: Desk;
let sweep: Loop;
let leads: boolean;
let forgotten: number[];
let sweeps: SweepInput[];

beforeEach(async () => {
  leads = true;
  forgotten = [];
  sweeps = [];
  desk = makeDesk({
    wrapStore: (store) => ({
      ...store,
      sweep(input) {
        sweeps.push(input);
        return store.sweep(input);
      },
      logs: {
        ...store.logs,
        async forget(keptMs) {
          forgotten.push(keptMs);
        },
      },
    }),
  });
  sweep = createSweep(desk.context, () => leads);
  await desk.mirror(entry(1));
});
afterEach(async () => {
  await sweep.stop();
  await desk.close();
});

it('gives the task of a dead agent back at the instant its lease ends', async () => {
  await desk.take('hana', { leaseSeconds: 10 });
  sweep.start();
  await desk.rest();
  await desk.pass(9500);
  expect((await desk.task(idOf(1))).state).toBe('leased');
  await desk.pass(500);
  expect(await desk.task(idOf(1))).toMatchObject({ state: 'ready', attempts: 1 });
});

it('sleeps until something falls due, and never longer than a second', async () => {
  const handOut = await desk.take('hana');
  await desk.fail(handOut, { delayMs: 300 });
  sweep.start();
  await desk.rest();
  desk.time.advance(299);
  await desk.rest();
  expect((await desk.task(idOf(1))).state).toBe('delayed');
  desk.time.advance(1);
  await desk.rest();
  expect((await desk.task(idOf(1))).state).toBe('ready');
  const before = sweeps.length;
  desk.time.advance(999);
  await desk.rest();
  expect(sweeps.length).toBe(before);
  desk.time.advance(1);
  await desk.rest();
  expect(sweeps.length).toBe(before + 1);
});

it('leaves everything to the instance that leads', async () => {
  leads = false;
  await sweep.runOnce();
  expect([sweeps, forgotten]).toEqual([[], []]);
});

it('forgets what is older than the days that history is kept for', async () => {
  await sweep.runOnce();
  const keptMs = desk.context.policy().historyDays * 86_400_000;
  expect(sweeps).toMatchObject([{ factsKeptMs: keptMs, resultsKeptMs: keptMs }]);
  expect(forgotten).toEqual([keptMs]);
});

it('forgets old logs once an hour', async () => {
  await sweep.runOnce();
  await sweep.runOnce();
  expect(forgotten).toHaveLength(1);
  desk.time.advance(3_599_999);
  await sweep.runOnce();
  expect(forgotten).toHaveLength(1);
  desk.time.advance(1);
  await sweep.runOnce();
  expect(forgotten).toHaveLength(2);
});
