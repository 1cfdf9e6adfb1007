import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entry, idOf } from '../../../test/contract/store/world.ts';
import { type Desk, makeDesk } from '../../../test/support/desk.ts';
import type { Broker } from '../broker.ts';
import { createOperate } from './operate.ts';

let desk: Desk;
let operate: Pick<
  Broker,
  'requeue' | 'prioritize' | 'unlock' | 'cancel' | 'setBudget' | 'retryLedger'
>;
let kicks: number;

beforeEach(async () => {
  desk = makeDesk();
  kicks = 0;
  operate = createOperate(desk.context, { kick: () => (kicks += 1) });
  await desk.mirror(entry(1));
});
afterEach(() => desk.close());

const taskId = idOf(1);

describe('an operator', () => {
  it('puts a task back into the queue, at once or after seconds', async () => {
    const later = await operate.requeue({ taskId, delaySeconds: 7 });
    expect(later).toMatchObject({ state: 'delayed', readyAt: desk.time.now() + 7000 });
    expect((await operate.requeue({ taskId, delaySeconds: 0 })).state).toBe('ready');
  });

  it('sets a priority', async () => {
    expect((await operate.prioritize({ taskId, priority: 99 })).priority).toBe(99);
  });

  it('takes a lease away, and its labels with it', async () => {
    await desk.take('hana');
    expect((await operate.unlock({ taskId })).state).toBe('ready');
    expect((await desk.store.labels('octo/park', 1))?.wanted).toEqual([]);
  });

  it('cancels with a reason of its own, or with the one that says who did it', async () => {
    expect(await operate.cancel({ taskId, reason: null })).toMatchObject({
      state: 'cancelled',
      reason: 'operator',
    });
    await desk.mirror(entry(2));
    const told = await operate.cancel({ taskId: idOf(2), reason: 'a duplicate' });
    expect(told.reason).toBe('a duplicate');
  });

  it('sets what a task may use', async () => {
    const task = await operate.setBudget({ taskId, limits: { costUsd: 5, tokens: null } });
    expect(task.state).toBe('ready');
  });

  it('lets failed ledger writes be tried at once', async () => {
    const { writes } = await desk.take('hana', { writeLockMs: 60_000 });
    for (const write of writes) {
      await desk.store.settleWrite(write, { outcome: 'retry', delayMs: 60_000, error: 'no' });
    }
    expect([await operate.retryLedger(), kicks]).toEqual([2, 1]);
    expect(await desk.store.takeWrites(10, 1000)).toHaveLength(2);
  });

  it('is told which task is unknown, and what its state does not allow', async () => {
    const asks = (id: string) => [
      operate.requeue({ taskId: id, delaySeconds: 0 }),
      operate.prioritize({ taskId: id, priority: 1 }),
      operate.unlock({ taskId: id }),
      operate.cancel({ taskId: id, reason: null }),
      operate.setBudget({ taskId: id, limits: { costUsd: 1, tokens: null } }),
    ];
    for (const id of [idOf(9), 'nonsense']) {
      for (const asked of asks(id))
        await expect(asked).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(operate.unlock({ taskId })).rejects.toMatchObject({
      code: 'conflict',
      message: `The task ${taskId} is ready: it cannot be unlocked.`,
    });
    await desk.mirror(entry(3));
    await desk.complete(await desk.take('hana', { requestId: 'x' }));
    await expect(operate.cancel({ taskId, reason: null })).rejects.toThrow(
      `The task ${taskId} is done: it cannot be cancelled.`,
    );
    await operate.cancel({ taskId: idOf(3), reason: null });
    await expect(operate.unlock({ taskId: idOf(3) })).rejects.toThrow(
      `The task ${idOf(3)} is cancelled (operator): it cannot be unlocked.`,
    );
  });
});
