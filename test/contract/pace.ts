// What every pace promises, whoever counts: one process in its memory, or many instances in their store.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLIGHT_MS, type Pace, type PaceLimits, TURN_MS } from '../../src/core/pace/pace.ts';

export interface PaceHarness {
  readonly open: (identity: string, limits: PaceLimits) => Pace;
  readonly advance: (ms: number) => void;
  readonly close: () => Promise<void>;
}

const LIMITS: PaceLimits = {
  writes: { burst: 20, perMinute: 60 },
  reads: { burst: 60, perMinute: 420 },
  content: { perMinute: 3, perHour: 5 },
  sent: { perMinute: 1000, perHour: null },
  writesAtOnce: 1,
  atOnce: 5,
  readReserve: 0.1,
};
const NOTHING = { blockedMs: 0, budget: null };
const HOUR_MS = 3_600_000;

export function testPace(name: string, setup: () => Promise<PaceHarness>): void {
  describe(`the pace (${name})`, () => {
    let harness: PaceHarness;
    let pace: Pace;
    beforeEach(async () => {
      harness = await setup();
      pace = harness.open('a', LIMITS);
    });
    afterEach(() => harness.close());

    const paced = (limits: Partial<PaceLimits>) => {
      pace = harness.open('a', { ...LIMITS, ...limits });
    };
    const core = (remaining: number, resetMs = HOUR_MS, limit = 5000) => ({
      blockedMs: 0,
      budget: { of: 'core' as const, limit, remaining, resetMs },
    });
    const blocked = (blockedMs: number) => ({ blockedMs, budget: null });

    it('lets a burst through at once and then one a second', async () => {
      for (let count = 0; count < 20; count += 1) {
        expect(await pace.take('writes', 0)).toEqual({ waitMs: 0 });
      }
      expect(await pace.take('writes', 0)).toEqual({ waitMs: 1000, reason: 'pace' });
      harness.advance(999);
      expect(await pace.take('writes', 0)).toEqual({ waitMs: 1, reason: 'pace' });
      harness.advance(1);
      expect(await pace.take('writes', 0)).toEqual({ waitMs: 0 });
      expect(await pace.take('writes', 0)).toHaveProperty('reason');
      expect(await pace.take('reads', 0)).toEqual({ waitMs: 0 });
    });

    it('gives places ahead in order, and none further ahead than asked', async () => {
      paced({ writes: { burst: 1, perMinute: 60 } });
      const waits = [];
      for (let count = 0; count < 4; count += 1) waits.push(await pace.take('writes', 2000));
      expect(waits).toEqual([
        { waitMs: 0 },
        { waitMs: 1000 },
        { waitMs: 2000 },
        { waitMs: 3000, reason: 'pace' },
      ]);
      expect(await pace.take('writes', Number.POSITIVE_INFINITY)).toEqual({ waitMs: 3000 });
    });

    it('never lets more through than burst and rate allow, whatever the rhythm', async () => {
      paced({ reads: { burst: 20, perMinute: 70 } });
      let taken = 0;
      for (let second = 0; second < 120; second += 1) {
        for (let asked = 0; asked < second % 7; asked += 1) {
          if (!('reason' in (await pace.take('reads', 0)))) taken += 1;
        }
        harness.advance(1000);
      }
      expect(taken).toBeLessThanOrEqual(20 + 140);
      expect(taken).toBeGreaterThan(140);
    });

    it('allows so much content in any minute and so much in any hour', async () => {
      for (let count = 0; count < 3; count += 1) {
        expect(await pace.take('content', 0)).toEqual({ waitMs: 0 });
      }
      expect(await pace.take('content', 0)).toEqual({ waitMs: 60_000, reason: 'pace' });
      harness.advance(60_000);
      expect(await pace.take('content', 0)).toEqual({ waitMs: 0 });
      expect(await pace.take('content', 0)).toEqual({ waitMs: 0 });
      expect(await pace.take('content', 0)).toEqual({ waitMs: 3_540_000, reason: 'pace' });
      harness.advance(3_540_000);
      expect(await pace.take('content', 0)).toEqual({ waitMs: 0 });
    });

    it('is silent for as long as it was told, to the millisecond, and keeps the later of two', async () => {
      await pace.arrive('r1', blocked(60_000));
      await pace.arrive('r2', blocked(10_000));
      harness.advance(59_999);
      const wait = { waitMs: 1, reason: 'blocked' };
      for (const line of ['writes', 'reads', 'content'] as const) {
        expect(await pace.take(line, 10_000)).toEqual(wait);
      }
      for (const as of ['read', 'write', 'graphql'] as const) {
        expect(await pace.leave(as, as)).toEqual(wait);
      }
      expect(await pace.status()).toEqual({ blockedMs: 1, budget: null });
      harness.advance(1);
      expect(await pace.take('writes', 0)).toEqual({ waitMs: 0 });
      expect(await pace.leave('r3', 'write')).toBeNull();
      expect(await pace.status()).toEqual({ blockedMs: 0, budget: null });
    });

    it('lets nothing leave that took its place before the block', async () => {
      expect(await pace.take('writes', 0)).toEqual({ waitMs: 0 });
      await pace.arrive('other', blocked(30_000));
      expect(await pace.leave('r1', 'write')).toEqual({ waitMs: 30_000, reason: 'blocked' });
    });

    it('lets one write leave after the other, and reads beside them', async () => {
      expect(await pace.leave('w1', 'write')).toBeNull();
      expect(await pace.leave('w2', 'graphql')).toMatchObject({ reason: 'turn' });
      expect(await pace.leave('r1', 'read')).toBeNull();
      await pace.arrive('w1', NOTHING);
      expect(await pace.leave('w2', 'graphql')).toBeNull();
      expect(await pace.leave('w3', 'write')).toMatchObject({ reason: 'turn' });
    });

    it('waits only a moment for a write whose process died', async () => {
      await pace.leave('w1', 'write');
      harness.advance(TURN_MS - 1);
      expect(await pace.leave('w2', 'write')).toMatchObject({ reason: 'turn' });
      harness.advance(1);
      expect(await pace.leave('w2', 'write')).toBeNull();
    });

    it('has no more under way than it may, and forgets what can be so no longer', async () => {
      for (let count = 0; count < 5; count += 1) {
        expect(await pace.leave(`r${count}`, 'read')).toBeNull();
      }
      expect(await pace.leave('r5', 'read')).toMatchObject({ reason: 'turn' });
      harness.advance(FLIGHT_MS);
      expect(await pace.leave('r5', 'read')).toBeNull();
    });

    it('counts a request that is asked for twice once', async () => {
      expect(await pace.leave('w1', 'write')).toBeNull();
      expect(await pace.leave('w1', 'write')).toBeNull();
      await pace.arrive('w1', NOTHING);
      expect(await pace.leave('w2', 'write')).toBeNull();
    });

    it('counts writes as they leave', async () => {
      paced({ sent: { perMinute: 2, perHour: null } });
      for (const id of ['w1', 'w2']) {
        expect(await pace.leave(id, 'write')).toBeNull();
        await pace.arrive(id, NOTHING);
        harness.advance(1000);
      }
      expect(await pace.leave('w3', 'write')).toEqual({ waitMs: 58_000, reason: 'pace' });
      expect(await pace.leave('r1', 'read')).toBeNull();
      harness.advance(58_000);
      expect(await pace.leave('w3', 'write')).toBeNull();
    });

    it('keeps part of the hourly budget for writes, and counts what is under way', async () => {
      await pace.arrive('r0', core(502));
      expect(await pace.leave('r1', 'read')).toBeNull();
      expect(await pace.leave('r2', 'read')).toBeNull();
      expect(await pace.leave('r3', 'read')).toEqual({ waitMs: HOUR_MS, reason: 'core' });
      expect(await pace.take('reads', 0)).toEqual({ waitMs: HOUR_MS, reason: 'core' });
      await pace.arrive('r1', core(1));
      await pace.arrive('r2', core(2));
      expect(await pace.leave('w1', 'write')).toBeNull();
      expect(await pace.leave('w2', 'write')).toEqual({ waitMs: HOUR_MS, reason: 'core' });
      harness.advance(HOUR_MS);
      expect(await pace.leave('r3', 'read')).toBeNull();
    });

    it('has a budget of its own for GraphQL, which stops nothing else', async () => {
      const budget = { of: 'graphql', limit: 5000, remaining: 0, resetMs: 1000 } as const;
      await pace.arrive('g0', { blockedMs: 0, budget });
      expect(await pace.leave('g1', 'graphql')).toEqual({ waitMs: 1000, reason: 'graphql' });
      expect(await pace.leave('w1', 'write')).toBeNull();
      expect((await pace.status()).budget).toBeNull();
    });

    it('knows the budget, whichever answer comes last', async () => {
      expect(await pace.status()).toEqual({ blockedMs: 0, budget: null });
      const shown = async () => (await pace.status()).budget;
      await pace.arrive('r1', core(4000));
      await pace.arrive('r2', core(4001, HOUR_MS - 1000));
      expect(await shown()).toEqual({ limit: 5000, remaining: 4000, resetMs: HOUR_MS });
      harness.advance(HOUR_MS - 1000);
      await pace.arrive('r3', core(4999, HOUR_MS));
      await pace.arrive('r4', core(3998, 500));
      expect(await shown()).toEqual({ limit: 5000, remaining: 4999, resetMs: HOUR_MS });
      await pace.arrive('r5', core(12_400, HOUR_MS, 12_500));
      expect(await shown()).toMatchObject({ limit: 12_500, remaining: 12_400 });
      harness.advance(HOUR_MS);
      expect(await shown()).toEqual({ limit: 12_500, remaining: 12_500, resetMs: 0 });
    });
  });
}
