// Requeue and prioritize: an operator puts a task in line again, or elsewhere in line.

import type { TaskVerbs } from '../../core/store.ts';
import type { Kit } from './kit.ts';
import { isRefused } from './refuse.ts';
import { type TaskRow, toTask } from './rows.ts';
import { first, loadStatements, set } from './statements.ts';

export function createRequeue(kit: Kit): TaskVerbs['requeue'] {
  const { ledger, shelf } = kit;
  const sql = loadStatements(kit.db, 'requeue', ['requeue', 'issueState']);

  function allowed(row: TaskRow): boolean {
    if (row.state === 'held') return isRefused(row.reason);
    if (row.state !== 'cancelled') return ['dead', 'delayed', 'ready'].includes(row.state);
    return first<{ state: string }>(sql.issueState, { id: row.issue_id })?.state === 'open';
  }

  return (input) =>
    kit.write((step) => {
      const { now } = step;
      const { taskId, delayMs } = input;
      const row = shelf.find(taskId);
      if (row === undefined) return { outcome: 'not_found' };
      if (!allowed(row)) return { outcome: 'conflict', task: toTask(row) };
      // As asked already: the caller asks again because it never heard, and must not lose its place.
      if (row.state === 'ready' && row.attempts === 0 && delayMs <= 0) {
        return { outcome: 'ok', task: toTask(row) };
      }
      const state = delayMs > 0 ? 'delayed' : 'ready';
      const readyAt = delayMs > 0 ? now + delayMs : null;
      set(sql.requeue, {
        id: taskId,
        state,
        reason: state === 'delayed' ? 'requeued' : null,
        ready_at: readyAt,
        now,
        ...shelf.file({ ...row, enqueued_at: null }, state, now),
      });
      step.append({ type: 'requeued', taskId, state, readyAt });
      ledger.want(row.issue_id, input.ledger, now);
      return { outcome: 'ok', task: toTask(shelf.get(taskId)) };
    });
}

export function createPrioritize(kit: Kit): TaskVerbs['prioritize'] {
  const { shelf } = kit;
  const sql = loadStatements(kit.db, 'prioritize', ['prioritize']);
  return (input) =>
    kit.write((step) => {
      const { now } = step;
      const { taskId, priority } = input;
      const row = shelf.find(taskId);
      if (row === undefined) return { outcome: 'not_found' };
      if (row.state === 'done' || row.state === 'cancelled') {
        return { outcome: 'conflict', task: toTask(row) };
      }
      if (row.pinned === 0 || row.priority !== priority) {
        const filing = shelf.file({ ...row, priority }, row.state, now);
        set(sql.prioritize, { id: taskId, priority, now, ...filing });
        step.append({ type: 'prioritized', taskId, state: row.state, priority });
      }
      return { outcome: 'ok', task: toTask(shelf.get(taskId)) };
    });
}
