// The few comments Banto leaves on an issue: where a person has to step in, and why.

import type { TaskDetail } from './store.ts';
import { explainReason } from './why.ts';

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

export function commentText(detail: TaskDetail): string {
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
