// The operator's commands on one task, and pause and resume for all of them.

import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { TaskAnswer } from '../schema/task.ts';
import { examples, type TalkOptions, talkFlags, talks, whole } from './options.ts';
import { print, printJson, type Shell } from './shell.ts';
import { taskNote } from './tasks.ts';
import { clean } from './text.ts';

const MAX_DELAY_SECONDS = 2_592_000;

function tell(shell: Shell, options: TalkOptions, task: TaskAnswer): void {
  if (options.json) return printJson(shell, task);
  const note = clean(taskNote(task, shell.now()));
  const more = note === '' ? '' : `: ${note}`;
  print(shell, `${task.task_id} is ${task.state}, priority ${task.priority_name}${more}.`);
}

function onTask(program: Command, name: string, summary: string, description: string): Command {
  return talks(program.command(name).summary(summary).description(description)).argument(
    '<task>',
    'the task id',
  );
}

function priority(text: string): 'high' | 'normal' | 'low' | number {
  const named = (['high', 'normal', 'low'] as const).find((one) => one === text.toLowerCase());
  if (named !== undefined) return named;
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text);
  throw new InvalidArgumentError('It must be high, normal, low or a whole number from 0 to 100.');
}

interface RequeueOptions extends TalkOptions {
  readonly delay?: number;
}
interface CancelOptions extends TalkOptions {
  readonly reason?: string;
}

export function addOperateCommands(program: Command, shell: Shell): void {
  const client = (options: TalkOptions) => shell.session(talkFlags(options)).client;

  examples(
    onTask(
      program,
      'requeue',
      'offer a task again',
      'Offers a dead, delayed or cancelled task again; attempts count from 0.',
    )
      .option('--delay <seconds>', 'not before then', whole(0, MAX_DELAY_SECONDS))
      .action(async (id: string, options: RequeueOptions) => {
        const body = options.delay === undefined ? {} : { delay_seconds: options.delay };
        tell(shell, options, await client(options).requeue(id, body));
      }),
    'banto requeue shop~7~implement.1',
    'banto requeue shop~7~implement.1 --delay 600',
  );
  examples(
    onTask(
      program,
      'unlock',
      'take a lease away',
      'Takes the task from the agent that holds it. It is ready again; no attempt is counted.',
    ).action(async (id: string, options: TalkOptions) => {
      tell(shell, options, await client(options).unlock(id));
    }),
    'banto unlock shop~7~implement.1',
  );
  examples(
    onTask(
      program,
      'cancel',
      'cancel a task',
      'Cancels the task. An agent that holds it is told at its next heartbeat.',
    )
      .option('--reason <text>', 'why')
      .action(async (id: string, options: CancelOptions) => {
        const body = options.reason === undefined ? {} : { reason: options.reason };
        tell(shell, options, await client(options).cancel(id, body));
      }),
    'banto cancel shop~7~implement.1 --reason "no longer needed"',
  );
  examples(
    onTask(
      program,
      'priority',
      'change the priority of a task',
      'Sets the priority; labels no longer change it.',
    )
      .argument('<priority>', 'high, normal, low or 0 to 100', priority)
      .action(async (id: string, value: ReturnType<typeof priority>, options: TalkOptions) => {
        tell(shell, options, await client(options).priority(id, { priority: value }));
      }),
    'banto priority shop~7~implement.1 high',
  );
  addPause(program, shell);
}

function addPause(program: Command, shell: Shell): void {
  const sentence = {
    pause: 'Hand-out is paused. Agents keep what they hold; `banto resume` goes on.',
    resume: 'Hand-out goes on.',
  };
  for (const name of ['pause', 'resume'] as const) {
    const summary = name === 'pause' ? 'stop handing out tasks' : 'hand out tasks again';
    const command = talks(
      program
        .command(name)
        .summary(summary)
        .description(
          name === 'pause'
            ? 'Stops handing out tasks (the flag `maintenance`). Agents finish what they hold.'
            : 'Hands out tasks again.',
        ),
    ).action(async (options: TalkOptions) => {
      const flags = await shell
        .session(talkFlags(options))
        .client.putFlag('maintenance', name === 'pause');
      if (options.json) return printJson(shell, flags);
      print(shell, sentence[name]);
    });
    examples(command, `banto ${name}`);
  }
}
