// setBudget: an operator says what one task may use. And the pull request that was opened for it.

import { BUDGET, limitsFor, usedUp } from '../attempt/budget.ts';
import { byHand } from '../facts.ts';
import { type TaskRow, toTask } from '../rows/task-row.ts';
import type { Operated, TaskVerbs } from '../store.ts';
import { enter } from './ending.ts';
import { type Moment, needsTask, type Verb } from './verb.ts';

/** What was held for its budget alone is offered again, after a back-off that still runs. */
function offerAgain(row: TaskRow, at: Moment): TaskRow {
  const free = { ...row, overspent: false, updatedAt: at.now };
  if (row.state !== 'held' || row.reason !== BUDGET) return free;
  const waits = (row.readyAt ?? 0) > at.now;
  return waits ? enter(free, 'delayed', 'retry', at) : enter(free, 'ready', null, at);
}

export const setBudget: Verb<Parameters<TaskVerbs['setBudget']>[0], Operated> = {
  name: 'setBudget',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId, limits: given, general, ...asked }, at) {
    const row = found.task(taskId);
    if (row === undefined) return { answer: { outcome: 'not_found' } };
    if (row.state === 'done' || row.state === 'cancelled') {
      return { answer: { outcome: 'conflict', task: toTask(row) } };
    }
    const costUsd = given.costUsd ?? row.limits?.costUsd ?? null;
    const tokens = given.tokens ?? row.limits?.tokens ?? null;
    const same = row.limits?.costUsd === costUsd && row.limits.tokens === tokens;
    const room = usedUp(row.used, limitsFor({ costUsd, tokens }, general)) === null;
    if (same && !(row.overspent && room)) return { answer: { outcome: 'ok', task: toTask(row) } };
    const limited = { ...row, limits: { costUsd, tokens }, updatedAt: at.now };
    const next = row.overspent && room ? offerAgain(limited, at) : limited;
    return {
      tasks: [next],
      facts: [{ type: 'budgeted', taskId, state: next.state, costUsd, tokens, ...byHand(asked) }],
      answer: { outcome: 'ok', task: toTask(next) },
    };
  },
};

export const linkPull: Verb<Parameters<TaskVerbs['linkPull']>[0], void> = {
  name: 'linkPull',
  needs: ({ taskId, followUpId }) =>
    followUpId === null ? needsTask(taskId) : needsTask(taskId, followUpId),
  decide(found, { taskId, followUpId, prNumber }, { now }) {
    const ids = followUpId === null ? [taskId] : [taskId, followUpId];
    const rows = ids.flatMap((id) => found.task(id) ?? []);
    const unlinked = rows.filter((row) => row.prNumber === null);
    return {
      tasks: unlinked.map((row) => ({ ...row, prNumber, updatedAt: now })),
      facts: unlinked.map(({ id, state }) => ({
        type: 'pull_linked' as const,
        taskId: id,
        state,
        prNumber,
      })),
      answer: undefined,
    };
  },
};
