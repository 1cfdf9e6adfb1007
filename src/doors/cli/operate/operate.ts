// The operator's commands on one task.

import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { examples, type TalkOptions, talkFlags, talks } from '../options/options.ts';
import { resolveTask, TASK_ARGUMENT } from '../options/task-argument.ts';
import type { Shell } from '../shell.ts';
import { addAnswerCommands } from './answer.ts';
import { addPause } from './pause.ts';
import { addRequeue } from './requeue.ts';
import { tellTask } from './tell-task.ts';

function onTask(program: Command, name: string, summary: string, description: string): Command {
  return talks(program.command(name).summary(summary).description(description)).argument(
    '<task>',
    TASK_ARGUMENT,
  );
}

function priority(text: string): 'high' | 'normal' | 'low' | number {
  const named = (['high', 'normal', 'low'] as const).find((one) => one === text.toLowerCase());
  if (named !== undefined) return named;
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text);
  throw new InvalidArgumentError('It must be high, normal, low or a whole number from 0 to 100.');
}

interface CancelOptions extends TalkOptions {
  readonly reason?: string;
}

export function addOperateCommands(program: Command, shell: Shell): void {
  /** The client, and the id of the task that was named. */
  async function meant(text: string, options: TalkOptions) {
    const { client } = shell.session(talkFlags(options));
    return { client, id: await resolveTask(client, text) };
  }

  addRequeue(program, shell);
  examples(
    onTask(
      program,
      'unlock',
      'take a lease away',
      'Takes the task from the agent that holds it. It is ready again; no attempt is counted.',
    ).action(async (text: string, options: TalkOptions) => {
      const { client, id } = await meant(text, options);
      tellTask(shell, options, await client.unlock(id));
    }),
    'banto unlock 7',
  );
  examples(
    onTask(
      program,
      'cancel',
      'cancel a task',
      'Cancels the task. An agent that holds it is told at its next heartbeat.',
    )
      .option('--reason <text>', 'why')
      .action(async (text: string, options: CancelOptions) => {
        const { client, id } = await meant(text, options);
        const body = options.reason === undefined ? {} : { reason: options.reason };
        tellTask(shell, options, await client.cancel(id, body));
      }),
    'banto cancel 7 --reason "no longer needed"',
  );
  examples(
    onTask(
      program,
      'priority',
      'change the priority of a task',
      'Sets the priority; labels no longer change it.',
    )
      .argument('<priority>', 'high, normal, low or 0 to 100', priority)
      .action(async (text: string, value: ReturnType<typeof priority>, options: TalkOptions) => {
        const { client, id } = await meant(text, options);
        tellTask(shell, options, await client.priority(id, { priority: value }));
      }),
    'banto priority 7 high',
  );
  addAnswerCommands(program, shell);
  addPause(program, shell);
}
