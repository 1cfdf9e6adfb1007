// Refuse: the forge will never accept the writes of this lease. It is undone and the task held.

import { type TaskRow, toTask } from '../rows/task-row.ts';
import type { Ended, TaskVerbs } from '../store.ts';
import { endLease, holding } from './ending.ts';
import { needsTask, type Verb } from './verb.ts';
import { ledgerIfChanged, want } from './wants.ts';

const PREFIX = 'refused:';

export function isRefused(reason: string | null): boolean {
  return reason?.startsWith(PREFIX) ?? false;
}

export const refuse: Verb<Parameters<TaskVerbs['refuse']>[0], Ended> = {
  name: 'refuse',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, input, { now }) {
    const { taskId, fence, holdMs } = input;
    const held = holding(found.task(taskId), { fence }, 'refused', now);
    if (held.live === null) return held.decision;
    const { agentId, expiresAt } = held.live.lease;
    const reason = `${PREFIX}${input.reason}`;
    const next: TaskRow = {
      ...endLease(held.live, 'refused', input.reason, now),
      state: 'held',
      reason,
      readyAt: now + holdMs,
    };
    return {
      tasks: [next],
      ...ledgerIfChanged(found.ledger, want(found.ledger, input.ledger, now)),
      facts: [{ type: 'refused', taskId, state: 'held', agentId, fence, reason }],
      until: expiresAt,
      answer: { outcome: 'ok', task: toTask(next) },
    };
  },
};
