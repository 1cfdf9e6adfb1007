// What the holder of a lease says: heartbeat, complete, fail, release. The lease's token is the proof;
// where tokens are needed, the caller's own must be valid too.

import { CompleteBody } from '../schema/complete.ts';
import { FailBody } from '../schema/fail.ts';
import { TaskParams } from '../schema/fields.ts';
import { HeartbeatAnswer, HeartbeatBody } from '../schema/heartbeat.ts';
import { ReleaseBody } from '../schema/release.ts';
import { TaskAnswer } from '../schema/task.ts';
import { instant } from '../views/instant.ts';
import { taskView } from '../views/task.ts';
import { describe } from './describe.ts';
import type { Door } from './door.ts';
import type { App } from './server.ts';
import { knownTaskId } from './task-id.ts';

// The end of a log may be cut in the middle of a character: what is left is made valid, not refused.
function text(given: string | undefined): string | null {
  return given === undefined ? null : given.toWellFormed();
}

const config = { access: 'agent' } as const;
const tag = 'agents' as const;
const params = TaskParams;
const errors = [404, 409] as const;

export function routeHeartbeat(app: App, { broker, observe }: Door): void {
  const summary = 'Renew the lease, with a note on progress';
  const schema = describe({
    tag,
    summary,
    params,
    body: HeartbeatBody,
    answer: HeartbeatAnswer,
    errors,
  });
  app.post('/tasks/:task_id/heartbeat', { config, schema }, async ({ params, body }) => {
    const taskId = knownTaskId(params);
    const input = { taskId, token: body.lease_token, progress: text(body.progress) };
    const { expiresAt } = await observe('heartbeat', () => broker.heartbeat(input));
    return { expires_at: instant(expiresAt) };
  });
}

export function routeComplete(app: App, { broker, observe }: Door): void {
  const summary = 'The work is done; a review says its verdict';
  const schema = describe({ tag, summary, params, body: CompleteBody, answer: TaskAnswer, errors });
  app.post('/tasks/:task_id/complete', { config, schema }, async ({ params, body }) => {
    const input = {
      taskId: knownTaskId(params),
      token: body.lease_token,
      summary: text(body.summary),
      prNumber: body.pr_number ?? null,
      verdict: body.verdict ?? null,
      comments: (body.comments ?? []).map((comment) => comment.toWellFormed()),
    };
    return taskView(await observe('complete', () => broker.complete(input)));
  });
}

export function routeFail(app: App, { broker, observe }: Door): void {
  const summary = 'The work failed; it is tried again later unless that is useless';
  const schema = describe({ tag, summary, params, body: FailBody, answer: TaskAnswer, errors });
  app.post('/tasks/:task_id/fail', { config, schema }, async ({ params, body }) => {
    const input = {
      taskId: knownTaskId(params),
      token: body.lease_token,
      reason: body.reason.toWellFormed(),
      retryable: body.retryable ?? true,
      delaySeconds: body.delay_seconds ?? null,
    };
    return taskView(await observe('fail', () => broker.fail(input)));
  });
}

export function routeRelease(app: App, { broker, observe }: Door): void {
  const summary = 'Give the task back; no attempt is counted';
  const schema = describe({ tag, summary, params, body: ReleaseBody, answer: TaskAnswer, errors });
  app.post('/tasks/:task_id/release', { config, schema }, async ({ params, body }) => {
    const input = {
      taskId: knownTaskId(params),
      token: body.lease_token,
      reason: text(body.reason),
    };
    return taskView(await observe('release', () => broker.release(input)));
  });
}
