// How people name a task: by its id, or by the issue it is for. `7`, `#7` and `owner/repo#7` mean the
// issue's open task, else its last one.

import { parseTaskId, type Task, type TaskState } from '../task.ts';

export type TaskRef =
  | { readonly by: 'id'; readonly id: string }
  | { readonly by: 'issue'; readonly repository: string | null; readonly number: number };

const ISSUE = /^(?:([A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)?)?#)?([1-9]\d{0,14})$/;

export function parseTaskRef(text: string): TaskRef {
  const match = ISSUE.exec(text);
  if (match === null || parseTaskId(text) !== null) return { by: 'id', id: text };
  return { by: 'issue', repository: match[1] ?? null, number: Number(match[2]) };
}

/** What somebody who names an issue most likely means comes first. */
const ORDER: readonly TaskState[] = ['leased', 'ready', 'delayed', 'held'];

function rank(state: TaskState): number {
  const at = ORDER.indexOf(state);
  return at === -1 ? ORDER.length : at;
}

/** The open task first, then the one that changed last. */
export function byMeaning(a: Task, b: Task): number {
  return rank(a.state) - rank(b.state) || b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1);
}
