// Cancel: nobody shall do this task. A closed issue cancels in the same way, from `mirror`.

import type { TaskVerbs } from '../../core/store.ts';
import type { Step } from './commit.ts';
import type { Kit } from './kit.ts';
import { isLeased, type TaskRow, toTask } from './rows.ts';
import { loadStatements, set } from './statements.ts';

export type CancelTask = (row: TaskRow, reason: string, step: Step) => void;

export function createCancelTask(kit: Kit): CancelTask {
  const sql = loadStatements(kit.db, 'cancel', ['cancel']);
  return (row, reason, step) => {
    set(sql.cancel, { id: row.id, reason, now: step.now });
    if (isLeased(row)) kit.leases.end(row, 'cancelled', reason, step.now);
    step.append({
      type: 'cancelled',
      taskId: row.id,
      state: 'cancelled',
      reason,
      agentId: row.lease_agent,
      fence: isLeased(row) ? row.fence : null,
    });
  };
}

export function createCancel(kit: Kit, cancelTask: CancelTask): TaskVerbs['cancel'] {
  return (input) =>
    kit.write((step) => {
      const row = kit.shelf.find(input.taskId);
      if (row === undefined) return { outcome: 'not_found' };
      if (row.state === 'cancelled' || row.state === 'done') {
        const again = row.state === 'cancelled' && row.reason === input.reason;
        return { outcome: again ? 'ok' : 'conflict', task: toTask(row) };
      }
      cancelTask(row, input.reason, step);
      kit.ledger.want(row.issue_id, input.ledger, step.now);
      return { outcome: 'ok', task: toTask(kit.shelf.get(row.id)) };
    });
}
