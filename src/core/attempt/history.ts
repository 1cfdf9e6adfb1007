// How much of a task's past is kept, shown and handed on. One client must not make it grow without bound.

import type { Fact, FactBody } from '../facts.ts';
import type { Attempt, Lease } from '../task.ts';

/** Facts of a task that one answer shows; older ones are read by cursor. */
export const HISTORY_SHOWN = 100;
/** Facts of a task that a store can always find again, as long as facts are kept at all. */
export const HISTORY_KEPT = 1000;
/** Attempts of a task that are kept; older ones are forgotten when a new lease begins. */
export const ATTEMPTS_KEPT = 20;

const HANDOFF_ATTEMPTS = 5;
const HANDOFF_NOTE = 2000;

/** One page of a history: `facts` are its newest, oldest first, one more than are shown where there are more. */
export function historyPage(facts: readonly Fact[]): {
  history: Fact[];
  nextHistoryCursor: string | null;
} {
  const history = facts.slice(-HISTORY_SHOWN);
  const more = facts.length > HISTORY_SHOWN;
  return { history, nextHistoryCursor: more ? String(history[0]?.seq ?? 0) : null };
}

/**
 * A heartbeat without news is recorded once in each quarter of a lease time, however often it comes: facts
 * then grow with time, not with calls. `lease` is as it was before the renewal.
 */
export function recordsRenewal(
  lease: Pick<Lease, 'leasedAt' | 'seconds' | 'expiresAt'>,
  now: number,
): boolean {
  const quarterOf = (at: number) => Math.floor((at - lease.leasedAt) / (lease.seconds * 250));
  return quarterOf(now) !== quarterOf(lease.expiresAt - lease.seconds * 1000);
}

/** A renewal without news is told and counted, but is no part of the task's history. */
export function isHistory(body: FactBody): boolean {
  return body.type !== 'renewed' || body.progress !== null;
}

function cut(text: string): string {
  if (text.length <= HANDOFF_NOTE) return text;
  return `${text.slice(0, HANDOFF_NOTE).toWellFormed()} […cut]`;
}

/** What the next agent is told of earlier attempts: the last few, each note of a bounded length. */
export function handoffOf(attempts: readonly Attempt[]): Attempt[] {
  return attempts.slice(-HANDOFF_ATTEMPTS).map((attempt) => ({
    ...attempt,
    note: attempt.note === null ? null : cut(attempt.note),
    progress: attempt.progress.map(cut),
  }));
}
