// banto logs: what a tool said while it worked on a task. From the disk where a worker of this machine wrote
// it, otherwise from the server.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { BantoError } from '../../../core/errors.ts';
import { examples, talkFlags, whole } from '../options/options.ts';
import { resolveTask } from '../options/task-argument.ts';
import { print, type Session, type Shell } from '../shell.ts';
import { clean, cleanLines } from '../terminal/text.ts';
import { type LocalLog, NOTHING_YET, unseen } from './local-log.ts';

interface Options {
  readonly url?: string;
  readonly config?: string;
  readonly repo?: string;
  readonly dataDir?: string;
  readonly follow?: true;
  readonly raw?: true;
  readonly attempt?: number;
}

const LOOK_EVERY_MS = 300;
const FOLLOW_SECONDS = 20;

function write(shell: Shell, text: string): void {
  if (text !== '') shell.stdout.write(cleanLines(text));
}

async function followLocal(
  shell: Shell,
  log: LocalLog,
  raw: boolean,
  left: { over: boolean },
): Promise<void> {
  let shown = NOTHING_YET;
  while (!left.over) {
    const found = log.read(raw);
    write(shell, unseen(shown, found));
    shown = found;
    const { older, newer } = raw ? log.read(false) : found;
    if (log.ended(older + newer)) return;
    await sleep(LOOK_EVERY_MS);
  }
}

async function fromServer(
  shell: Shell,
  { client }: Session,
  task: string,
  options: Options,
  left: { over: boolean },
): Promise<void> {
  const id = await resolveTask(client, task);
  const tell = (sentence: string) => {
    shell.stderr.write(`banto: ${clean(sentence)}\n`);
  };
  let offset = 0;
  let told = false;
  // The first look is short: somebody who has to wait is told so soon.
  let seconds = 1;
  for (;;) {
    const answer = await client.log(id, {
      offset,
      ...(options.attempt === undefined ? {} : { fence: options.attempt }),
      ...(options.follow ? { follow: seconds } : {}),
    });
    seconds = FOLLOW_SECONDS;
    const { fence, text, next_offset: next, ended } = answer;
    if (fence === 0 && !options.follow) throw new BantoError('not_found', 'There is no log.');
    if (fence === 0 && !told) {
      tell(`Nobody has taken ${id} yet. It is waited for; Ctrl-C ends it.`);
      told = true;
    }
    write(shell, text);
    const more = next > offset;
    offset = next;
    if (left.over) return;
    if (more || (options.follow && ended === null)) continue;
    if (offset > 0) return;
    return tell(
      ended === null ? 'It has not said anything yet.' : `It ended (${ended}) without a line.`,
    );
  }
}

export function addLogs(program: Command, shell: Shell): void {
  const command = program
    .command('logs')
    .summary('show what a tool said while it worked')
    .description('Shows the log of the last attempt at a task.')
    .argument('<task>', 'the task, or its issue: 7, #7, owner/repo#7')
    .option('-f, --follow', 'go on until the attempt ends')
    .option('--raw', "the tool's own stream of events, where this machine has it")
    .option(
      '--attempt <fence>',
      'an earlier attempt, by its fence (`banto show <task> --json` has them)',
      whole(1, Number.MAX_SAFE_INTEGER),
    )
    .option('--repo <folder>', 'the clone that is worked in (BANTO_REPO; default: here)')
    .option(
      '--data-dir <folder>',
      'where the logs are (BANTO_DATA_DIR; default: .banto in the clone)',
    )
    .option('--url <address>', 'where Banto is (BANTO_URL)')
    .option('--config <file>', 'the configuration file (default: banto.config.json)')
    .action(async (task: string, options: Options) => {
      const flags = {
        ...talkFlags(options),
        BANTO_REPO: options.repo,
        BANTO_DATA_DIR: options.dataDir,
      };
      const left = { over: false };
      const untilStopped = async () => {
        await shell.untilStopped();
        left.over = true;
      };
      const found = (await shell.localLogs(flags, task)).findLast(
        ({ fence }) => options.attempt === undefined || fence === options.attempt,
      );
      const shown =
        found === undefined
          ? fromServer(shell, shell.session(talkFlags(options)), task, options, left)
          : options.follow
            ? followLocal(shell, found, options.raw === true, left)
            : Promise.resolve(write(shell, unseen(NOTHING_YET, found.read(options.raw === true))));
      await Promise.race([shown, untilStopped()]).catch((error: unknown) => {
        if (!(error instanceof BantoError) || error.code !== 'not_found') throw error;
        throw new BantoError(
          'not_found',
          `There is no log of ${task}, neither here nor at the server.`,
        );
      });
      if (left.over) print(shell, '');
    });
  examples(command, 'banto logs shop~7~implement.1', 'banto logs 7 --follow');
}
