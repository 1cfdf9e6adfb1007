import { afterEach, beforeEach, expect, it } from 'vitest';
import { entry, idOf } from '../../test/contract/store/world.ts';
import { type Desk, makeDesk } from '../../test/support/desk.ts';
import type { Loop } from './loop.ts';
import { createSweep } from './sweep.ts';

let desk: Desk;
let sweep: Loop;
let leads: boolean;
let forgotten: number;
let sweeps: number;

beforeEach(async () => {
  leads = true;
  forgotten = 0;
  sweeps = 0;
  desk = makeDesk({
    wrapStore: (store) => ({
      ...store,
      sweep(input) {
        sweeps += 1;
        return store.sweep(input);
      },
      logs: {
        ...store.logs,
        async forget() {
          forgotten += 1;
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
  const before = sweeps;
  desk.time.advance(999);
  await desk.rest();
  expect(sweeps).toBe(before);
  desk.time.advance(1);
  await desk.rest();
  expect(sweeps).toBe(before + 1);
});

it('leaves everything to the instance that leads', async () => {
  leads = false;
  await sweep.runOnce();
  expect([sweeps, forgotten]).toEqual([0, 0]);
});

it('forgets old logs once an hour', async () => {
  await sweep.runOnce();
  await sweep.runOnce();
  expect(forgotten).toBe(1);
  desk.time.advance(3_599_999);
  await sweep.runOnce();
  expect(forgotten).toBe(1);
  desk.time.advance(1);
  await sweep.runOnce();
  expect(forgotten).toBe(2);
});
