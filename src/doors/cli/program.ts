// The command line: argv → a command → an exit code.

import { Command } from 'commander';
import { addLeaseCommands } from './agent/lease.ts';
import { addMcp } from './agent/mcp.ts';
import { addNext } from './agent/next.ts';
import { addPrime } from './agent/prime.ts';
import { addWork } from './agent/work.ts';
import { addIssueCommands } from './backlog/issue.ts';
import { addKeysCommands } from './operate/keys.ts';
import { addOperateCommands } from './operate/operate.ts';
import { addSettingCommands } from './operate/settings.ts';
import { addTokenCommands } from './operate/tokens.ts';
import { examples } from './options/options.ts';
import { addFleetCommands } from './read/fleet.ts';
import { addLogs } from './read/logs.ts';
import { addStatus } from './read/status.ts';
import { addTaskCommands } from './read/tasks.ts';
import type { Shell } from './shell.ts';
import { addCompletion } from './start/completion.ts';
import { addDoctor } from './start/doctor.ts';
import { addInit } from './start/init.ts';
import { addSetup } from './start/setup.ts';
import { addDemo, addServe } from './start/start.ts';
import { EXIT, exitCodeOf } from './terminal/exit.ts';

const EXIT_CODES =
  '\nExit codes: 0 ok, 1 error, 2 usage, 3 no task, 4 lease lost, 5 server not reachable.';

/** Every command that does something, as it is typed: `serve`, `issue add`. */
export function commandNames(program: Command): string[] {
  return program.commands
    .filter((command) => command.name() !== 'help')
    .flatMap((command) =>
      command.commands.length === 0
        ? [command.name()]
        : commandNames(command).map((name) => `${command.name()} ${name}`),
    );
}

export function createProgram(shell: Shell, done: (code: number) => void): Command {
  const program = new Command('banto')
    .description('Hands out the backlog to a fleet of coding agents, each task to exactly one.')
    .version(shell.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('(add --help for how it is used)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'banto: ')),
      getOutHelpWidth: () => shell.stdout.columns ?? 100,
      getErrHelpWidth: () => shell.stderr.columns ?? 100,
    });
  program.commandsGroup('Start:');
  addInit(program, shell, done);
  addServe(program, shell, done);
  addDemo(program, shell, done);
  addDoctor(program, shell, done);
  program.commandsGroup('For agents:');
  addWork(program, shell, done);
  addNext(program, shell, done);
  addMcp(program, shell);
  addSetup(program, shell);
  addPrime(program, shell);
  addLeaseCommands(program, shell);
  program.commandsGroup('Look:');
  addStatus(program, shell);
  addTaskCommands(program, shell);
  addLogs(program, shell);
  addFleetCommands(program, shell);
  program.commandsGroup('Operate:');
  addOperateCommands(program, shell);
  addSettingCommands(program, shell);
  addIssueCommands(program, shell);
  addTokenCommands(program, shell);
  addKeysCommands(program, shell);
  addCompletion(program, shell);
  program.commandsGroup('');
  examples(
    program,
    'banto demo',
    'banto init',
    'banto serve',
    'banto next --agent a1 --cap backend --wait 60',
  );
  return program.addHelpText('after', EXIT_CODES);
}

/** Commander's own exits (help, bad usage) and every error become an exit code here, and only here. */
export async function runCommandLine(argv: readonly string[], shell: Shell): Promise<number> {
  let code: number = EXIT.ok;
  const program = createProgram(shell, (given) => {
    code = given;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, shell);
  }
}
