// Release and unlock: the lease is given back, or taken back. The task keeps its place; no attempt is counted.

import { isLeased, toTask } from '../rows/task-row.ts';
import type { Ended, Operated, TaskVerbs } from '../store.ts';
import { endLease, enter, holding, seen } from './ending.ts';
import { needsTask, type Verb } from './verb.ts';
import { ledgerIfChanged, want } from './wants.ts';

export const release: Verb<Parameters<TaskVerbs['release']>[0], Ended> = {
  name: 'release',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, input, at) {
    const { now } = at;
    const { taskId, reason, ledger, unheardBy } = input;
    const held = holding(found.task(taskId), input, 'released', now);
    if (held.live === null) return held.decision;
    const { agentId, fence, expiresAt, requestId, answered } = held.live.lease;
    if (unheardBy !== undefined && (requestId !== unheardBy || answered)) {
      return { answer: { outcome: 'lease_lost' } };
    }
    const ended = endLease(held.live, 'released', reason, now, input.fingerprint);
    const next = enter(ended, 'ready', null, at);
    return {
      tasks: [next],
      ...ledgerIfChanged(found.ledger, want(found.ledger, ledger, now)),
      agents: seen(agentId),
      facts: [{ type: 'released', taskId, state: 'ready', agentId, fence, reason }],
      until: expiresAt,
      answer: { outcome: 'ok', task: toTask(next) },
    };
  },
};

export const unlock: Verb<Parameters<TaskVerbs['unlock']>[0], Operated> = {
  name: 'unlock',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId, ledger }, at) {
    const { now } = at;
    const row = found.task(taskId);
    if (row === undefined) return { answer: { outcome: 'not_found' } };
    if (!isLeased(row)) {
      // Unlocked and not taken since: the caller asks again because it never heard.
      const again = row.state === 'ready' && row.past.at(-1)?.outcome === 'unlocked';
      return { answer: { outcome: again ? 'ok' : 'conflict', task: toTask(row) } };
    }
    const { agentId, fence } = row.lease;
    const next = enter(endLease(row, 'unlocked', null, now), 'ready', null, at);
    return {
      tasks: [next],
      ...ledgerIfChanged(found.ledger, want(found.ledger, ledger, now)),
      facts: [{ type: 'unlocked', taskId, state: 'ready', agentId, fence }],
      answer: { outcome: 'ok', task: toTask(next) },
    };
  },
};
