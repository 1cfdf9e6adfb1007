// Sweep: whatever time brings about. Leases that lapsed, tasks that are due, reservations that end.

import type { SweepInput, SweepResult, TaskVerbs } from '../../core/store.ts';
import type { Step } from './commit.ts';
import { createForget } from './forget.ts';
import type { Kit } from './kit.ts';
import type { LeasedRow, TaskRow } from './rows.ts';
import { all, first, loadStatements, set } from './statements.ts';

const EXPIRED = 'expired';

export function createSweep(kit: Kit): TaskVerbs['sweep'] {
  const { leases, ledger, shelf } = kit;
  const sql = loadStatements(kit.db, 'sweep', [
    'lapsed',
    'expire',
    'due',
    'promote',
    'opening',
    'open',
    'nextDue',
  ]);
  const forget = createForget(kit.db);

  function expire(row: LeasedRow, input: SweepInput, step: Step): void {
    const { now } = step;
    const { id: taskId, fence, lease_agent: agentId } = row;
    const attempt = row.attempts + 1;
    const state = attempt >= input.maxAttempts ? 'dead' : 'ready';
    const reason = state === 'dead' ? EXPIRED : null;
    set(sql.expire, { id: taskId, state, reason, now, ...shelf.file(row, state, now) });
    leases.end(row, 'expired', null, now);
    leases.lapse(agentId);
    step.append({ type: 'expired', taskId, state, agentId, fence, attempt });
    if (state === 'dead') leases.bury(row, EXPIRED, input.deadLedger[row.kind], step);
    else ledger.want(row.issue_id, input.ledger[row.kind], now);
  }

  function promote(row: TaskRow, step: Step): void {
    const { now } = step;
    set(sql.promote, { id: row.id, now, ...shelf.file(row, 'ready', now) });
    step.append({ type: 'ready', taskId: row.id, state: 'ready', reason: null });
  }

  function open(row: TaskRow, step: Step): void {
    const { bucket, score } = shelf.file(row, 'ready', step.now);
    set(sql.open, { id: row.id, bucket, score, now: step.now });
    step.append({ type: 'ready', taskId: row.id, state: 'ready', reason: 'opened' });
  }

  function sweep(input: SweepInput, step: Step): SweepResult {
    const { now } = step;
    const { limit } = input;
    const lapsed = all<LeasedRow>(sql.lapsed, { now, limit });
    for (const row of lapsed) expire(row, input, step);
    const due = all<TaskRow>(sql.due, { now, limit });
    for (const row of due) promote(row, step);
    const opening = all<TaskRow>(sql.opening, { now, limit });
    for (const row of opening) open(row, step);
    const moreToForget = forget(input, now);
    const full = [lapsed, due, opening].some((rows) => rows.length >= limit);
    return {
      expired: lapsed.length,
      promoted: due.length,
      opened: opening.length,
      more: full || moreToForget,
      nextDueAt: first<{ at: number | null }>(sql.nextDue)?.at ?? null,
    };
  }

  return (input) => kit.write((step) => sweep(input, step));
}
