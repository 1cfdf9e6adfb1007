// banto requeue: one task, or all that are dead.

import type { Command } from 'commander';
import type { Client } from '../../../client/client.ts';
import { BantoError } from '../../../core/errors.ts';
import type { ListedTaskAnswer, TaskAnswer } from '../../schema/task.ts';
import { examples, type TalkOptions, talkFlags, talks, whole, word } from '../options/options.ts';
import { resolveTask, TASK_ARGUMENT } from '../options/task-argument.ts';
import { print, printJson, type Shell } from '../shell.ts';
import { UsageError } from '../terminal/exit.ts';
import { clean } from '../terminal/text.ts';
import { tellTask } from './tell-task.ts';

const MAX_DELAY_SECONDS = 2_592_000;

interface Options extends TalkOptions {
  readonly delay?: number;
  readonly state?: 'dead' | 'delayed';
  readonly all?: true;
}

/** Read to the end before the first is requeued: a task that leaves the state would shift the pages. */
async function everyTask(client: Client, state: 'dead' | 'delayed'): Promise<ListedTaskAnswer[]> {
  const found: ListedTaskAnswer[] = [];
  let cursor: string | null = null;
  do {
    const page = await client.tasks({ state, limit: 200, ...(cursor === null ? {} : { cursor }) });
    found.push(...page.tasks);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}

async function requeueAll(shell: Shell, client: Client, body: object, options: Options) {
  const { state = 'dead' } = options;
  const done: TaskAnswer[] = [];
  const refused: string[] = [];
  for (const { task_id } of await everyTask(client, state)) {
    try {
      done.push(await client.requeue(task_id, body));
    } catch (error) {
      // It changed meanwhile, or its issue is closed: the others still go on.
      const expected = error instanceof BantoError && /^(?:conflict|not_found)$/.test(error.code);
      if (!expected) throw error;
      refused.push(error.message);
    }
  }
  if (options.json) return printJson(shell, { requeued: done, refused });
  const count = done.length === 1 ? '1 task was' : `${done.length} tasks were`;
  print(
    shell,
    done.length === 0 && refused.length === 0 ? `No task is ${state}.` : `${count} requeued.`,
    ...refused.map(clean),
  );
}

function isForAll(text: string | undefined, { state, all }: Options): boolean {
  if (text !== undefined && state === undefined && all === undefined) return false;
  if (text === undefined && state !== undefined && all === true) return true;
  throw new UsageError('Name one task, or all of a state: banto requeue --state dead --all');
}

export function addRequeue(program: Command, shell: Shell): void {
  const command = talks(
    program
      .command('requeue')
      .summary('offer a task again')
      .description('Offers a dead, delayed or cancelled task again; attempts count from 0.'),
  )
    .argument('[task]', TASK_ARGUMENT)
    .option('--delay <seconds>', 'not before then', whole(0, MAX_DELAY_SECONDS))
    .option('--state <state>', 'with --all: dead or delayed', word('dead', 'delayed'))
    .option('--all', 'every task of that state')
    .action(async (text: string | undefined, options: Options) => {
      const forAll = isForAll(text, options);
      const { client } = shell.session(talkFlags(options));
      const body = options.delay === undefined ? {} : { delay_seconds: options.delay };
      if (forAll) return requeueAll(shell, client, body, options);
      const id = await resolveTask(client, text ?? '');
      tellTask(shell, options, await client.requeue(id, body));
    });
  examples(
    command,
    'banto requeue 7',
    'banto requeue 7 --delay 600',
    'banto requeue --state dead --all',
  );
}
