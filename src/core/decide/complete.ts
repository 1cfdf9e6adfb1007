// Complete: the work is done, and the task that follows it is made in the same step.

import { answeredOf } from '../attempt/question.ts';
import type { FactBody } from '../facts.ts';
import { type LeasedRow, type TaskRow, toTask } from '../rows/task-row.ts';
import type { CompleteInput, Ended, FollowUp } from '../store.ts';
import { parseTaskId } from '../task.ts';
import { endLease, holding, seen, spend } from './ending.ts';
import { newTask } from './new-task.ts';
import { holdOfFollowUp } from './plan-meets.ts';
import { type Moment, needsTask, type Verb } from './verb.ts';
import { ledgerIfChanged, want, writeComment, writePull } from './wants.ts';

/** A review adds no author; whoever else ended the work did, as the last one. */
export function authorsAfter(ended: LeasedRow): readonly string[] {
  const { agentId } = ended.lease;
  if (ended.kind === 'review') return ended.authors;
  return [...ended.authors.filter((author) => author !== agentId), agentId];
}

function followUpRow(
  followUp: FollowUp,
  ended: LeasedRow,
  prNumber: number | null,
  at: Moment,
): TaskRow | null {
  const name = parseTaskId(followUp.id);
  if (name === null) return null;
  const readyAt = followUp.delayMs > 0 ? at.now + followUp.delayMs : null;
  const planned = followUp.state === 'delayed' && readyAt === null ? 'ready' : followUp.state;
  const against = planned === 'dead' ? null : holdOfFollowUp(ended);
  const state = against === null ? planned : 'held';
  const authors = authorsAfter(ended);
  return newTask(
    {
      id: followUp.id,
      repository: name.repository,
      number: name.number,
      kind: name.kind,
      round: name.round,
      state,
      reason: against ?? (state === 'ready' ? null : followUp.reason),
      readyAt: state === 'ready' || state === 'dead' ? null : readyAt,
      reservedFrom: readyAt ?? at.now,
      authorFirstMs: followUp.authorFirstMs,
      priority: followUp.priority,
      authors,
      branch: ended.branch,
      prNumber,
      reviewComments: followUp.reviewComments,
      questions: answeredOf(ended.questions),
    },
    at,
  );
}

function factsOfMade(made: TaskRow): FactBody[] {
  const { id: taskId, state, kind, priority, reason } = made;
  const accepted: FactBody = { type: 'accepted', taskId, state, kind, priority, reason };
  if (state !== 'dead') return [accepted];
  return [accepted, { type: 'dead', taskId, state, reason: reason ?? 'dead' }];
}

export const complete: Verb<CompleteInput, Ended> = {
  name: 'complete',
  needs: ({ taskId, followUp }) =>
    followUp === null ? needsTask(taskId) : needsTask(taskId, followUp.id),
  decide(found, input, at) {
    const { now } = at;
    const { taskId, summary, verdict, comments, followUp } = input;
    const held = holding(found.task(taskId), input, 'completed', now);
    if (held.live === null) return held.decision;
    const { spent: row, uses } = spend(held.live, input.usage);
    const { agentId, fence, leasedAt, expiresAt } = row.lease;
    const prNumber = input.prNumber ?? row.prNumber;
    const pull = prNumber === null ? (input.pullRequest ?? null) : null;
    const asked = pull === null ? {} : { pullRequest: pull };
    const result = { agentId, summary, verdict, comments, at: now, ...asked };
    const done: TaskRow = {
      ...endLease(row, 'completed', summary, now, input.fingerprint),
      state: 'done',
      reason: null,
      prNumber,
      result,
      endedAt: now,
    };
    const makes = followUp !== null && found.task(followUp.id) === undefined;
    const made = makes ? followUpRow(followUp, row, prNumber, at) : null;
    const workedMs = now - leasedAt;
    const dead = made?.state === 'dead';
    const opened = pull === null ? found.ledger : writePull(found.ledger, done, now);
    const told = dead ? writeComment(opened, made, 'dead', now) : opened;
    const completed: FactBody = {
      type: 'completed',
      taskId,
      state: 'done',
      agentId,
      fence,
      summary,
      verdict,
      prNumber,
      workedMs,
      ...uses,
    };
    return {
      ...ledgerIfChanged(found.ledger, want(told, input.ledger, now)),
      tasks: made === null ? [done] : [done, made],
      agents: seen(agentId),
      facts: made === null ? [completed] : [completed, ...factsOfMade(made)],
      until: expiresAt,
      answer: { outcome: 'ok', task: toTask(done) },
    };
  },
};
