// What a command that changed a task says of it.

import type { TaskAnswer } from '../../schema/task.ts';
import type { TalkOptions } from '../options/options.ts';
import { taskNote } from '../read/tasks.ts';
import { print, printJson, type Shell } from '../shell.ts';
import { clean } from '../terminal/text.ts';

export function tellTask(shell: Shell, options: TalkOptions, task: TaskAnswer): void {
  if (options.json) return printJson(shell, task);
  const note = clean(taskNote(task, shell.now()));
  const more = note === '' ? '' : `: ${note}`;
  print(shell, `${task.task_id} is ${task.state}, priority ${task.priority_name}${more}.`);
}
