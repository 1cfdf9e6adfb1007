// Ask and answer: a holder asks people, and waits with a lease that is paused.

import {
  askedEvent,
  isOpen,
  MOST_OPEN_QUESTIONS,
  nextQuestionId,
  QUESTIONS_KEPT,
  type Question,
} from '../attempt/question.ts';
import { byHand } from '../facts.ts';
import type { LedgerRow } from '../rows/ledger-row.ts';
import { isLeased, isLive, type LeasedRow, type TaskRow, toTask } from '../rows/task-row.ts';
import type { Answered, Asked, TaskVerbs } from '../store.ts';
import { seen } from './ending.ts';
import { needsTask, type Verb } from './verb.ts';
import { writeComment } from './wants.ts';

/** The comments are written again: where several questions are open, each says how to name the one that is meant. */
function showQuestions(
  before: LedgerRow,
  row: TaskRow,
  questions: readonly Question[],
  now: number,
): LedgerRow {
  return questions.reduce(
    (ledger, { id }) => writeComment(ledger, row, askedEvent(id), now),
    before,
  );
}

export const ask: Verb<Parameters<TaskVerbs['ask']>[0], Asked> = {
  name: 'ask',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId, token, question, askMs, agentId: caller = null }, { now }) {
    const row = found.task(taskId);
    if (row === undefined) return { answer: { outcome: 'not_found' } };
    if (!isLive(row, now) || row.lease.token !== token) {
      return { answer: { outcome: 'lease_lost' } };
    }
    const { agentId, fence } = row.lease;
    if (caller !== null && caller !== agentId) return { answer: { outcome: 'forbidden' } };
    // Asked already and not answered yet: the caller asks again because it never heard.
    const same = row.questions.find((one) => isOpen(one, fence) && one.question === question);
    if (same !== undefined) return { answer: { outcome: 'ok', questionId: same.id } };
    const others = row.questions.filter((one) => isOpen(one, fence));
    if (others.length >= MOST_OPEN_QUESTIONS) return { answer: { outcome: 'too_many' } };
    const id = nextQuestionId(row.questions);
    const asked: Question = {
      id,
      agentId,
      fence,
      question,
      askedAt: now,
      answer: null,
      answeredAt: null,
    };
    const pausedUntil = now + askMs;
    const expiresAt = Math.max(row.lease.expiresAt, pausedUntil);
    const lease = { ...row.lease, answered: true, pausedUntil, expiresAt };
    const questions = [...row.questions.slice(1 - QUESTIONS_KEPT), asked];
    const about = { taskId, state: 'leased', agentId, fence } as const;
    return {
      tasks: [{ ...row, lease, questions, updatedAt: now }],
      ledger: showQuestions(found.ledger, row, [...others, asked], now),
      agents: seen(agentId),
      facts: [{ type: 'asked', ...about, questionId: id, question, expiresAt }],
      until: row.lease.expiresAt,
      answer: { outcome: 'ok', questionId: id },
    };
  },
};

/** The last answer ends the pause: the lease has its whole time again. */
function goOn(row: LeasedRow, questions: readonly Question[], now: number): LeasedRow['lease'] {
  const { lease } = row;
  const waits = questions.some((question) => isOpen(question, lease.fence));
  if (waits || lease.pausedUntil === null) return lease;
  return { ...lease, pausedUntil: null, expiresAt: now + lease.seconds * 1000 };
}

export const answer: Verb<Parameters<TaskVerbs['answer']>[0], Answered> = {
  name: 'answer',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId, questionId, answer: text, ...given }, { now }) {
    const row = found.task(taskId);
    if (row === undefined) return { answer: { outcome: 'not_found' } };
    const asked = row.questions.find(({ id }) => id === questionId);
    if (asked === undefined) return { answer: { outcome: 'no_question' } };
    if (asked.answer !== null) {
      const outcome = asked.answer === text ? 'ok' : 'conflict';
      return { answer: { outcome, task: toTask(row) } };
    }
    const questions = row.questions.map((one) =>
      one === asked ? { ...one, answer: text, answeredAt: now } : one,
    );
    const lease = isLeased(row) && isLive(row, now) ? goOn(row, questions, now) : row.lease;
    const next: TaskRow = { ...row, questions, lease, updatedAt: now };
    const about = { taskId, state: row.state };
    const expiresAt = lease?.expiresAt ?? null;
    return {
      tasks: [next],
      ledger: showQuestions(found.ledger, row, [asked], now),
      facts: [
        { type: 'answered', ...about, questionId, answer: text, expiresAt, ...byHand(given) },
      ],
      answer: { outcome: 'ok', task: toTask(next) },
    };
  },
};

/** Which attempt a token belongs to. Changes nothing. */
export const whose: Verb<
  Parameters<TaskVerbs['whose']>[0],
  Awaited<ReturnType<TaskVerbs['whose']>>
> = {
  name: 'whose',
  needs: ({ taskId }) => needsTask(taskId),
  decide(found, { taskId, token, agentId: caller = null }) {
    const row = found.task(taskId);
    if (row === undefined) return { answer: { outcome: 'not_found' } };
    const leases = row.lease === null ? row.past : [row.lease, ...row.past];
    const meant = leases.find((lease) => lease.token === token);
    if (meant === undefined) return { answer: { outcome: 'lease_lost' } };
    if (caller !== null && caller !== meant.agentId) return { answer: { outcome: 'forbidden' } };
    return { answer: { outcome: 'ok', fence: meant.fence } };
  },
};
