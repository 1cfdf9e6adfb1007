// Facts by the minute, for tests of what they add up to.

import type { Fact, FactBody } from '../../src/core/facts.ts';
import {
  type Activity,
  BANDS,
  type Band,
  createActivity,
} from '../../src/core/reporting/activity.ts';

export const START = Date.UTC(2026, 10, 15, 23, 30);
export const MINUTE = 60_000;
export const NOTHING = Object.fromEntries(BANDS.map((band) => [band, 0])) as Record<Band, number>;

/** Facts with their numbers and times: minutes after the start. */
export function facts(...told: readonly [minute: number, body: FactBody][]): Fact[] {
  return told.map(([minute, body], index) => ({
    ...body,
    seq: index + 1,
    at: START + minute * MINUTE,
  }));
}

export function taken(list: readonly Fact[]): Activity {
  const activity = createActivity();
  for (const fact of list) activity.take(fact);
  return activity;
}

export const ID = 'shop~7~implement.1';
export const REVIEW = 'shop~7~review.1';
export const accepted = (
  taskId: string,
  state: 'ready' | 'held' | 'delayed' = 'ready',
): FactBody => ({
  type: 'accepted',
  taskId,
  state,
  kind: 'implement',
  priority: 100,
  reason: null,
});
export const leased = (taskId: string, agentId: string, attempt = 1): FactBody => ({
  type: 'leased',
  taskId,
  state: 'leased',
  agentId,
  fence: attempt,
  expiresAt: START + 3_600_000,
  attempt,
  requestId: null,
  waitedMs: 5000,
});
export const failed = {
  type: 'failed',
  taskId: ID,
  state: 'delayed',
  agentId: 'ann',
  fence: 1,
  reason: 'no luck',
  attempt: 1,
  readyAt: START,
  workedMs: 1000,
} satisfies FactBody;
export const expired = {
  type: 'expired',
  taskId: ID,
  state: 'ready',
  agentId: 'ben',
  fence: 2,
  attempt: 2,
} satisfies FactBody;
export const completed = (taskId: string, verdict: 'approve' | null = null): FactBody => ({
  type: 'completed',
  taskId,
  state: 'done',
  agentId: 'cleo',
  fence: 3,
  summary: 'done it',
  verdict,
  prNumber: null,
  workedMs: 1000,
});
