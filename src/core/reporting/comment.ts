// The few comments Banto leaves on an issue: where a person has to step in, and why.

import { BUDGET } from '../attempt/budget.ts';
import { type Question, questionOfEvent } from '../attempt/question.ts';
import { explainReason } from '../pairing/why.ts';
import type { TaskDetail } from '../store.ts';
import { NOTHING_USED, usdOf } from '../usage.ts';

const MOST_NOTE = 2000;

/** Agents' words end up in front of people: shown as they are, without letting them ping or link anyone. */
function plain(text: string): string {
  const cut = text.length > MOST_NOTE ? `${text.slice(0, MOST_NOTE)}…` : text;
  const longestRun = Math.max(2, ...[...cut.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longestRun + 1);
  return `${fence}text\n${cut}\n${fence}`;
}

function attemptLines({ attempts }: TaskDetail): string {
  return attempts
    .filter((attempt) => attempt.outcome === 'failed' || attempt.outcome === 'expired')
    .map((attempt) => {
      const said = attempt.note === null ? '' : `\n\n${plain(attempt.note)}`;
      return `- \`${attempt.agentId}\`: ${attempt.outcome}${said}`;
    })
    .join('\n');
}

/** A question, with how to answer it. */
function questionText({ task }: TaskDetail, question: Question, how: string | null): string {
  if (question.answer !== null) {
    return `Banto: the agent \`${question.agentId}\` asked:\n\n${plain(question.question)}\n\nThe answer:\n\n${plain(question.answer)}`;
  }
  const command = `\`banto answer ${task.id} --question ${question.id} "…"\``;
  const open = task.questions.filter(
    ({ answer, fence }) => answer === null && fence === question.fence,
  );
  const naming =
    open.length > 1
      ? ` Several questions are open: begin the answer with \`${question.id}:\`.`
      : '';
  return [
    `Banto: the agent \`${question.agentId}\`, which works on this, asks:`,
    plain(question.question),
    how === null
      ? `To answer: ${command}. The agent waits for it.`
      : `To answer, ${how}.${naming} Or: ${command}. The agent waits for it.`,
  ].join('\n\n');
}

function budgetText({ task }: TaskDetail): string {
  const used = task.used ?? NOTHING_USED;
  const tokens = used.inputTokens + used.outputTokens;
  return [
    `Banto: the task \`${task.id}\` was stopped, because it used up what it may cost.`,
    `So far: $${usdOf(used.costMicroUsd).toFixed(2)}, ${tokens} tokens, ${used.turns} turns.`,
    `To let agents go on: \`banto budget ${task.id} --cost <dollars>\` or \`--tokens <count>\`, in all.`,
  ].join('\n\n');
}

/** Names a comment of Banto on an issue: written again with the same key, it is replaced. */
export function commentKey(event: string, taskId: string): string {
  return `${event}:${taskId}`;
}

/** Null: there is nothing to say any more. `how`: the forge's own way to answer. */
export function commentText(
  detail: TaskDetail,
  event: string,
  how: string | null = null,
): string | null {
  if (event === BUDGET) return budgetText(detail);
  const questionId = questionOfEvent(event);
  if (questionId === null) return setAsideText(detail);
  const question = detail.task.questions.find(({ id }) => id === questionId);
  return question === undefined ? null : questionText(detail, question, how);
}

/** Dead, or held because agents make no progress. Null: it goes on by now. */
function setAsideText(detail: TaskDetail): string {
  const { task } = detail;
  const why = task.reason === null ? 'it cannot go on' : explainReason(task.reason);
  const asked = task.reviewComments.map((comment) => plain(comment));
  return [
    `Banto: the task \`${task.id}\` was set aside, because ${why}.`,
    attemptLines(detail),
    asked.length === 0 ? '' : `The last review asked for:\n\n${asked.join('\n\n')}`,
    `To let agents try again: \`banto requeue ${task.id}\`.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
