// Where a command names a task: its id, or `7`, `#7`, `owner/repo#7` for the task of that issue.

import type { Client } from '../../../client/client.ts';
import { BantoError } from '../../../core/errors.ts';
import { parseTaskRef } from '../../../core/text/task-ref.ts';

export const TASK_ARGUMENT = 'the task: its id, or its issue as 7, #7 or owner/repo#7';

/** The id of the task that is meant. */
export async function resolveTask(client: Client, text: string): Promise<string> {
  const ref = parseTaskRef(text);
  if (ref.by === 'id') return ref.id;
  const { number, repository } = ref;
  const { tasks } = await client.tasks({
    issue: number,
    ...(repository === null ? {} : { repository }),
  });
  const [first] = tasks;
  if (first === undefined) {
    throw new BantoError(
      'not_found',
      `There is no task for issue ${repository ?? ''}#${number}. \`banto tasks\` lists the tasks there are.`,
    );
  }
  const repositories = [...new Set(tasks.map((task) => task.repository))];
  if (repositories.length === 1) return first.task_id;
  const names = repositories.map((name) => `${name}#${number}`).join(', ');
  throw new BantoError(
    'conflict',
    `Several repositories have an issue #${number}: say which one, ${names}.`,
  );
}
