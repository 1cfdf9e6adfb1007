// The ends of a lease that an agent asks for: complete, fail, release. And what every one of them shares.

import { hash } from 'node:crypto';
import { taskLimits } from '../core/attempt/budget.ts';
import { type Report, reportText } from '../core/attempt/report.ts';
import { retryDelays } from '../core/attempt/retry.ts';
import { BantoError, busy } from '../core/errors.ts';
import { deadLedger, waitingLedger } from '../core/ledger.ts';
import { outcomeOf } from '../core/plan/follow-up.ts';
import type { Ended } from '../core/store.ts';
import { parseTaskId, type Task, type TaskName, type Verdict } from '../core/task.ts';
import type { NewPullRequest } from '../core/usage.ts';
import type { Broker } from './broker.ts';
import type { Context } from './context.ts';
import { type LeaseCall, notTheHolder } from './lease/holder.ts';
import type { Mirror } from './mirror.ts';

export function unknownTask(taskId: string): BantoError {
  return new BantoError(
    'not_found',
    `There is no task ${taskId}. List the tasks to see the ids there are.`,
  );
}

export function leaseLost(taskId: string): BantoError {
  return new BantoError(
    'lease_lost',
    `The lease on ${taskId} is not yours any more: it expired, was taken back, or the issue was closed. Stop working on it and request a new task.`,
  );
}

function saidOtherwise(taskId: string): BantoError {
  return new BantoError(
    'conflict',
    `The end of ${taskId} was reported with this lease token before, and with other content. That report stands and this one was not recorded. Do two processes use the same agent_id?`,
  );
}

const fingerprintOf = (report: Report): string => hash('sha256', reportText(report)).slice(0, 32);

export function named(taskId: string): TaskName {
  const name = parseTaskId(taskId);
  if (name === null) throw unknownTask(taskId);
  return name;
}

export type Listing = Pick<Mirror, 'isListed'>;

/** Before everything was listed, an unknown task may be one that the store has lost: nobody knows yet. */
export async function unknownOrUnlisted(taskId: string, listing: Listing): Promise<BantoError> {
  if (await listing.isListed()) return unknownTask(taskId);
  return busy(undefined, 1, 'The backlog is still being listed, so the task may not be known yet.');
}

function checkVerdict(name: TaskName, verdict: Verdict | null, comments: readonly string[]): void {
  if (name.kind === 'review' && verdict === null) {
    throw new BantoError(
      'invalid_request',
      'A review is completed with a verdict: approve or request_changes.',
    );
  }
  if (verdict === 'request_changes' && comments.every((comment) => comment.trim() === '')) {
    throw new BantoError(
      'invalid_request',
      'A review that asks for changes needs at least one comment that says what to change.',
    );
  }
  if (name.kind !== 'review' && (verdict !== null || comments.length > 0)) {
    throw new BantoError(
      'invalid_request',
      `A verdict and comments belong to a review; this is a task of kind ${name.kind}.`,
    );
  }
}

type Finish = Pick<Broker, 'complete' | 'fail' | 'release'>;

export function createFinish(
  context: Context,
  mirror: Pick<Mirror, 'isListed' | 'replan'>,
): Finish {
  const { store, forge, log } = context;

  async function taskOrThrow(call: LeaseCall, ended: Ended): Promise<Task> {
    if (ended.outcome === 'ok') return ended.task;
    if (ended.outcome === 'conflict') throw saidOtherwise(call.taskId);
    if (ended.outcome === 'lease_lost') throw leaseLost(call.taskId);
    if (ended.outcome === 'forbidden') throw notTheHolder(call);
    throw await unknownOrUnlisted(call.taskId, mirror);
  }

  /** Reviews have nothing to open, and some forges have no pull requests. */
  function toOpen({ kind }: TaskName, wish: NewPullRequest | null | undefined) {
    return forge.openPull === undefined || kind === 'review' ? null : (wish ?? null);
  }

  async function complete(input: Parameters<Broker['complete']>[0]): Promise<Task> {
    const name = named(input.taskId);
    checkVerdict(name, input.verdict, input.comments);
    const reviewable = !forge.hasPullRequests || input.prNumber !== null;
    const outcome = outcomeOf(name, input.verdict, input.comments, context.policy(), reviewable);
    context.reached('before_complete');
    const fingerprint = fingerprintOf({ verb: 'complete', ...input });
    const pullRequest = toOpen(name, input.pullRequest);
    const ended = await store.complete({ ...input, pullRequest, ...outcome, fingerprint });
    context.reached('after_complete');
    const task = await taskOrThrow(input, ended);
    if (!reviewable && outcome.followUp?.state === 'held') {
      // The pull request may be known already; if this fails, the next full pass does it.
      await mirror.replan(name.repository, name.number).catch((error: unknown) => {
        log.warn({ err: error, task_id: input.taskId }, 'could not look for the pull request yet');
      });
    }
    return task;
  }

  async function fail(input: Parameters<Broker['fail']>[0]): Promise<Task> {
    const { kind } = named(input.taskId);
    const { maxAttempts } = context.policy();
    const ended = await store.fail({
      taskId: input.taskId,
      token: input.token,
      agentId: input.agentId ?? null,
      fingerprint: fingerprintOf({ verb: 'fail', ...input }),
      reason: input.reason,
      retryable: input.retryable,
      // One delay less than attempts: the last failure is not retried.
      retryDelaysMs: retryDelays(maxAttempts - 1, context.random),
      delayMs: input.delaySeconds === null ? null : input.delaySeconds * 1000,
      tree: input.tree ?? null,
      usage: input.usage ?? null,
      limits: taskLimits(context.policy()),
      ledger: waitingLedger(kind),
      deadLedger: deadLedger(kind),
    });
    return taskOrThrow(input, ended);
  }

  async function release(input: Parameters<Broker['release']>[0]): Promise<Task> {
    const { taskId, token, agentId = null, reason, delaySeconds = null, usage = null } = input;
    const { kind } = named(taskId);
    const ended = await store.release({
      taskId,
      token,
      agentId,
      reason,
      usage,
      delayMs: (delaySeconds ?? 0) * 1000,
      fingerprint: fingerprintOf({ verb: 'release', reason, delaySeconds }),
      limits: taskLimits(context.policy()),
      ledger: waitingLedger(kind),
    });
    return taskOrThrow(input, ended);
  }

  return { complete, fail, release };
}
