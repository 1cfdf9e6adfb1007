// Requeue and prioritize: an operator puts a task in line again, or elsewhere in line.

import { forgetTrees, NO_PROGRESS } from '../attempt/no-progress.ts';
import { byHand } from '../facts.ts';
import type { IssueRow } from '../rows/issue-row.ts';
import { type TaskRow, toTask } from '../rows/task-row.ts';
import type { Operated, TaskVerbs } from '../store.ts';
import { enter } from './ending.ts';
import { isRefused } from './refuse.ts';
import { needsTask, type Verb } from './verb.ts';
import { ledgerIfChanged, want } from './wants.ts';

function mayRequeue(row: TaskRow, issue: IssueRow | undefined): boolean {
  if (row.state === 'held') return isRefused(row.reason) || row.reason === NO_PROGRESS;
  if (row.state === 'cancelled') return issue?.state === 'open';
  return row.state === 'dead' || row.state === 'delayed' || row.state === 'ready';
}

export const requeue: Verb<Parameters<TaskVerbs['requeue']>[0], Operated> = {
  name: 'requeue',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId, delayMs, ledger, ...asked }, at) {
    const { now } = at;
    const row = found.task(taskId);
    if (row === undefined) return { answer: { outcome: 'not_found' } };
    if (!mayRequeue(row, found.issue)) {
      return { answer: { outcome: 'conflict', task: toTask(row) } };
    }
    // As asked already: the caller asks again because it never heard, and must not lose its place.
    if (row.state === 'ready' && row.attempts === 0 && delayMs <= 0) {
      return { answer: { outcome: 'ok', task: toTask(row) } };
    }
    const state = delayMs > 0 ? 'delayed' : 'ready';
    const readyAt = delayMs > 0 ? now + delayMs : null;
    const again: TaskRow = {
      ...row,
      attempts: 0,
      enqueuedAt: null,
      readyAt,
      timed: true,
      endedAt: null,
      stuck: false,
      past: row.state === 'held' || row.state === 'dead' ? forgetTrees(row.past) : row.past,
    };
    const next = enter(again, state, state === 'delayed' ? 'requeued' : null, at);
    return {
      tasks: [next],
      ...ledgerIfChanged(found.ledger, want(found.ledger, ledger, now)),
      facts: [{ type: 'requeued', taskId, state, readyAt, ...byHand(asked) }],
      answer: { outcome: 'ok', task: toTask(next) },
    };
  },
};

export const prioritize: Verb<Parameters<TaskVerbs['prioritize']>[0], Operated> = {
  name: 'prioritize',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId, priority, ...asked }, at) {
    const row = found.task(taskId);
    if (row === undefined) return { answer: { outcome: 'not_found' } };
    if (row.state === 'done' || row.state === 'cancelled') {
      return { answer: { outcome: 'conflict', task: toTask(row) } };
    }
    if (row.pinned && row.priority === priority) {
      return { answer: { outcome: 'ok', task: toTask(row) } };
    }
    const next = enter({ ...row, priority, pinned: true }, row.state, row.reason, at);
    return {
      tasks: [next],
      facts: [{ type: 'prioritized', taskId, state: row.state, priority, ...byHand(asked) }],
      answer: { outcome: 'ok', task: toTask(next) },
    };
  },
};
