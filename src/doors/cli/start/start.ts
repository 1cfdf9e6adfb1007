// banto serve and demo: the two commands that are a server themselves.

import type { Command } from 'commander';
import { examples, type PlaceOptions, placed, placeFlags, whole } from '../options/options.ts';
import type { Shell } from '../shell.ts';

interface ServeOptions extends PlaceOptions {
  readonly port?: string;
  readonly host?: string;
  readonly logLevel?: string;
}

interface DemoFlags {
  readonly port?: number;
  readonly exit?: true;
  readonly endless?: true;
  readonly github?: true;
}

export function addServe(program: Command, shell: Shell, done: (code: number) => void): void {
  const command = placed(
    program
      .command('serve')
      .summary('start Banto')
      .description('Starts Banto. All settings: docs/settings.md.'),
  )
    .option('--port <number>', 'the port (BROKER_PORT; default: 8080)')
    .option('--host <address>', 'the address (BROKER_HOST; default: 127.0.0.1)')
    .option('--log-level <level>', 'how much is logged (LOG_LEVEL; default: info)')
    .action(async (options: ServeOptions) => {
      done(
        await shell.serve({
          ...placeFlags(options),
          BROKER_PORT: options.port,
          BROKER_HOST: options.host,
          LOG_LEVEL: options.logLevel,
        }),
      );
    });
  examples(
    command,
    'banto serve',
    'banto serve --port 9000 --repo ../shop',
    'BROKER_HOST=0.0.0.0 banto serve    # needs a token: banto token create --operator',
  );
}

export function addDemo(program: Command, shell: Shell, done: (code: number) => void): void {
  const command = program
    .command('demo')
    .summary('watch a scripted fleet at work')
    .description(
      'Makes a small repository with a backlog, starts Banto on it with a few scripted agents, and shows what happens. Nothing is left behind.',
    )
    .option('--port <number>', 'the port (BROKER_PORT; default: any free one)', whole(0, 65_535))
    .option('--exit', 'end after the story, instead of with Ctrl-C')
    .option('--endless', 'keep a fleet at work until Ctrl-C, to show the page round')
    .option('--github', 'play on a GitHub of its own (in a clone of Banto only)')
    .action(async ({ port, exit, endless, github }: DemoFlags) => {
      const stay = !exit && shell.stdout.isTTY === true;
      const how = { stay, endless: endless === true, github: github === true };
      done(await shell.demo({ port: port ?? null, ...how }));
    });
  examples(
    command,
    'banto demo',
    'banto demo --port 8080 --exit',
    'banto demo --endless',
    'banto demo --github',
  );
}
