// banto config and flags: what can be turned while Banto runs.

import type { Command } from 'commander';
import { examples, type TalkOptions, talkFlags, talks } from '../options/options.ts';
import { columnsOf, print, printJson, type Shell } from '../shell.ts';
import { UsageError } from '../terminal/exit.ts';
import { table } from '../terminal/text.ts';

type Values = Readonly<Record<string, unknown>>;

interface Shelf {
  readonly name: 'config' | 'flags';
  readonly about: string;
  read(options: TalkOptions): Promise<Values>;
  write(options: TalkOptions, name: string, value: unknown): Promise<Values>;
  readonly examples: readonly string[];
}

/** JSON where it is JSON, otherwise the text itself: `5`, `true`, `["a","b"]`, `word`. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function show(shell: Shell, options: TalkOptions, values: Values, only?: string): void {
  if (only !== undefined && !Object.hasOwn(values, only)) {
    throw new UsageError(`There is no ${only}; there are ${Object.keys(values).join(', ')}.`);
  }
  const shown = only === undefined ? values : { [only]: values[only] };
  if (options.json) return printJson(shell, shown);
  const rows = Object.entries(shown).map(([name, value]) => [name, JSON.stringify(value)]);
  print(shell, ...table(rows, columnsOf(shell)));
}

function addShelf(program: Command, shell: Shell, shelf: Shelf): void {
  const group = program
    .command(shelf.name)
    .summary(shelf.about)
    .description(`${shelf.about.replace(/^r/, 'R')}.`);
  examples(group, ...shelf.examples);
  const get = talks(
    group
      .command('get')
      .summary('show all of them, or one')
      .description('Shows all of them, or one.'),
  )
    .argument('[name]', 'only this one')
    .action(async (name: string | undefined, options: TalkOptions) => {
      show(shell, options, await shelf.read(options), name);
    });
  const set = talks(
    group.command('set').summary('change one').description('Changes one, at once and for good.'),
  )
    .argument('<name>')
    .argument('<value>', 'JSON, or a word')
    .action(async (name: string, value: string, options: TalkOptions) => {
      show(shell, options, await shelf.write(options, name, parseValue(value)), name);
    });
  examples(get, ...shelf.examples.filter((line) => line.includes(' get')));
  examples(set, ...shelf.examples.filter((line) => line.includes(' set ')));
}

export function addSettingCommands(program: Command, shell: Shell): void {
  const client = (options: TalkOptions) => shell.session(talkFlags(options)).client;
  addShelf(program, shell, {
    name: 'config',
    about: 'read and change the settings of a running Banto',
    read: (options) => client(options).config(),
    write: (options, name, value) => client(options).putConfig(name, value),
    examples: ['banto config get', 'banto config set max_attempts 5'],
  });
  addShelf(program, shell, {
    name: 'flags',
    about: 'read and change the flags of a running Banto',
    read: async (options) => ({ ...(await client(options).flags()) }),
    write: async (options, name, value) => ({ ...(await client(options).putFlag(name, value)) }),
    examples: ['banto flags get', 'banto flags set debug true'],
  });
}
