// What the holder of a lease says: heartbeat, complete, fail, release. The lease's token is the proof;
// where tokens are needed, the caller's own must be valid too, and an agent's must be the holder's.

import { BUDGET } from '../../../core/attempt/budget.ts';
import { cutNote } from '../../../core/attempt/cut-note.ts';
import type { NewPullRequest, Usage } from '../../../core/usage.ts';
import { CompleteBody } from '../../schema/complete.ts';
import { FailBody } from '../../schema/fail.ts';
import { NOTE_MOST, TaskParams } from '../../schema/fields.ts';
import { HeartbeatAnswer, HeartbeatBody } from '../../schema/heartbeat.ts';
import { ReleaseBody } from '../../schema/release.ts';
import { TaskAnswer } from '../../schema/task.ts';
import type { UsageBody } from '../../schema/usage.ts';
import { instant } from '../../views/instant.ts';
import { taskView } from '../../views/task.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';
import { knownTaskId } from './task-id.ts';

// The end of a log may be cut in the middle of a character: what is left is made valid, not refused.
function text(given: string, most: number): string {
  return cutNote(given.toWellFormed(), most);
}
function optional(given: string | undefined, most: number): string | null {
  return given === undefined ? null : text(given, most);
}

function usageOf(given: UsageBody | undefined): Usage | null {
  if (given === undefined) return null;
  return {
    model: given.model ?? null,
    inputTokens: given.input_tokens ?? null,
    outputTokens: given.output_tokens ?? null,
    cachedTokens: given.cached_tokens ?? null,
    costUsd: given.cost_usd ?? null,
    turns: given.turns ?? null,
    sessionId: given.session_id ?? null,
  };
}

function pullRequestOf(given: CompleteBody['pull_request']): NewPullRequest | null {
  if (given === undefined) return null;
  return { title: given.title, body: optional(given.body, NOTE_MOST.pullRequest) ?? '' };
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
  app.post('/tasks/:task_id/heartbeat', { config, schema }, async ({ params, body, caller }) => {
    const taskId = knownTaskId(params);
    const { agentId } = caller;
    const progress = optional(body.progress, NOTE_MOST.progress);
    const usage = usageOf(body.usage);
    const input = { taskId, token: body.lease_token, agentId, progress, usage };
    const beat = await observe('heartbeat', () => broker.heartbeat(input));
    return {
      expires_at: instant(beat.expiresAt),
      stop: beat.stop === null ? null : { reason: BUDGET, detail: beat.stop },
      answers: beat.answers.map(({ id, question, answer }) => ({
        question_id: id,
        question,
        answer: answer ?? '',
      })),
    };
  });
}

export function routeComplete(app: App, { broker, observe }: Door): void {
  const summary = 'The work is done; a review says its verdict';
  const schema = describe({ tag, summary, params, body: CompleteBody, answer: TaskAnswer, errors });
  app.post('/tasks/:task_id/complete', { config, schema }, async ({ params, body, caller }) => {
    const input = {
      taskId: knownTaskId(params),
      token: body.lease_token,
      agentId: caller.agentId,
      summary: optional(body.summary, NOTE_MOST.summary),
      prNumber: body.pr_number ?? null,
      verdict: body.verdict ?? null,
      comments: (body.comments ?? []).map((comment) => text(comment, NOTE_MOST.comment)),
      pullRequest: pullRequestOf(body.pull_request),
      usage: usageOf(body.usage),
    };
    return taskView(await observe('complete', () => broker.complete(input)));
  });
}

export function routeFail(app: App, { broker, observe }: Door): void {
  const summary = 'The work failed; it is tried again later unless that is useless';
  const schema = describe({ tag, summary, params, body: FailBody, answer: TaskAnswer, errors });
  app.post('/tasks/:task_id/fail', { config, schema }, async ({ params, body, caller }) => {
    const input = {
      taskId: knownTaskId(params),
      token: body.lease_token,
      agentId: caller.agentId,
      reason: text(body.reason, NOTE_MOST.reason),
      retryable: body.retryable ?? true,
      delaySeconds: body.delay_seconds ?? null,
      tree: body.tree ?? null,
      usage: usageOf(body.usage),
    };
    return taskView(await observe('fail', () => broker.fail(input)));
  });
}

export function routeRelease(app: App, { broker, observe }: Door): void {
  const summary = 'Give the task back; no attempt is counted';
  const schema = describe({ tag, summary, params, body: ReleaseBody, answer: TaskAnswer, errors });
  app.post('/tasks/:task_id/release', { config, schema }, async ({ params, body, caller }) => {
    const input = {
      taskId: knownTaskId(params),
      token: body.lease_token,
      agentId: caller.agentId,
      reason: optional(body.reason, NOTE_MOST.progress),
      delaySeconds: body.delay_seconds ?? null,
      usage: usageOf(body.usage),
    };
    return taskView(await observe('release', () => broker.release(input)));
  });
}
