// What waits for a person: nothing here goes on by itself.

import { BUDGET } from '../../../core/attempt/budget.ts';
import { NO_PROGRESS } from '../../../core/attempt/no-progress.ts';
import { explainReason } from '../../../core/pairing/why.ts';
import type { ListedTaskAnswer } from '../../schema/task.ts';
import type { Snapshot } from './snapshot.ts';

const NEEDS_HUMAN = 'excluded_label:needs-human';

export interface ForPeople {
  readonly task: ListedTaskAnswer;
  readonly words: string;
}

/** A held task that only a person can free, and not by finishing something else first. */
export function needsPerson({ reason }: ListedTaskAnswer): boolean {
  return reason === NEEDS_HUMAN || reason === BUDGET || reason === NO_PROGRESS;
}

function heldWords({ reason, usage }: ListedTaskAnswer): string {
  if (reason === NO_PROGRESS) return 'two attempts left the same files: look, then banto requeue';
  if (reason !== BUDGET) return 'labelled needs-human';
  const cost = usage === null ? '' : ` ($${usage.cost_usd.toFixed(2)})`;
  return `used up what it may cost${cost}: banto budget`;
}

export function forPeople({ leased, held, dead, approved }: Snapshot): ForPeople[] {
  const issues = new Set<string>();
  const first = (task: ListedTaskAnswer) => {
    const key = `${task.repository}#${task.issue_id}`;
    return !issues.has(key) && issues.add(key);
  };
  const found: ForPeople[] = [];
  // An agent waits for these: first of all.
  for (const task of leased) {
    const open = task.questions.filter((question) => question.open);
    if (open.length === 0 || !first(task)) continue;
    const words = open.map(({ question_id, question }) => `asks (${question_id}): ${question}`);
    found.push({ task, words: words.join(' ') });
  }
  for (const task of dead.filter(first)) {
    const why = task.reason === null ? '' : `: ${explainReason(task.reason)}`;
    found.push({ task, words: `gave up${why}` });
  }
  for (const task of held.filter(needsPerson).filter(first)) {
    found.push({ task, words: heldWords(task) });
  }
  const open = approved.filter((task) => task.issue_state === 'open');
  for (const task of open.filter(first)) {
    found.push({ task, words: 'approved, not closed yet' });
  }
  return found;
}
