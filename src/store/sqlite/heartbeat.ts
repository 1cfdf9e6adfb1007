// Heartbeat: renews a live lease and keeps the last progress notes.

import { recordsRenewal } from '../../core/history.ts';
import type { TaskVerbs } from '../../core/store.ts';
import { PROGRESS_KEPT } from '../../core/task.ts';
import type { Kit } from './kit.ts';
import { isLive, type LeasedRow, strings, toLease } from './rows.ts';
import { first, loadStatements } from './statements.ts';

export function createHeartbeat(kit: Kit): TaskVerbs['heartbeat'] {
  const sql = loadStatements(kit.db, 'heartbeat', ['renew', 'notes', 'note']);

  /** False: it repeats the last one; that is the same call again, not news. */
  function note(row: LeasedRow, progress: string | null): boolean {
    if (progress === null) return false;
    const lease = { task_id: row.id, fence: row.fence };
    const notes = strings(first<{ progress: string }>(sql.notes, lease)?.progress ?? '[]');
    if (notes.at(-1) === progress) return false;
    sql.note.run({
      ...lease,
      progress: JSON.stringify([...notes, progress].slice(-PROGRESS_KEPT)),
    });
    return true;
  }

  return ({ taskId, token, agentId = null, progress }) =>
    kit.write((step) => {
      const { now } = step;
      const before = kit.shelf.find(taskId);
      if (before === undefined) return { outcome: 'not_found' };
      if (!isLive(before, now) || before.lease_token !== token) return { outcome: 'lease_lost' };
      if (agentId !== null && before.lease_agent !== agentId) return { outcome: 'forbidden' };
      const expiresAt = now + before.lease_seconds * 1000;
      sql.renew.run({ id: taskId, expires_at: expiresAt, now });
      const news = note(before, progress);
      kit.leases.touch(before.lease_agent, now);
      if (news || recordsRenewal(toLease(before), now)) {
        const { fence, lease_agent } = before;
        const renewed = {
          taskId,
          state: 'leased',
          agentId: lease_agent,
          fence,
          expiresAt,
        } as const;
        step.append({ type: 'renewed', ...renewed, progress: news ? progress : null }, !news);
      }
      return { outcome: 'ok', expiresAt };
    });
}
