// banto answer and budget: what a person gives to a task that waits for one.

import { type Command, InvalidArgumentError } from 'commander';
import type { Client } from '../../../client/client.ts';
import { examples, type TalkOptions, talkFlags, talks } from '../options/options.ts';
import { resolveTask, TASK_ARGUMENT } from '../options/task-argument.ts';
import type { Shell } from '../shell.ts';
import { UsageError } from '../terminal/exit.ts';
import { tellTask } from './tell-task.ts';

interface AnswerOptions extends TalkOptions {
  readonly question?: string;
}

interface BudgetOptions extends TalkOptions {
  readonly cost?: number;
  readonly tokens?: number;
}

/** With one open question nobody has to name it. */
async function onlyQuestion(client: Client, taskId: string): Promise<string> {
  const { questions } = await client.task(taskId);
  const open = questions.filter(({ answer }) => answer === null);
  const [only, ...more] = open;
  if (only !== undefined && more.length === 0) return only.question_id;
  const names = open.map(({ question_id }) => question_id).join(', ');
  throw new UsageError(
    only === undefined
      ? `${taskId} has no question without an answer.`
      : `${taskId} has several questions: say which with --question (${names}).`,
  );
}

function amount(text: string): number {
  const value = /^\d{1,7}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (value >= 0.01) return value;
  throw new InvalidArgumentError('It must be an amount in US dollars, such as 2.50.');
}

function count(text: string): number {
  const value = /^\d{1,13}$/.test(text) ? Number(text) : 0;
  if (value >= 1) return value;
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}

function addAnswer(program: Command, shell: Shell): void {
  const command = talks(
    program
      .command('answer')
      .summary('answer the question of an agent')
      .description('Answers a question that an agent asked; it hears it at its next heartbeat.'),
  )
    .argument('<task>', TASK_ARGUMENT)
    .argument('<text>', 'the answer')
    .option('--question <id>', 'which question (default: the only open one)')
    .action(async (task: string, answer: string, options: AnswerOptions) => {
      const { client } = shell.session(talkFlags(options));
      const id = await resolveTask(client, task);
      const question_id = options.question ?? (await onlyQuestion(client, id));
      tellTask(shell, options, await client.answer(id, { question_id, answer }));
    });
  examples(command, 'banto answer 7 "Yes, remove it."', 'banto answer 7 --question q2 "8080"');
}

function addBudget(program: Command, shell: Shell): void {
  const command = talks(
    program
      .command('budget')
      .summary('set what a task may cost')
      .description(
        'Sets what a task may use, over all its attempts. Held for its budget, it is offered again.',
      ),
  )
    .argument('<task>', TASK_ARGUMENT)
    .option('--cost <dollars>', 'in US dollars', amount)
    .option('--tokens <count>', 'tokens that the model reads and writes', count)
    .action(async (task: string, options: BudgetOptions) => {
      const { cost, tokens } = options;
      if (cost === undefined && tokens === undefined) {
        throw new UsageError('Say how much: --cost <dollars>, --tokens <count> or both.');
      }
      const { client } = shell.session(talkFlags(options));
      const body = {
        ...(cost === undefined ? {} : { cost_usd: cost }),
        ...(tokens === undefined ? {} : { tokens }),
      };
      tellTask(shell, options, await client.budget(await resolveTask(client, task), body));
    });
  examples(command, 'banto budget 7 --cost 10', 'banto budget 7 --tokens 2000000');
}

export function addAnswerCommands(program: Command, shell: Shell): void {
  addAnswer(program, shell);
  addBudget(program, shell);
}
