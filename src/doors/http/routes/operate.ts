// The operator's hand on one task: requeue, priority, unlock, cancel.

import { cutNote } from '../../../core/attempt/cut-note.ts';
import { PRIORITIES } from '../../../core/priority.ts';
import { NOTE_MOST, TaskParams } from '../../schema/fields.ts';
import {
  BudgetBody,
  CancelBody,
  PriorityBody,
  RequeueBody,
  RetryLedgerAnswer,
  RetryLedgerBody,
  UnlockBody,
} from '../../schema/operate.ts';
import { TaskAnswer } from '../../schema/task.ts';
import { taskView } from '../../views/task.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';
import { knownTaskId } from './task-id.ts';

const config = { access: 'operator' } as const;
const shared = {
  tag: 'operators',
  params: TaskParams,
  answer: TaskAnswer,
  errors: [404, 409],
} as const;

export function routeOperate(app: App, { broker, observe }: Door): void {
  const requeue = describe({
    ...shared,
    summary: 'Offer the task again, at once or after a delay; attempts count from 0',
    body: RequeueBody,
  });
  app.post(
    '/tasks/:task_id/requeue',
    { config, schema: requeue },
    async ({ params, body, caller: { by } }) => {
      const input = { by, taskId: knownTaskId(params), delaySeconds: body.delay_seconds ?? 0 };
      return taskView(await observe('requeue', () => broker.requeue(input)));
    },
  );

  const priority = describe({ ...shared, summary: 'Set the priority', body: PriorityBody });
  app.post(
    '/tasks/:task_id/priority',
    { config, schema: priority },
    async ({ params, body, caller: { by } }) => {
      const wanted = body.priority;
      const input = {
        by,
        taskId: knownTaskId(params),
        priority: typeof wanted === 'number' ? wanted : PRIORITIES[wanted],
      };
      return taskView(await observe('prioritize', () => broker.prioritize(input)));
    },
  );

  const unlock = describe({
    ...shared,
    summary: 'Take the lease away from whoever holds it; the task is ready again',
    body: UnlockBody,
  });
  app.post(
    '/tasks/:task_id/unlock',
    { config, schema: unlock },
    async ({ params, caller: { by } }) => {
      const taskId = knownTaskId(params);
      return taskView(await observe('unlock', () => broker.unlock({ by, taskId })));
    },
  );

  const cancel = describe({ ...shared, summary: 'Cancel the task', body: CancelBody });
  app.post(
    '/tasks/:task_id/cancel',
    { config, schema: cancel },
    async ({ params, body, caller: { by } }) => {
      const input = {
        by,
        taskId: knownTaskId(params),
        reason:
          body.reason === undefined
            ? null
            : cutNote(body.reason.toWellFormed(), NOTE_MOST.progress),
      };
      return taskView(await observe('cancel', () => broker.cancel(input)));
    },
  );

  const budget = describe({
    ...shared,
    summary: 'Set what the task may use in all; held for its budget, it is offered again',
    body: BudgetBody,
  });
  app.post(
    '/tasks/:task_id/budget',
    { config, schema: budget },
    async ({ params, body, caller: { by } }) => {
      const limits = { costUsd: body.cost_usd ?? null, tokens: body.tokens ?? null };
      const input = { by, taskId: knownTaskId(params), limits };
      return taskView(await observe('set_budget', () => broker.setBudget(input)));
    },
  );

  const retry = describe({
    tag: 'operators',
    summary: 'Write what failed to reach the forge again, now',
    body: RetryLedgerBody,
    answer: RetryLedgerAnswer,
  });
  app.post('/ledger/retry', { config, schema: retry }, async () => ({
    retried: await observe('retry_ledger', () => broker.retryLedger()),
  }));
}
