// Fail: an attempt is counted; the task backs off, or is dead.

import type { FailInput, TaskVerbs } from '../../core/store.ts';
import type { Step } from './commit.ts';
import type { Kit } from './kit.ts';
import { type LeasedRow, toTask } from './rows.ts';
import { loadStatements, set } from './statements.ts';

export function createFail(kit: Kit): TaskVerbs['fail'] {
  const { leases, ledger, shelf } = kit;
  const sql = loadStatements(kit.db, 'fail', ['fail']);

  function fail(row: LeasedRow, input: FailInput, step: Step): void {
    const { now } = step;
    const attempt = row.attempts + 1;
    const planned = input.retryable ? input.retryDelaysMs[attempt - 1] : undefined;
    const delayMs = planned === undefined ? null : (input.delayMs ?? planned);
    const state = delayMs === null ? 'dead' : delayMs > 0 ? 'delayed' : 'ready';
    const readyAt = delayMs === null ? null : now + delayMs;
    // It joins the queue again at the end, when it becomes ready.
    const filing = shelf.file({ ...row, enqueued_at: null }, state, now);
    set(sql.fail, {
      id: row.id,
      token: input.token,
      state,
      reason: state === 'dead' ? input.reason : state === 'delayed' ? 'retry' : null,
      ready_at: readyAt,
      now,
      ...filing,
    });
    leases.end(row, 'failed', input.reason, now, input.fingerprint);
    leases.touch(row.lease_agent, now);
    step.append({
      type: 'failed',
      taskId: row.id,
      state,
      agentId: row.lease_agent,
      fence: row.fence,
      reason: input.reason,
      attempt,
      readyAt,
      workedMs: now - row.leased_at,
    });
    if (state === 'dead') leases.bury(row, input.reason, input.deadLedger, step);
    else ledger.want(row.issue_id, input.ledger, now);
  }

  return (input) =>
    kit.write((step) => {
      const checked = leases.check(input, 'failed', step.now);
      if (checked.live === null) return checked.answer;
      fail(checked.live, input, step);
      return { outcome: 'ok', task: toTask(shelf.get(input.taskId)) };
    });
}
