// A task as a model sees it: what it needs to work, and no more. Text by strangers is named as such.

import type { AssignmentAnswer } from '../schema/request-task.ts';
import type { TaskDetailAnswer } from '../schema/task.ts';

export function untrustedTask(task: AssignmentAnswer): Record<string, unknown> {
  const { prompt: _prompt, lease: _lease, body: _body, ...shown } = task;
  return shown;
}

const NEWEST = 10;

export function describeTask(task: TaskDetailAnswer): Record<string, unknown> {
  const { history, ...shown } = task;
  return { ...shown, history: history.slice(-NEWEST) };
}
