// Tells the server how an attempt ended. Finished work is never lost to a server that is away: it is asked
// again until it answers, or until somebody cannot wait.

import { setTimeout as sleep } from 'node:timers/promises';
import { NO_PROGRESS } from '../core/attempt/no-progress.ts';
import { BantoError } from '../core/errors.ts';
import type { Bench } from './bench.ts';
import { isAway, isLost } from './lease.ts';
import { pushBranch } from './place/branch.ts';
import type { Rounds } from './rounds.ts';

export type Ended = 'completed' | 'failed' | 'released' | 'abandoned';

export interface Report {
  readonly how: Ended;
  readonly text: string;
}

const FIRST_PAUSE_MS = 1000;
const MOST_PAUSE_MS = 30_000;
const URGENT_MS = 2000;
const MOST_REASON = 19_000;
const MOST_RELEASE = 3900;
const MOST_SUMMARY = 4000;
const MOST_TITLE = 200;
const STUCK = 'The attempt before left the very same files: the task waits for a person.';
export const LOST: Report = { how: 'abandoned', text: 'the lease was lost' };

/** Null: the lease is no longer ours. */
async function persist<T>(
  bench: Bench,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const { urgent } = bench.deps.stops;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MOST_PAUSE_MS, pauseMs * 2)) {
    try {
      return await call(
        urgent.aborted ? AbortSignal.timeout(URGENT_MS) : new AbortController().signal,
      );
    } catch (error) {
      if (isLost(error) || (error instanceof BantoError && error.code === 'conflict')) return null;
      if (!isAway(error) || urgent.aborted) throw error;
      bench.deps.tell({ type: 'away', agentId: bench.agentId, text: (error as Error).message });
      await sleep(pauseMs, undefined, { signal: urgent }).catch(() => undefined);
    }
  }
}

function plain(text: string, most: number): string {
  const clean = text.replaceAll('\0', '').trim();
  return clean.length > most ? `${clean.slice(0, most)}…` : clean;
}

function usagePart(bench: Bench) {
  const usage = bench.meter.body();
  return usage === null ? {} : { usage };
}

export async function reportFailure(
  bench: Bench,
  reason: string,
  tree: string | null = null,
): Promise<Report> {
  const { deps, task, log } = bench;
  const end = log.tail();
  await bench.lease.flush();
  const full = end === '' ? reason : `${reason}\n\nThe end of the log:\n${end}`;
  const answer = await persist(bench, (signal) =>
    deps.client.fail(
      task.task_id,
      {
        lease_token: task.lease.token,
        reason: plain(full, MOST_REASON),
        ...(tree === null ? {} : { tree }),
        ...usagePart(bench),
      },
      { signal },
    ),
  );
  if (answer === null) return LOST;
  const stuck = answer.state === 'held' && answer.reason === NO_PROGRESS;
  return { how: 'failed', text: stuck ? `${reason} ${STUCK}` : reason };
}

export async function reportRelease(
  bench: Bench,
  reason: string,
  delaySeconds: number | null,
): Promise<Report> {
  const { deps, task, lease } = bench;
  await lease.flush();
  const answer = await persist(bench, (signal) =>
    deps.client.release(
      task.task_id,
      {
        lease_token: task.lease.token,
        reason: plain(reason, MOST_RELEASE),
        ...(delaySeconds === null ? {} : { delay_seconds: delaySeconds }),
        ...usagePart(bench),
      },
      { signal },
    ),
  );
  return answer === null ? LOST : { how: 'released', text: reason };
}

function summaryOf(bench: Bench, { outcome, words, look }: Rounds): string {
  if (outcome.do === 'complete' && outcome.how === 'no_change') {
    return plain(`No change needed. ${words}`, MOST_SUMMARY);
  }
  const subjects = (look?.subjects ?? []).map((subject) => `- ${subject}`).join('\n');
  if (!bench.settings.preset.hasResult) return plain(subjects, MOST_SUMMARY);
  return plain(words === '' ? subjects : words, MOST_SUMMARY);
}

function titleOf(bench: Bench, { look }: Rounds): string {
  const [only, ...more] = look?.subjects ?? [];
  const title = only !== undefined && more.length === 0 ? only : bench.task.title;
  const line = title.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim();
  return (line === '' ? `Issue ${bench.task.issue_id}` : line).slice(0, MOST_TITLE).toWellFormed();
}

async function completeChange(bench: Bench, rounds: Rounds): Promise<Report> {
  const { deps, task, checkout, lease, log } = bench;
  // Never push for a task that somebody else has by now.
  if (!(await lease.confirm())) return LOST;
  const pause = (ms: number) => sleep(ms).then(() => undefined);
  if ((await pushBranch(checkout, task.branch_name, pause)) === 'rejected') {
    const reason = `${task.branch_name} could not be pushed: others pushed to it meanwhile.`;
    return reportFailure(bench, reason, rounds.look?.tree ?? null);
  }
  if (checkout.remote !== null) log.banto(`pushed ${task.branch_name} to ${checkout.remote}`);
  const summary = summaryOf(bench, rounds);
  const answer = await persist(bench, (signal) =>
    deps.client.complete(
      task.task_id,
      {
        lease_token: task.lease.token,
        summary,
        ...(checkout.remote === null || task.pr_number !== null
          ? {}
          : {
              pull_request: {
                title: titleOf(bench, rounds),
                body: `${summary}\n\nFor #${task.issue_id}.`,
              },
            }),
        ...usagePart(bench),
      },
      { signal },
    ),
  );
  return answer === null ? LOST : { how: 'completed', text: summary };
}

async function completeWords(bench: Bench, rounds: Rounds): Promise<Report> {
  const { deps, task, lease } = bench;
  await lease.flush();
  const { verdict } = rounds;
  const summary = verdict === null ? summaryOf(bench, rounds) : verdict.summary;
  const answer = await persist(bench, (signal) =>
    deps.client.complete(
      task.task_id,
      {
        lease_token: task.lease.token,
        summary,
        ...(verdict === null ? {} : { verdict: verdict.verdict, comments: [...verdict.comments] }),
        ...usagePart(bench),
      },
      { signal },
    ),
  );
  if (answer === null) return LOST;
  return { how: 'completed', text: verdict === null ? summary : `${verdict.verdict}: ${summary}` };
}

export async function report(bench: Bench, rounds: Rounds): Promise<Report> {
  const { outcome } = rounds;
  switch (outcome.do) {
    case 'abandon':
      return LOST;
    case 'fault':
      return reportRelease(bench, outcome.reason, null);
    case 'release':
      return reportRelease(bench, outcome.reason, outcome.delaySeconds);
    case 'fail':
      return reportFailure(bench, outcome.reason, rounds.look?.tree ?? null);
    case 'complete':
      return outcome.how === 'changed'
        ? completeChange(bench, rounds)
        : completeWords(bench, rounds);
  }
}
