// banto status: one snapshot, or a live view that follows the events.

import type { Command } from 'commander';
import { examples, type TalkOptions, talkFlags, talks } from '../options/options.ts';
import { columnsOf, painter, print, printJson, type Shell } from '../shell.ts';
import { watchLive } from './live.ts';
import { takeSnapshot } from './snapshot.ts';
import { draw } from './status-view.ts';

/** A snapshot is for reading, also in a pipe or a mail; programs take --json. */
const PIPE_COLUMNS = 80;

interface Options extends TalkOptions {
  readonly once?: true;
}

export function addStatus(program: Command, shell: Shell): void {
  const command = talks(
    program
      .command('status')
      .summary('watch what happens')
      .description(
        'Shows what waits for a person, leased, held and delayed tasks, and agents; live on a terminal, until Ctrl-C.',
      ),
  )
    .option('--once', 'one snapshot, then end')
    .action(async (options: Options) => {
      const { client } = shell.session(talkFlags(options));
      if (options.json) return printJson(shell, await takeSnapshot(client));
      if (shell.stdout.isTTY === true && !options.once) return watchLive(shell, client);
      const lines = draw({
        snapshot: await takeSnapshot(client),
        now: shell.now(),
        columns: shell.stdout.isTTY === true ? columnsOf(shell) : PIPE_COLUMNS,
        rows: Number.POSITIVE_INFINITY,
        paint: painter(shell),
        lost: null,
      });
      print(shell, ...lines);
    });
  examples(command, 'banto status', 'banto status --once', 'banto status --json');
}
