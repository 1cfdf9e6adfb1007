// A task as stores keep it: what everybody sees, and what only decisions look at.

import type { Attempt, AttemptOutcome, Lease, Task } from '../task.ts';
import type { Usage } from '../usage.ts';

/** A lease that lives, with what its holder has said so far. */
export interface LeaseRow extends Lease {
  /** True once the agent is known to have its token: from then on a new request is a new request. */
  readonly answered: boolean;
  /** The last notes, oldest first. */
  readonly progress: readonly string[];
  /** Totals, as its holder told them. */
  readonly usage: Usage | null;
  /** It asked people: until then it lives without heartbeats. */
  readonly pausedUntil: number | null;
}

/** A lease that ended. The token recognises a call that is repeated because its answer was lost. */
export interface PastLease extends Attempt {
  readonly token: string;
  readonly endedAt: number;
  readonly outcome: AttemptOutcome;
  /** Fingerprint of the report that ended it: the same token with another report is a conflict. */
  readonly report: string | null;
  /** How a failed attempt left the files; null: nobody said. */
  readonly tree: string | null;
}

export interface TaskRow extends Task {
  readonly lease: LeaseRow | null;
  /** An operator set the priority: no plan changes it. */
  readonly pinned: boolean;
  /** `readyAt` came from a failure or an operator: no plan sets it again. */
  readonly timed: boolean;
  /** It used up its budget: no plan offers it again before an operator raises that. */
  readonly overspent: boolean;
  /** Two attempts in a row left the same files: no plan offers it again before an operator requeues it. */
  readonly stuck: boolean;
  /** While it is leased: why the issue, as last seen, is not to be offered again when the lease ends. */
  readonly holdAfter: string | null;
  /** The last leases that ended, oldest first; with the live one at most ATTEMPTS_KEPT. */
  readonly past: readonly PastLease[];
}

export type LeasedRow = TaskRow & { readonly lease: LeaseRow };

/** The shortest of these leases that want heartbeats; null: none does. */
export function shortestLease(rows: readonly LeasedRow[]): number | null {
  const seconds = rows
    .filter(({ lease }) => lease.pausedUntil === null)
    .map(({ lease }) => lease.seconds);
  return seconds.length === 0 ? null : Math.min(...seconds);
}

/** A lease past its deadline is lost, also before the sweep has come by. */
export function isLive(row: TaskRow, now: number): row is LeasedRow {
  return row.lease !== null && row.lease.expiresAt > now;
}

/** The living leases of an agent, the first one first. */
export function livingLeases(held: readonly TaskRow[], now: number): LeasedRow[] {
  return held
    .filter((row) => isLive(row, now))
    .sort((a, b) => a.lease.leasedAt - b.lease.leasedAt || a.lease.fence - b.lease.fence);
}

export function isLeased(row: TaskRow): row is LeasedRow {
  return row.lease !== null;
}

export function toLease(lease: LeaseRow): Lease {
  const { agentId, token, fence, seconds, leasedAt, expiresAt, requestId } = lease;
  return { agentId, token, fence, seconds, leasedAt, expiresAt, requestId };
}

/** The row without what is nobody's business. */
export function toTask(row: TaskRow): Task {
  return {
    id: row.id,
    repository: row.repository,
    number: row.number,
    kind: row.kind,
    round: row.round,
    state: row.state,
    reason: row.reason,
    priority: row.priority,
    attempts: row.attempts,
    fence: row.fence,
    enqueuedAt: row.enqueuedAt,
    readyAt: row.readyAt,
    lease: row.lease === null ? null : toLease(row.lease),
    authors: row.authors,
    onlyAgent: row.onlyAgent,
    opensAt: row.opensAt,
    branch: row.branch,
    prNumber: row.prNumber,
    reviewComments: row.reviewComments,
    result: row.result,
    used: row.used,
    limits: row.limits,
    questions: row.questions,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    endedAt: row.endedAt,
  };
}

function toAttempt({ token: _t, report: _r, tree: _tree, ...attempt }: PastLease): Attempt {
  return attempt;
}

/** Leases that ended, oldest first. */
export function earlierAttempts(row: TaskRow): Attempt[] {
  return row.past.map(toAttempt);
}

/** Every lease that is remembered, the live one last. */
export function attemptsOf(row: TaskRow): Attempt[] {
  const earlier = earlierAttempts(row);
  if (row.lease === null) return earlier;
  const { agentId, fence, leasedAt, progress, usage } = row.lease;
  const running = { endedAt: null, outcome: null, note: null };
  return [
    ...earlier,
    { agentId, fence, branch: row.branch, startedAt: leasedAt, ...running, progress, usage },
  ];
}
