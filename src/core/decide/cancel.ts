// Cancel: nobody shall do this task. A closed issue cancels in the same way, from `mirror`.

import { type ByHand, byHand, type FactBody } from '../facts.ts';
import { isLeased, type TaskRow, toTask } from '../rows/task-row.ts';
import type { Operated, TaskVerbs } from '../store.ts';
import { endLease } from './ending.ts';
import { needsTask, type Verb } from './verb.ts';
import { ledgerIfChanged, want } from './wants.ts';

export function cancelTask(
  row: TaskRow,
  reason: string,
  now: number,
  asked: ByHand = {},
): { readonly row: TaskRow; readonly fact: FactBody } {
  const ended = isLeased(row) ? endLease(row, 'cancelled', reason, now) : row;
  const { agentId, fence } = row.lease ?? { agentId: null, fence: null };
  const about = { taskId: row.id, state: 'cancelled', reason } as const;
  return {
    row: { ...ended, state: 'cancelled', reason, updatedAt: now, endedAt: now },
    fact: { type: 'cancelled', ...about, agentId, fence, ...byHand(asked) },
  };
}

export const cancel: Verb<Parameters<TaskVerbs['cancel']>[0], Operated> = {
  name: 'cancel',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId, reason, ledger, ...asked }, { now }) {
    const row = found.task(taskId);
    if (row === undefined) return { answer: { outcome: 'not_found' } };
    if (row.state === 'cancelled' || row.state === 'done') {
      const again = row.state === 'cancelled' && row.reason === reason;
      return { answer: { outcome: again ? 'ok' : 'conflict', task: toTask(row) } };
    }
    const cancelled = cancelTask(row, reason, now, asked);
    return {
      tasks: [cancelled.row],
      ...ledgerIfChanged(found.ledger, want(found.ledger, ledger, now)),
      facts: [cancelled.fact],
      answer: { outcome: 'ok', task: toTask(cancelled.row) },
    };
  },
};
