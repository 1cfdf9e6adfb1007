// Heartbeat: renews a live lease, keeps the last progress notes, and brings what the holder has to know.

import { recordsRenewal } from '../attempt/history.ts';
import { isOpen } from '../attempt/question.ts';
import { isLive, type LeasedRow } from '../rows/task-row.ts';
import type { TaskVerbs } from '../store.ts';
import { PROGRESS_KEPT } from '../task.ts';
import { budgetOf, seen, spend } from './ending.ts';
import { needsTask, type Verb } from './verb.ts';

type Input = Parameters<TaskVerbs['heartbeat']>[0];
type Answer = Awaited<ReturnType<TaskVerbs['heartbeat']>>;

/** A note that repeats the last one is the same call again, not news. */
function withNote(notes: readonly string[], note: string | null): readonly string[] {
  if (note === null || notes.at(-1) === note) return notes;
  return [...notes, note].slice(-PROGRESS_KEPT);
}

/** While a question is open, the lease lives at least as long as the pause. */
function deadlineAfter({ lease, questions }: LeasedRow, now: number): number {
  const renewed = now + lease.seconds * 1000;
  const waits = questions.some((question) => isOpen(question, lease.fence));
  return waits ? Math.max(renewed, lease.pausedUntil ?? 0) : renewed;
}

/** The deadline of a paused lease says nothing about when it was last renewed. */
function renewalBefore({ lease, updatedAt }: LeasedRow): LeasedRow['lease'] {
  return lease.pausedUntil === null
    ? lease
    : { ...lease, expiresAt: updatedAt + lease.seconds * 1000 };
}

export const heartbeat: Verb<Input, Answer> = {
  name: 'heartbeat',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId, token, progress, usage, limits, agentId: caller = null }, { now }) {
    const row = found.task(taskId);
    if (row === undefined) return { answer: { outcome: 'not_found' } };
    if (!isLive(row, now) || row.lease.token !== token) {
      return { answer: { outcome: 'lease_lost' } };
    }
    const { agentId, fence } = row.lease;
    if (caller !== null && caller !== agentId) return { answer: { outcome: 'forbidden' } };
    const { spent, uses } = spend(row, usage);
    const expiresAt = deadlineAfter(row, now);
    const notes = withNote(row.lease.progress, progress);
    const lease = { ...spent.lease, answered: true, expiresAt, progress: notes };
    const news = notes !== row.lease.progress;
    const about = { taskId, state: 'leased', agentId, fence } as const;
    const renewed = {
      type: 'renewed',
      ...about,
      expiresAt,
      progress: news ? progress : null,
      ...uses,
    } as const;
    const recorded = news || uses.usage !== undefined || recordsRenewal(renewalBefore(row), now);
    return {
      tasks: [{ ...spent, lease, updatedAt: now }],
      agents: seen(agentId),
      ...(recorded ? { facts: [renewed] } : {}),
      until: row.lease.expiresAt,
      answer: {
        outcome: 'ok',
        expiresAt,
        stop: budgetOf(spent, limits),
        answers: row.questions.filter((one) => one.fence === fence && one.answer !== null),
      },
    };
  },
};
