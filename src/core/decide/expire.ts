// What time brings about: leases that lapsed, tasks that are due, reservations that end. One verb for each task;
// false: it was done already, or is not due after all.

import type { FactBody } from '../facts.ts';
import { isLeased, type TaskRow } from '../rows/task-row.ts';
import type { SweepInput } from '../store.ts';
import { budgetOf, bury, endLease, enter, heldFacts, holdForBudget, offerAgain } from './ending.ts';
import { needsTask, type Verb } from './verb.ts';
import { ledgerIfChanged, want } from './wants.ts';

const EXPIRED = 'expired';
const NOT_DUE = { answer: false };

export interface ExpireInput
  extends Pick<SweepInput, 'maxAttempts' | 'limits' | 'ledger' | 'deadLedger'> {
  readonly taskId: string;
}

export const expire: Verb<ExpireInput, boolean> = {
  name: 'expire',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId, maxAttempts, limits, ledger, deadLedger }, at) {
    const { now } = at;
    const row = found.task(taskId);
    if (row === undefined || !isLeased(row) || row.lease.expiresAt > now) return NOT_DUE;
    const { agentId, fence } = row.lease;
    const attempts = row.attempts + 1;
    const dead = attempts >= maxAttempts;
    const over = !dead && budgetOf(row, limits) !== null;
    const ended = { ...endLease(row, 'expired', null, now), attempts, endedAt: dead ? now : null };
    const overspent = over ? holdForBudget(ended, found.ledger, at) : null;
    const alone = dead
      ? enter(ended, 'dead', EXPIRED, at)
      : offerAgain(row, ended, 'ready', null, at);
    const next = overspent?.next ?? alone;
    const { state } = next;
    const fact: FactBody = { type: 'expired', taskId, state, agentId, fence, attempt: attempts };
    const death = dead ? bury(next, EXPIRED, found.ledger, deadLedger[row.kind], now) : null;
    const wanted = death?.ledger ?? want(overspent?.ledger ?? found.ledger, ledger[row.kind], now);
    return {
      tasks: [next],
      ...ledgerIfChanged(found.ledger, wanted),
      agents: [{ note: 'lapsed', agentId }],
      facts: [fact, ...(death === null ? [] : [death.fact]), ...heldFacts(next)],
      answer: true,
    };
  },
};

interface OneTask {
  readonly taskId: string;
}

export const promote: Verb<OneTask, boolean> = {
  name: 'promote',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId }, at) {
    const row = found.task(taskId);
    if (row?.state !== 'delayed' || (row.readyAt ?? 0) > at.now) return NOT_DUE;
    return {
      tasks: [enter(row, 'ready', null, at)],
      facts: [{ type: 'ready', taskId, state: 'ready', reason: null }],
      answer: true,
    };
  },
};

/** A reserved task is for everyone from now on. */
export const open: Verb<OneTask, boolean> = {
  name: 'open',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId }, { now }) {
    const row = found.task(taskId);
    if (row?.state !== 'ready' || row.opensAt === null || row.opensAt > now) return NOT_DUE;
    const next: TaskRow = { ...row, onlyAgent: null, opensAt: null, updatedAt: now };
    return {
      tasks: [next],
      facts: [{ type: 'ready', taskId, state: 'ready', reason: 'opened' }],
      answer: true,
    };
  },
};
