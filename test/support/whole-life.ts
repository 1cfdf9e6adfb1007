// Everything that tasks, tickets, agents and operators do to a Redis store, so that every kind of key has
// been written once.

import type { RedisStore } from '../../src/store/redis/redis-store.ts';
import { createWorld, entry, followUp, idOf, plan, sweepInput } from '../contract/store/world.ts';

export interface LifeOptions {
  readonly store: RedisStore;
  readonly now: () => number;
  readonly advance: (ms: number) => void;
}

/** Ends with something in every state, an outbox that fails, tickets, settings, locks and metrics. */
export async function liveWholeLife({ store, now, advance }: LifeOptions): Promise<void> {
  const world = createWorld({ store, advance, close: () => store.close() });
  const held = { state: 'held', reason: 'no_deliverables', graceMs: null } as const;
  const delayed = { state: 'delayed', delayMs: 3_600_000, reason: 'wait' } as const;
  await world.mirror(
    entry(1),
    entry(2, { plan: { priority: 100 } }),
    entry(3, { plan: { priority: 25 }, labels: ['web', 'ünïcode label'] }),
    entry(4, { plan: { want: held } }),
    entry(5, { plan: { want: delayed } }),
    entry(6, { dependsOn: [4] }),
    entry(7, { labels: ['rust'] }),
    entry(8, { labels: ['rust'] }),
  );

  const first = await world.take('a1');
  await store.heartbeat({ taskId: first.task.id, token: first.lease.token, progress: 'half' });
  await store.logs.append(first.task.id, first.lease.fence, 0, Buffer.from('read the code\n'));
  await world.complete(first, {
    prNumber: 12,
    followUp: followUp(idOf(first.task.number, 'review'), {
      state: 'delayed',
      reason: 'review_delay',
      delayMs: 300_000,
    }),
  });
  advance(300_000);
  await store.sweep(sweepInput());
  const review = await world.take('a2', { capabilities: ['review'] });
  await world.complete(review, {
    verdict: 'request_changes',
    comments: ['No.'],
    followUp: followUp(idOf(first.task.number, 'fix'), { authorFirstMs: 600_000 }),
  });

  const failed = await world.take('a3', { capabilities: ['rust'] });
  await world.fail(failed, { retryable: false });
  const lapsed = await world.take('a4', { capabilities: ['rust'], leaseSeconds: 10 });
  advance(10_000);
  await store.sweep(sweepInput());
  await store.cancel({ taskId: lapsed.task.id, reason: 'operator', ledger: [] });
  await world.mirror(
    entry(8, {
      issue: { state: 'closed', updatedAt: 1 },
      plans: [plan(idOf(8), { want: { state: 'cancelled', reason: 'closed' } })],
      labels: ['rust'],
    }),
  );
  await world.take('a5', { requestId: 'r1' });

  const [write] = await store.takeWrites(1, 1000);
  if (write === undefined) throw new Error('nothing was due in the outbox');
  await store.settleWrite(write, { outcome: 'retry', delayMs: 1000, error: 'no answer' });

  const ticket = {
    agentId: 'a6',
    capabilities: ['go'],
    kinds: null,
    repositories: null,
    requestId: 'r2',
    leaseSeconds: 600,
    instanceId: 'i1',
    createdAt: now(),
  };
  await store.tickets.create({ ...ticket, id: 't1' }, 600_000);
  await store.tickets.create({ ...ticket, id: 't2' }, 600_000);
  await store.tickets.listActive(1, 5000);

  await store.putSetting('config:broker:lease_seconds', 60);
  await store.putSetting('flags:debug:enabled', true);
  await store.putSetting('flags:maintenance:a9', true);
  await store.putSetting('tokens:abc', { agentId: 'a1' });
  await store.lead('migration', 'i1', 60_000);
  await store.recordMetrics('i1', 0.25, 1_000_000);
  await liveThroughPace(store);
  await store.learn(['web']);
  await store.sweep(sweepInput());
}

/** A comment was written, and another request is under way. */
async function liveThroughPace({ openPace }: RedisStore): Promise<void> {
  const rate = { burst: 20, perMinute: 60 };
  const quota = { perMinute: 80, perHour: 500 };
  const limits = { writes: rate, reads: rate, content: quota, sent: quota };
  const counts = { writesAtOnce: 1, atOnce: 80, readReserve: 0.1 };
  const pace = openPace('0123456789abcdef', { ...limits, ...counts });
  await pace.take('writes', 0);
  await pace.take('content', 0);
  await pace.leave('w1', 'write');
  const budget = { of: 'core', limit: 5000, remaining: 4999, resetMs: 3_600_000 } as const;
  await pace.arrive('w1', { blockedMs: 0, budget });
  await pace.leave('r1', 'read');
}
