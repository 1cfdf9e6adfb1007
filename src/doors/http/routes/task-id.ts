// A task id from an address. One that cannot be the id of any task is not found without asking.

import { BantoError } from '../../../core/errors.ts';
import { parseTaskId } from '../../../core/task.ts';

export function knownTaskId({ task_id }: { task_id: string }): string {
  if (parseTaskId(task_id) === null) {
    throw new BantoError(
      'not_found',
      `There is no task ${task_id}. List the tasks to see the ids there are.`,
    );
  }
  return task_id;
}
