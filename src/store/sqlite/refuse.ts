// Refuse: the forge will never accept the writes of this lease. It is undone and the task held.

import type { TaskVerbs } from '../../core/store.ts';
import type { Kit } from './kit.ts';
import { toTask } from './rows.ts';
import { loadStatements, set } from './statements.ts';

const PREFIX = 'refused:';

export function isRefused(reason: string | null): boolean {
  return reason?.startsWith(PREFIX) ?? false;
}

export function createRefuse(kit: Kit): TaskVerbs['refuse'] {
  const { leases, ledger, shelf } = kit;
  const sql = loadStatements(kit.db, 'refuse', ['refuse']);
  return (input) =>
    kit.write((step) => {
      const { now } = step;
      const { taskId, fence, holdMs } = input;
      const checked = leases.checkFence(taskId, fence, 'refused', now);
      if (checked.live === null) return checked.answer;
      const row = checked.live;
      const reason = `${PREFIX}${input.reason}`;
      set(sql.refuse, { id: taskId, fence, reason, ready_at: now + holdMs, now });
      leases.end(row, 'refused', input.reason, now);
      const agentId = row.lease_agent;
      step.append({ type: 'refused', taskId, state: 'held', agentId, fence, reason });
      ledger.want(row.issue_id, input.ledger, now);
      return { outcome: 'ok', task: toTask(shelf.get(taskId)) };
    });
}
