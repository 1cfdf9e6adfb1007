import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Waiting } from '../presets/preset.ts';
import { type Watch, watchRun } from './watch.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const MINUTE = 60_000;
let stamp = 'a';
let waiting: Waiting | null = null;
let watch: Watch;

function start(timeoutMs = 1e9): void {
  stamp = 'a';
  waiting = null;
  watch = watchRun({
    stallMs: 15 * MINUTE,
    deadline: Date.now() + timeoutMs,
    timeoutSeconds: timeoutMs / 1000,
    now: Date.now,
    stamp: async () => stamp,
    waiting: () => waiting,
  });
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const halt = () => (watch.halt.aborted ? (watch.halt.reason as { by: string }).by : null);

it('stops a run without output and without changes', async () => {
  start();
  await pass(14 * MINUTE);
  expect(halt()).toBeNull();
  await pass(2 * MINUTE);
  expect(watch.halt.reason).toEqual({ by: 'stall', seconds: 900 });
});

it('output keeps a run alive, and so does a change of the files', async () => {
  start();
  await pass(14 * MINUTE);
  watch.sawOutput();
  await pass(14 * MINUTE);
  stamp = 'b';
  await pass(14 * MINUTE);
  expect(halt()).toBeNull();
  await pass(2 * MINUTE);
  expect(halt()).toBe('stall');
});

it('stops a run that talks for ever', async () => {
  start(10 * MINUTE);
  for (let minute = 0; minute < 9; minute += 1) {
    watch.sawOutput();
    await pass(MINUTE);
  }
  expect(halt()).toBeNull();
  await pass(MINUTE + 10);
  expect(watch.halt.reason).toEqual({ by: 'timeout', seconds: 600 });
});

it('stops a tool that repeats a refused request, however much it says about it', async () => {
  start();
  waiting = { since: Date.now(), why: '429' };
  for (let second = 0; second < 140; second += 10) {
    watch.sawOutput();
    await pass(10_000);
  }
  expect(watch.halt.reason).toEqual({ by: 'refused', why: '429' });
});

it('is quiet after the end', async () => {
  start(MINUTE);
  watch.stop();
  await pass(60 * MINUTE);
  expect(halt()).toBeNull();
});
