// The table of TaskPlan, row by row: how what an issue asks meets the state it finds.

import { describe, expect, it } from 'vitest';
import type { TaskPlan } from '../../../src/core/store.ts';
import type { TaskState } from '../../../src/core/task.ts';
import { type EntryOptions, entry, idOf, sweepInput, type World } from './world.ts';

type Want = TaskPlan['want'];
const READY: Want = { state: 'ready' };
const HELD: Want = { state: 'held', reason: 'blocked', graceMs: null };
const CANCELLED: Want = { state: 'cancelled', reason: 'issue_closed' };
const DELAYED: Want = { state: 'delayed', delayMs: 10_000, reason: 'review_delay' };
const PAST: Want = { state: 'delayed', delayMs: 0, reason: 'review_delay' };
const WANTS = { ready: READY, delayed: DELAYED, past: PAST, held: HELD, cancelled: CANCELLED };

export function testPlans(world: () => World): void {
  const id = idOf(1);
  const mirror = (want: Want, over: EntryOptions = {}) =>
    world().mirror(entry(1, { ...over, plan: { want, ...over.plan } }));

  const reach: Record<TaskState | 'nothing' | 'backing off' | 'refused', () => Promise<void>> = {
    nothing: async () => {},
    held: () => mirror({ state: 'held', reason: 'no_deliverables', graceMs: null }),
    delayed: () => mirror({ state: 'delayed', delayMs: 20_000, reason: 'review_delay' }),
    ready: () => mirror(READY),
    leased: async () => {
      await mirror(READY);
      await world().take('a1');
    },
    done: async () => {
      await mirror(READY);
      await world().complete(await world().take('a1'));
    },
    dead: async () => {
      await mirror(READY);
      await world().fail(await world().take('a1'), { retryable: false });
    },
    cancelled: async () => {
      await mirror(READY);
      await world().store.cancel({ taskId: id, reason: 'operator', ledger: [] });
    },
    'backing off': async () => {
      await mirror(READY);
      await world().fail(await world().take('a1'));
    },
    refused: async () => {
      await mirror(READY);
      const { lease } = await world().take('a1');
      const { fence } = lease;
      const input = { taskId: id, fence, reason: 'gone', holdMs: 5_000, ledger: [] };
      await world().store.refuse(input);
    },
  };

  const S = 'unchanged';
  const table: [keyof typeof reach, Record<keyof typeof WANTS, string>][] = [
    ['nothing', { ready: 'ready', delayed: 'delayed', past: 'ready', held: 'held', cancelled: S }],
    [
      'held',
      { ready: 'ready', delayed: 'delayed', past: 'ready', held: 'held', cancelled: 'cancelled' },
    ],
    [
      'delayed',
      { ready: S, delayed: 'delayed', past: 'ready', held: 'held', cancelled: 'cancelled' },
    ],
    ['ready', { ready: S, delayed: 'delayed', past: S, held: 'held', cancelled: 'cancelled' }],
    ['backing off', { ready: S, delayed: S, past: S, held: 'held', cancelled: 'cancelled' }],
    ['refused', { ready: S, delayed: S, past: S, held: 'held', cancelled: 'cancelled' }],
    ['leased', { ready: S, delayed: S, past: S, held: S, cancelled: 'cancelled' }],
    ['done', { ready: S, delayed: S, past: S, held: S, cancelled: S }],
    ['dead', { ready: S, delayed: S, past: S, held: S, cancelled: 'cancelled' }],
    ['cancelled', { ready: S, delayed: S, past: S, held: S, cancelled: S }],
  ];
  const cases = table.flatMap(([found, row]) =>
    Object.entries(row).map(([want, result]) => ({ found, want, result })),
  );

  describe('a plan', () => {
    it.each(cases)('$want on $found: $result', async ({ found, want, result }) => {
      const { store } = world();
      await reach[found]();
      const before = await store.task(id);
      const seq = await store.lastSeq();
      await mirror(WANTS[want as keyof typeof WANTS]);
      const after = await store.task(id);
      const now = await store.now();
      const delayed = { readyAt: now + 10_000, reason: 'review_delay' };
      const expected: Record<string, unknown> = {
        [S]: before,
        ready: { task: { state: 'ready', reason: null } },
        delayed: { task: { state: 'delayed', ...delayed } },
        held: { task: { state: 'held', reason: 'blocked' } },
        cancelled: { task: { state: 'cancelled', reason: 'issue_closed' } },
      };
      const facts = result === S ? seq : seq + 1;
      expect({ after }).toMatchObject({ after: expected[result] });
      expect(await store.lastSeq()).toBe(facts);
      await mirror(WANTS[want as keyof typeof WANTS]);
      expect(await store.lastSeq()).toBe(facts);
    });

    it('does not make what it may not create', async () => {
      await mirror(READY, { plan: { create: false } });
      expect(await world().store.task(id)).toBeNull();
    });

    it('keeps a back-off through a hold', async () => {
      const { task, advance, store } = world();
      await reach['backing off']();
      const { readyAt } = await task(id);
      await mirror(HELD);
      expect(await task(id)).toMatchObject({ state: 'held', readyAt });
      await mirror(READY);
      expect(await task(id)).toMatchObject({ state: 'delayed', reason: 'retry', readyAt });
      await mirror(HELD);
      advance(30_000);
      await store.sweep(sweepInput());
      await mirror(DELAYED);
      expect((await task(id)).state).toBe('ready');
    });

    it('begins a grace once for each reason', async () => {
      const { task, advance, store } = world();
      const held = (reason: string): Want => ({ state: 'held', reason, graceMs: 1_000 });
      await mirror(held('in_progress'));
      const start = await store.now();
      advance(500);
      await mirror(held('in_progress'));
      expect((await task(id)).readyAt).toBe(start + 1_000);
      await mirror(held('other'));
      expect((await task(id)).readyAt).toBe(start + 1_500);
    });

    it('counts a delay from the first acceptance and never restarts it', async () => {
      const { task, advance, store } = world();
      await mirror(DELAYED);
      const start = await store.now();
      advance(6_000);
      await mirror(DELAYED);
      expect((await task(id)).readyAt).toBe(start + 10_000);
      await mirror(HELD);
      await mirror(DELAYED);
      expect(await task(id)).toMatchObject({ reason: 'review_delay', readyAt: start + 10_000 });
      await mirror({ ...DELAYED, delayMs: 6_000 } as Want);
      expect((await task(id)).state).toBe('ready');
    });

    it('cancels a lease with its task, and its holder hears of it', async () => {
      const { take, store, complete, history } = world();
      await mirror(READY);
      const handOut = await take('a1');
      await mirror(CANCELLED, { issue: { state: 'closed' }, ledger: [] });
      expect((await history(id)).at(-1)).toMatchObject({
        type: 'cancelled',
        agentId: 'a1',
        fence: handOut.lease.fence,
      });
      expect(await complete(handOut)).toEqual({ outcome: 'lease_lost' });
      expect((await store.task(id))?.attempts[0]?.outcome).toBe('cancelled');
    });

    it('brings a cancelled task back when its issue is reopened, with its fence', async () => {
      const { take, fail, store, advance, task } = world();
      await mirror(READY);
      const first = await take('a1');
      await fail(first);
      await mirror(CANCELLED, { issue: { state: 'closed' } });
      advance(1_000);
      await mirror(READY, { issue: { state: 'open' } });
      expect(await task(id)).toMatchObject({
        state: 'ready',
        attempts: 0,
        fence: first.lease.fence,
      });
      expect((await take('a2')).lease.fence).toBeGreaterThan(first.lease.fence);
      expect(await store.lastSeq()).toBeGreaterThan(0);
    });

    it('takes over priority, branch and pull request, but not the branch under a lease', async () => {
      const { take, task, store } = world();
      await mirror(READY);
      await mirror(READY, { plan: { priority: 100, branch: 'b2', prNumber: 3 } });
      expect(await task(id)).toMatchObject({ priority: 100, branch: 'b2', prNumber: 3 });
      await take('a1');
      await mirror(READY, { plan: { priority: 25, branch: 'b3', prNumber: 4 } });
      expect(await task(id)).toMatchObject({ priority: 25, branch: 'b2', prNumber: 4 });
      await store.prioritize({ taskId: id, priority: 50 });
      await mirror(READY, { plan: { priority: 25 } });
      expect((await task(id)).priority).toBe(50);
    });

    it('takes over labels, also for tasks it does not name', async () => {
      const { claim, take, mirror: mirrorAll } = world();
      await mirror(READY);
      await mirrorAll(entry(1, { labels: ['rust'], plans: [] }));
      expect((await claim('a1')).outcome).toBe('none');
      expect((await take('a1', { capabilities: ['rust'] })).task.id).toBe(id);
    });

    it('of an older picture is ignored altogether', async () => {
      const { store, task } = world();
      await mirror(READY, { issue: { updatedAt: 10, title: 'new' } });
      await mirror(HELD, { issue: { updatedAt: 9, title: 'old' }, ledger: ['approved'] });
      expect((await task(id)).state).toBe('ready');
      expect((await store.task(id))?.issue).toMatchObject({ title: 'new', wanted: [] });
      await mirror(HELD, { issue: { updatedAt: 10, title: 'same' } });
      expect((await task(id)).state).toBe('held');
    });

    it('sets the labels wanted where it names them', async () => {
      const { store } = world();
      await mirror(READY, { ledger: ['needs-review'] });
      expect((await store.task(id))?.issue.wanted).toEqual(['needs-review']);
      await mirror(READY);
      expect((await store.task(id))?.issue.wanted).toEqual(['needs-review']);
      expect(await store.takeWrites(10, 1)).toMatchObject([{ type: 'labels', number: 1 }]);
    });
  });
}
