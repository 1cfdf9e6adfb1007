// banto init: says what it would write, asks, writes, and says what to do next.

import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { examples, type PlaceOptions, placed, placeFlags } from '../options/options.ts';
import { type InitPlan, painter, print, type Shell } from '../shell.ts';
import { EXIT } from '../terminal/exit.ts';
import { table } from '../terminal/text.ts';

interface Options extends PlaceOptions {
  readonly yes?: true;
}

async function agrees(shell: Shell): Promise<boolean> {
  const { terminal } = shell;
  if (terminal === null) return false;
  const asking = createInterface({ input: terminal.input, output: terminal.output });
  try {
    // Whoever closes the terminal, or presses Ctrl-D, has not agreed.
    const closed = new Promise<string>((resolve) => {
      asking.once('close', () => resolve(''));
    });
    const answer = await Promise.race([asking.question('Write them? [y/N] '), closed]);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    asking.close();
  }
}

function printNext(shell: Shell, { next }: InitPlan): void {
  const paint = painter(shell);
  print(shell, '', 'Next:', ...next.map((line) => `  ${paint('cyan', line)}`));
}

async function init(shell: Shell, options: Options): Promise<number> {
  const plan = await shell.init(placeFlags(options));
  const rows = plan.files.map(({ path, about }) => [`  ${path}`, about]);
  if (rows.length === 0) {
    print(shell, `${plan.root} has a backlog and settings already; nothing was changed.`);
    printNext(shell, plan);
    return EXIT.ok;
  }
  print(shell, `In ${plan.root}:`, ...table(rows, Number.POSITIVE_INFINITY));
  if (!options.yes) {
    if (shell.terminal === null) {
      shell.stderr.write(
        'banto: Nothing was written, as nobody can be asked here. Add --yes to write these files.\n',
      );
      return EXIT.usage;
    }
    if (!(await agrees(shell))) {
      print(shell, 'Nothing was written.');
      return EXIT.ok;
    }
  }
  await plan.write();
  print(shell, 'Written.');
  printNext(shell, plan);
  return EXIT.ok;
}

export function addInit(program: Command, shell: Shell, done: (code: number) => void): void {
  const command = placed(
    program
      .command('init')
      .summary('prepare a repository for Banto')
      .description(
        'Writes a backlog with two example issues and a file of settings into the git repository you are in. Asks first; what is there already is left alone.',
      ),
  )
    .option('--yes', 'write without asking')
    .action(async (options: Options) => done(await init(shell, options)));
  examples(command, 'banto init', 'banto init --yes', 'banto init --repo ../shop --backlog todo');
}
