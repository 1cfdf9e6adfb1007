// What an operator may do to a task by hand.

import { taskLimits } from '../../core/attempt/budget.ts';
import { BantoError } from '../../core/errors.ts';
import { waitingLedger } from '../../core/ledger.ts';
import { explainReason } from '../../core/pairing/why.ts';
import type { Operated } from '../../core/store.ts';
import type { Task } from '../../core/task.ts';
import type { Broker } from '../broker.ts';
import type { Context } from '../context.ts';
import { named, unknownTask } from '../finish.ts';

function taskOrThrow(taskId: string, action: string, done: Operated): Task {
  if (done.outcome === 'ok') return done.task;
  if (done.outcome === 'not_found') throw unknownTask(taskId);
  const { state, reason } = done.task;
  const because = reason === null ? '' : ` (${explainReason(reason)})`;
  throw new BantoError(
    'conflict',
    `The task ${taskId} is ${state}${because}: it cannot be ${action}.`,
  );
}

type Operate = Pick<
  Broker,
  'requeue' | 'prioritize' | 'unlock' | 'cancel' | 'setBudget' | 'retryLedger'
>;

const RETRIED_AT_ONCE = 10_000;

export function createOperate({ store, policy }: Context, outbox: { kick(): void }): Operate {
  return {
    async requeue({ taskId, delaySeconds, ...asked }) {
      const ledger = waitingLedger(named(taskId).kind);
      const done = await store.requeue({ ...asked, taskId, delayMs: delaySeconds * 1000, ledger });
      return taskOrThrow(taskId, 'requeued', done);
    },
    async prioritize(input) {
      const { taskId } = input;
      named(taskId);
      return taskOrThrow(taskId, 'given another priority', await store.prioritize(input));
    },
    async unlock(input) {
      const { taskId } = input;
      const ledger = waitingLedger(named(taskId).kind);
      return taskOrThrow(taskId, 'unlocked', await store.unlock({ ...input, ledger }));
    },
    async cancel(input) {
      const { taskId, reason } = input;
      named(taskId);
      const done = await store.cancel({ ...input, reason: reason ?? 'operator', ledger: [] });
      return taskOrThrow(taskId, 'cancelled', done);
    },
    async setBudget(input) {
      const { taskId } = input;
      named(taskId);
      const done = await store.setBudget({ ...input, general: taskLimits(policy()) });
      return taskOrThrow(taskId, 'given another budget', done);
    },
    async retryLedger() {
      const count = await store.retryWrites(RETRIED_AT_ONCE);
      outbox.kick();
      return count;
    },
  };
}
