// Heartbeat: renews a live lease and keeps the last progress notes.

import { recordsRenewal } from '../history.ts';
import { isLive } from '../rows/task-row.ts';
import type { TaskVerbs } from '../store.ts';
import { PROGRESS_KEPT } from '../task.ts';
import { seen } from './ending.ts';
import { needsTask, type Verb } from './verb.ts';

type Input = Parameters<TaskVerbs['heartbeat']>[0];
type Answer = Awaited<ReturnType<TaskVerbs['heartbeat']>>;

/** A note that repeats the last one is the same call again, not news. */
function withNote(notes: readonly string[], note: string | null): readonly string[] {
  if (note === null || notes.at(-1) === note) return notes;
  return [...notes, note].slice(-PROGRESS_KEPT);
}

export const heartbeat: Verb<Input, Answer> = {
  name: 'heartbeat',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId, token, progress, agentId: caller = null }, { now }) {
    const row = found.task(taskId);
    if (row === undefined) return { answer: { outcome: 'not_found' } };
    if (!isLive(row, now) || row.lease.token !== token) {
      return { answer: { outcome: 'lease_lost' } };
    }
    const { agentId, fence, seconds } = row.lease;
    if (caller !== null && caller !== agentId) return { answer: { outcome: 'forbidden' } };
    const expiresAt = now + seconds * 1000;
    const notes = withNote(row.lease.progress, progress);
    const lease = { ...row.lease, answered: true, expiresAt, progress: notes };
    const news = notes !== row.lease.progress;
    const about = { taskId, state: 'leased', agentId, fence } as const;
    const renewed = {
      type: 'renewed',
      ...about,
      expiresAt,
      progress: news ? progress : null,
    } as const;
    return {
      tasks: [{ ...row, lease, updatedAt: now }],
      agents: seen(agentId),
      ...(news || recordsRenewal(row.lease, now) ? { facts: [renewed] } : {}),
      until: row.lease.expiresAt,
      answer: { outcome: 'ok', expiresAt },
    };
  },
};
