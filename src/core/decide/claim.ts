// Claim's part that is decided here: the lease of the task that the store chose, and what an agent that holds
// something already gets. Choosing itself (the oldest head of the first group that has one) is the store's.

import { ATTEMPTS_KEPT } from '../attempt/history.ts';
import { nextFence } from '../attempt/lease.ts';
import type { FactBody } from '../facts.ts';
import type { Issue } from '../issue.ts';
import { leasedLedger } from '../ledger.ts';
import { type IssueRow, toStoredIssue } from '../rows/issue-row.ts';
import { type LedgerRow, toWrite } from '../rows/ledger-row.ts';
import {
  earlierAttempts,
  type LeasedRow,
  livingLeases,
  type TaskRow,
  toLease,
  toTask,
} from '../rows/task-row.ts';
import type { ClaimInput, HandOut, Write } from '../store.ts';
import type { Decision, Moment, Verb } from './verb.ts';
import { branchOf, findWrite, LABELS, ledgerIfChanged, lock, want, writeBranch } from './wants.ts';

type Asked = Pick<ClaimInput, 'agentId' | 'token' | 'leaseSeconds' | 'requestId'>;

export function leaseTo(row: TaskRow, asked: Asked, now: number): LeasedRow {
  const { agentId, token, leaseSeconds: seconds, requestId } = asked;
  const fence = nextFence(row.fence, now);
  return {
    ...row,
    state: 'leased',
    reason: null,
    fence,
    past: row.past.slice(1 - ATTEMPTS_KEPT),
    lease: {
      agentId,
      token,
      fence,
      seconds,
      leasedAt: now,
      expiresAt: now + seconds * 1000,
      requestId,
      answered: false,
      progress: [],
      usage: null,
      pausedUntil: null,
    },
    updatedAt: now,
  };
}

export function leasedFact(row: LeasedRow): FactBody {
  const { agentId, fence, expiresAt, requestId, leasedAt } = row.lease;
  return {
    type: 'leased',
    taskId: row.id,
    state: 'leased',
    agentId,
    fence,
    expiresAt,
    attempt: row.attempts + 1,
    requestId,
    waitedMs: Math.max(0, leasedAt - (row.enqueuedAt ?? leasedAt)),
  };
}

/** Branch and labels become entries of the outbox in the step of the lease. */
export function ledgerOfLease(before: LedgerRow, row: LeasedRow, now: number): LedgerRow {
  const branched = row.kind === 'review' ? before : writeBranch(before, row, now);
  return want(branched, leasedLedger(row.kind, row.lease.agentId), now, row);
}

export interface TakenWrites {
  readonly ledger: LedgerRow;
  readonly writes: readonly Write[];
  /** How many of its branch and label writes are not done yet, whoever does them. */
  readonly unwritten: number;
}

/** Branch and labels of a lease: those that are free are the caller's for `lockMs`. A null lock only counts. */
export function takeWritesOf(
  row: TaskRow,
  before: LedgerRow,
  lockMs: number | null,
  now: number,
): TakenWrites {
  let ledger = before;
  let unwritten = 0;
  const writes: Write[] = [];
  for (const entry of [branchOf(row), LABELS]) {
    const write = findWrite(ledger, entry);
    if (write === undefined) continue;
    unwritten += 1;
    if (lockMs === null || write.availableAt > now) continue;
    ledger = lock(ledger, write, now + lockMs);
    writes.push(toWrite(ledger, write));
  }
  return { ledger, writes, unwritten };
}

export interface Claimed extends TakenWrites {
  readonly row: LeasedRow;
}

export function claimTask(
  row: TaskRow,
  before: LedgerRow,
  input: ClaimInput,
  at: Moment,
): Decision<Claimed> {
  const { now } = at;
  const leased = leaseTo(row, input, now);
  const wanted = ledgerOfLease(before, leased, now);
  const { ledger, writes, unwritten } = takeWritesOf(leased, wanted, input.writeLockMs, now);
  return {
    ...ledgerIfChanged(before, ledger),
    tasks: [leased],
    facts: [leasedFact(leased)],
    answer: { row: leased, ledger, writes, unwritten },
  };
}

export interface Held {
  readonly row: LeasedRow;
  /** It is the answer to this very request. */
  readonly replay: boolean;
}

/** What an agent holds already. */
export function heldAlready(
  held: readonly TaskRow[],
  requestId: string | null,
  now: number,
): Held | null {
  const live = livingLeases(held, now);
  const same = requestId === null ? undefined : live.find((r) => r.lease.requestId === requestId);
  if (same !== undefined) return { row: same, replay: true };
  const [unfinished] = live;
  return unfinished === undefined ? null : { row: unfinished, replay: false };
}

/** The writes of a lease whose answer was lost belong to whoever asks again; who asks for more only sees how many. */
export const takeAgain: Verb<Held & Pick<ClaimInput, 'writeLockMs'>, Claimed> = {
  name: 'claim',
  needs: ({ row }) => ({ tasks: [], issue: row }),
  decide({ ledger: before }, { row, replay, writeLockMs }, { now }) {
    const taken = takeWritesOf(row, before, replay ? writeLockMs : null, now);
    return { ...ledgerIfChanged(before, taken.ledger), answer: { row, ...taken } };
  },
};

export const heldOutcome = ({ replay }: Held): 'leased' | 'unfinished' =>
  replay ? 'leased' : 'unfinished';

export function handOutOf(
  { row, writes, unwritten, ledger }: Claimed,
  issue: Pick<IssueRow, 'seenAt'>,
  picture: Issue,
  replay: boolean,
): HandOut {
  return {
    task: toTask(row),
    lease: toLease(row.lease),
    issue: toStoredIssue(picture, issue, ledger),
    attempts: earlierAttempts(row),
    writes,
    unwritten,
    replay,
    answered: row.lease.answered,
  };
}
