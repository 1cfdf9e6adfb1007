// Recall: the hand-out of a request that was claimed for it before. And the mark that its answer was sent.

import type { LedgerRow } from '../rows/ledger-row.ts';
import { type LeasedRow, livingLeases, type TaskRow } from '../rows/task-row.ts';
import type { RecallInput, TaskVerbs } from '../store.ts';
import { type Claimed, takeWritesOf } from './claim.ts';
import { type Decision, needsTask, type Verb } from './verb.ts';

/** Which of the tasks that an agent holds is meant; null: none. */
export function recalled(
  held: readonly TaskRow[],
  { requestId, takeOver }: Pick<RecallInput, 'requestId' | 'takeOver'>,
  now: number,
): LeasedRow | null {
  const living = livingLeases(held, now);
  const own = living.find(({ lease }) => lease.requestId === requestId);
  if (own !== undefined || !takeOver) return own ?? null;
  return living.find(({ lease }) => !lease.answered) ?? null;
}

/** The lease belongs to this request from now on, and so do its writes that nobody is making. */
export function recallTask(
  row: LeasedRow,
  before: LedgerRow,
  { requestId, writeLockMs }: Pick<RecallInput, 'requestId' | 'writeLockMs'>,
  now: number,
): Decision<Claimed> {
  const taken = takeWritesOf(row, before, writeLockMs, now);
  const own = row.lease.requestId === requestId;
  const next: LeasedRow = own ? row : { ...row, lease: { ...row.lease, requestId } };
  return {
    ...(own ? {} : { tasks: [next] }),
    ...(taken.ledger === before ? {} : { ledger: taken.ledger }),
    until: row.lease.expiresAt,
    answer: { row: next, ...taken },
  };
}

/** Which of these is meant is decided on what is there now: null where it is none of them any more. */
export const recall: Verb<RecallInput & { readonly taskId: string }, Claimed | null> = {
  name: 'recall',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, input, { now }) {
    const row = found.task(input.taskId);
    const own = row === undefined || row.lease?.agentId !== input.agentId ? [] : [row];
    const living = recalled(own, input, now);
    return living === null ? { answer: null } : recallTask(living, found.ledger, input, now);
  },
};

export const markAnswered: Verb<Parameters<TaskVerbs['markAnswered']>[0], void> = {
  name: 'markAnswered',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId, token }) {
    const row = found.task(taskId);
    const lease = row?.lease ?? null;
    if (row === undefined || lease === null || lease.token !== token || lease.answered) {
      return { answer: undefined };
    }
    return { tasks: [{ ...row, lease: { ...lease, answered: true } }], answer: undefined };
  },
};
