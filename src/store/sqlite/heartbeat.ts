// Heartbeat: renews a live lease and keeps the last progress notes.

import type { TaskVerbs } from '../../core/store.ts';
import { PROGRESS_KEPT } from '../../core/task.ts';
import type { Kit } from './kit.ts';
import { type LeasedRow, strings } from './rows.ts';
import { first, loadStatements } from './statements.ts';

export function createHeartbeat(kit: Kit): TaskVerbs['heartbeat'] {
  const sql = loadStatements(kit.db, 'heartbeat', ['renew', 'notes', 'note']);

  /** A note that repeats the last one is the same call again, not news. */
  function note(row: LeasedRow, progress: string): void {
    const lease = { task_id: row.id, fence: row.fence };
    const notes = strings(first<{ progress: string }>(sql.notes, lease)?.progress ?? '[]');
    if (notes.at(-1) === progress) return;
    sql.note.run({
      ...lease,
      progress: JSON.stringify([...notes, progress].slice(-PROGRESS_KEPT)),
    });
  }

  return (input) =>
    kit.write((step) => {
      const { now } = step;
      const row = first<LeasedRow>(sql.renew, { id: input.taskId, token: input.token, now });
      if (row === undefined) {
        return { outcome: kit.shelf.find(input.taskId) === undefined ? 'not_found' : 'lease_lost' };
      }
      if (input.progress !== null) note(row, input.progress);
      kit.leases.touch(row.lease_agent, now);
      step.append({
        type: 'renewed',
        taskId: row.id,
        state: 'leased',
        agentId: row.lease_agent,
        fence: row.fence,
        expiresAt: row.lease_expires_at,
        progress: input.progress,
      });
      return { outcome: 'ok', expiresAt: row.lease_expires_at };
    });
}
