import { describe, expect, it } from 'vitest';
import { createBucket, createWindow } from './pacer.ts';

function clock(start = 1_000_000) {
  let at = start;
  return {
    now: () => at,
    advance: (ms: number) => {
      at += ms;
    },
  };
}

describe('the bucket', () => {
  it('lets a burst through at once and then one a second', async () => {
    const time = clock();
    const bucket = createBucket({ burst: 20, perMinute: 60 }, time.now);
    for (let count = 0; count < 20; count += 1) {
      expect(await bucket.take(0)).toEqual({ taken: true, waitMs: 0 });
    }
    expect(await bucket.take(0)).toEqual({ taken: false, waitMs: 1000 });
    time.advance(999);
    expect((await bucket.take(0)).taken).toBe(false);
    time.advance(1);
    expect((await bucket.take(0)).taken).toBe(true);
    expect((await bucket.take(0)).taken).toBe(false);
  });

  it('gives places ahead in order, and none further ahead than asked', async () => {
    const time = clock();
    const bucket = createBucket({ burst: 1, perMinute: 60 }, time.now);
    const waits = [];
    for (let count = 0; count < 4; count += 1) waits.push(await bucket.take(2000));
    expect(waits).toEqual([
      { taken: true, waitMs: 0 },
      { taken: true, waitMs: 1000 },
      { taken: true, waitMs: 2000 },
      { taken: false, waitMs: 3000 },
    ]);
  });

  it('never lets more through than burst and rate allow, whatever the rhythm', async () => {
    const time = clock();
    const bucket = createBucket({ burst: 20, perMinute: 60 }, time.now);
    let taken = 0;
    for (let second = 0; second < 600; second += 1) {
      for (let asked = 0; asked < second % 7; asked += 1) {
        if ((await bucket.take(0)).taken) taken += 1;
      }
      time.advance(1000);
    }
    expect(taken).toBeLessThanOrEqual(20 + 600);
    expect(taken).toBeGreaterThan(550);
  });

  it('is silent until the instant it was told, to the millisecond, and keeps the later of two', async () => {
    const time = clock();
    const bucket = createBucket({ burst: 5, perMinute: 60 }, time.now);
    await bucket.block(time.now() + 60_000);
    await bucket.block(time.now() + 10_000);
    time.advance(59_999);
    expect(await bucket.take(0)).toEqual({ taken: false, waitMs: 1 });
    expect(await bucket.blockedMs()).toBe(1);
    time.advance(1);
    expect(await bucket.take(0)).toEqual({ taken: true, waitMs: 0 });
    expect(await bucket.blockedMs()).toBe(0);
  });
});

describe('the window', () => {
  it('allows so many in any minute and so many in any hour', async () => {
    const time = clock();
    const window = createWindow({ perMinute: 3, perHour: 5 }, time.now);
    for (let count = 0; count < 3; count += 1) expect((await window.take(0)).taken).toBe(true);
    expect(await window.take(0)).toEqual({ taken: false, waitMs: 60_000 });
    time.advance(60_000);
    expect((await window.take(0)).taken).toBe(true);
    expect((await window.take(0)).taken).toBe(true);
    expect(await window.take(0)).toEqual({ taken: false, waitMs: 3_540_000 });
    time.advance(3_540_000);
    expect((await window.take(0)).taken).toBe(true);
  });
});
