// banto setup: puts Banto's skill and tools into a coding agent, or takes them back.

import { Argument, type Command, Option } from 'commander';
import type { SetupPlan, SetupStep } from '../../../setup/plan-setup.ts';
import { SETUP_TOOLS, type SetupTool } from '../../../setup/tools.ts';
import { examples } from '../options/options.ts';
import { print, type Shell } from '../shell.ts';
import { clean } from '../terminal/text.ts';

interface Options {
  readonly project?: true;
  readonly user?: true;
  readonly remove?: true;
  readonly print?: true;
}

function scopeOf({ project, user }: Options): 'project' | 'user' | null {
  if (project) return 'project';
  return user ? 'user' : null;
}

function line(step: SetupStep): string {
  const what = step.what.padEnd(6);
  return `  ${what}  ${step.what === 'run' ? step.command.join(' ') : clean(step.path)}`;
}

function heading({ title, scope, folder }: SetupPlan): string {
  return scope === 'user' ? `${title}, for you:` : `${title}, in ${clean(folder)}:`;
}

async function setUp(shell: Shell, tool: SetupTool, options: Options): Promise<void> {
  const plan = await shell.setup({
    tool,
    scope: scopeOf(options),
    remove: options.remove === true,
    print: options.print === true,
  });
  const notes = plan.notes.map((note) => `Note: ${clean(note)}`);
  if (plan.steps.length === 0) {
    const state = options.remove
      ? 'nothing of Banto is set up here'
      : 'everything is set up already';
    return print(shell, `${heading(plan)} ${state}; nothing was changed.`, ...notes);
  }
  print(shell, heading(plan), ...plan.steps.map(line));
  if (options.print) return print(shell, 'Nothing was done: --print only shows it.', ...notes);
  await plan.apply();
  print(shell, 'Done.', ...notes);
}

export function addSetup(program: Command, shell: Shell): void {
  const command = program
    .command('setup')
    .summary('put Banto into a coding agent')
    .description(
      "Gives a coding agent Banto's skill and its tools: as a plugin, by the agent's own commands, or as files of the project. Running it twice changes nothing. No token is written anywhere: the agent's environment has BANTO_TOKEN.",
    )
    .addArgument(new Argument('<agent>', 'which one').choices(SETUP_TOOLS))
    .addOption(
      new Option(
        '--project',
        'write files into this repository, for everybody; the usual for gemini and opencode',
      ).conflicts('user'),
    )
    .addOption(
      new Option(
        '--user',
        'for you, in every folder; the usual for claude, codex and copilot, where they are installed',
      ),
    )
    .option('--remove', 'take back exactly what was written')
    .option('--print', 'show what would be done, and do nothing')
    .action((tool: SetupTool, options: Options) => setUp(shell, tool, options));
  examples(
    command,
    'banto setup claude',
    'banto setup gemini --project --print',
    'banto setup codex --remove',
  );
}
