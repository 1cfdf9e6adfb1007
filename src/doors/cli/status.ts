// banto status: one snapshot, or a live view that follows the events.

import type { Command } from 'commander';
import { watchLive } from './live.ts';
import { examples, type TalkOptions, talkFlags, talks } from './options.ts';
import { columnsOf, painter, print, printJson, type Shell } from './shell.ts';
import { lookClosely, takeSnapshot } from './snapshot.ts';
import { draw } from './status-view.ts';

interface Options extends TalkOptions {
  readonly once?: true;
}

export function addStatus(program: Command, shell: Shell): void {
  const command = talks(
    program
      .command('status')
      .summary('watch what happens')
      .description(
        'Shows counts, leased and delayed tasks and agents; live on a terminal, until Ctrl-C.',
      ),
  )
    .option('--once', 'one snapshot, then end')
    .action(async (options: Options) => {
      const { client } = shell.session(talkFlags(options));
      if (options.json) return printJson(shell, await takeSnapshot(client));
      if (shell.stdout.isTTY === true && !options.once) return watchLive(shell, client);
      const snapshot = await takeSnapshot(client);
      const lines = draw({
        snapshot,
        asides: await lookClosely(client, snapshot),
        now: shell.now(),
        columns: columnsOf(shell),
        rows: Number.POSITIVE_INFINITY,
        paint: painter(shell),
        lost: null,
      });
      print(shell, ...lines);
    });
  examples(command, 'banto status', 'banto status --once', 'banto status --json');
}
