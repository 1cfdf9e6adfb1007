// banto pause and resume: hand-out for all, for one repository or for one agent.

import type { Command } from 'commander';
import { examples, type TalkOptions, talkFlags, talks } from '../options/options.ts';
import { print, printJson, type Shell } from '../shell.ts';
import { UsageError } from '../terminal/exit.ts';
import { clean } from '../terminal/text.ts';

interface Options extends TalkOptions {
  readonly repository?: string;
  readonly agent?: string;
}

function scopeOf({ repository, agent }: Options): { flag: string; words: string } {
  if (repository !== undefined && agent !== undefined) {
    throw new UsageError('Name a repository or an agent, not both.');
  }
  const name = repository ?? agent;
  if (name === undefined) return { flag: 'maintenance', words: 'Hand-out' };
  const kind = repository === undefined ? 'the agent' : 'the repository';
  return { flag: `maintenance:${name}`, words: `Hand-out for ${kind} ${clean(name)}` };
}

export function addPause(program: Command, shell: Shell): void {
  for (const name of ['pause', 'resume'] as const) {
    const pauses = name === 'pause';
    const command = talks(
      program
        .command(name)
        .summary(pauses ? 'stop handing out tasks' : 'hand out tasks again')
        .description(
          pauses
            ? 'Stops handing out tasks: all, of one repository, or to one agent. Agents finish what they hold.'
            : 'Hands out tasks again: all, of one repository, or to one agent.',
        ),
    )
      .option('--repository <name>', 'only the tasks of this repository')
      .option('--agent <id>', 'only to this agent')
      .action(async (options: Options) => {
        const { flag, words } = scopeOf(options);
        const flags = await shell.session(talkFlags(options)).client.putFlag(flag, pauses);
        if (options.json) return printJson(shell, flags);
        const kept = pauses
          ? ' is paused. Agents keep what they hold; `banto resume` goes on.'
          : ' goes on.';
        print(shell, words + kept);
      });
    examples(
      command,
      `banto ${name}`,
      `banto ${name} --repository octo/shop`,
      `banto ${name} --agent a1`,
    );
  }
}
