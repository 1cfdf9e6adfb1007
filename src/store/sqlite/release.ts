// Release and unlock: the lease is given back, or taken back. The task keeps its place; no attempt is counted.

import type { TaskVerbs } from '../../core/store.ts';
import type { Kit } from './kit.ts';
import { isAnswered, isLeased, toTask } from './rows.ts';
import { loadStatements, set } from './statements.ts';

export function createRelease(kit: Kit): TaskVerbs['release'] {
  const { leases, ledger, shelf } = kit;
  const sql = loadStatements(kit.db, 'release', ['release']);
  return (input) =>
    kit.write((step) => {
      const { now } = step;
      const { taskId, token, reason, unheardBy } = input;
      const checked = leases.check(input, 'released', now);
      if (checked.live === null) return checked.answer;
      const row = checked.live;
      if (unheardBy !== undefined && (row.lease_request !== unheardBy || isAnswered(row))) {
        return { outcome: 'lease_lost' };
      }
      set(sql.release, { id: taskId, token, now, ...shelf.file(row, 'ready', now) });
      leases.end(row, 'released', reason, now, input.fingerprint);
      leases.touch(row.lease_agent, now);
      const { fence, lease_agent: agentId } = row;
      step.append({ type: 'released', taskId, state: 'ready', agentId, fence, reason });
      ledger.want(row.issue_id, input.ledger, now);
      return { outcome: 'ok', task: toTask(shelf.get(taskId)) };
    });
}

export function createUnlock(kit: Kit): TaskVerbs['unlock'] {
  const { leases, ledger, shelf } = kit;
  const sql = loadStatements(kit.db, 'unlock', ['unlock']);
  return (input) =>
    kit.write((step) => {
      const { now } = step;
      const { taskId } = input;
      const row = shelf.find(taskId);
      if (row === undefined) return { outcome: 'not_found' };
      if (!isLeased(row)) {
        // Unlocked and not taken since: the caller asks again because it never heard.
        const again = row.state === 'ready' && leases.lastOutcome(taskId) === 'unlocked';
        return { outcome: again ? 'ok' : 'conflict', task: toTask(row) };
      }
      set(sql.unlock, { id: taskId, now, ...shelf.file(row, 'ready', now) });
      leases.end(row, 'unlocked', null, now);
      const { fence, lease_agent: agentId } = row;
      step.append({ type: 'unlocked', taskId, state: 'ready', agentId, fence });
      ledger.want(row.issue_id, input.ledger, now);
      return { outcome: 'ok', task: toTask(shelf.get(taskId)) };
    });
}
