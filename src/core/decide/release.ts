// Release and unlock: the lease is given back, or taken back. The task keeps its place; no attempt is counted.

import { byHand } from '../facts.ts';
import { isLeased, type LeasedRow, type TaskRow, toTask } from '../rows/task-row.ts';
import type { Ended, Operated, TaskVerbs } from '../store.ts';
import {
  budgetOf,
  endLease,
  heldFacts,
  holdForBudget,
  holding,
  offerAgain,
  seen,
  spend,
} from './ending.ts';
import { type Moment, needsTask, type Verb } from './verb.ts';
import { ledgerIfChanged, want } from './wants.ts';

/** The reason of a task that was given back for a time. */
const QUOTA = 'quota';

function givenBack(row: LeasedRow, ended: TaskRow, delayMs: number, at: Moment): TaskRow {
  if (delayMs <= 0) return offerAgain(row, ended, 'ready', null, at);
  return {
    ...offerAgain(row, ended, 'delayed', QUOTA, at),
    readyAt: at.now + delayMs,
    timed: true,
  };
}

export const release: Verb<Parameters<TaskVerbs['release']>[0], Ended> = {
  name: 'release',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, input, at) {
    const { now } = at;
    const { taskId, reason, ledger, unheardBy } = input;
    const held = holding(found.task(taskId), input, 'released', now);
    if (held.live === null) return held.decision;
    const { agentId, fence, expiresAt, requestId, answered } = held.live.lease;
    if (unheardBy !== undefined && (requestId !== unheardBy || answered)) {
      return { answer: { outcome: 'lease_lost' } };
    }
    const { spent, uses } = spend(held.live, input.usage);
    const ended = endLease(spent, 'released', reason, now, input.fingerprint);
    const over =
      budgetOf(spent, input.limits) === null ? null : holdForBudget(ended, found.ledger, at);
    const next = over?.next ?? givenBack(spent, ended, input.delayMs ?? 0, at);
    const about = { taskId, state: next.state, agentId, fence, reason, ...uses } as const;
    const until =
      next.state === 'delayed' && next.readyAt !== null ? { readyAt: next.readyAt } : {};
    return {
      tasks: [next],
      ...ledgerIfChanged(found.ledger, want(over?.ledger ?? found.ledger, ledger, now)),
      agents: seen(agentId),
      facts: [{ type: 'released', ...about, ...until }, ...heldFacts(next)],
      until: expiresAt,
      answer: { outcome: 'ok', task: toTask(next) },
    };
  },
};

export const unlock: Verb<Parameters<TaskVerbs['unlock']>[0], Operated> = {
  name: 'unlock',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId, ledger, ...asked }, at) {
    const { now } = at;
    const row = found.task(taskId);
    if (row === undefined) return { answer: { outcome: 'not_found' } };
    if (!isLeased(row)) {
      // Unlocked and not taken since: the caller asks again because it never heard.
      const open = row.state === 'ready' || row.state === 'held';
      const again = open && row.past.at(-1)?.outcome === 'unlocked';
      return { answer: { outcome: again ? 'ok' : 'conflict', task: toTask(row) } };
    }
    const { agentId, fence } = row.lease;
    const next = offerAgain(row, endLease(row, 'unlocked', null, now), 'ready', null, at);
    const about = { taskId, state: next.state, agentId, fence } as const;
    return {
      tasks: [next],
      ...ledgerIfChanged(found.ledger, want(found.ledger, ledger, now)),
      facts: [{ type: 'unlocked', ...about, ...byHand(asked) }, ...heldFacts(next)],
      answer: { outcome: 'ok', task: toTask(next) },
    };
  },
};
