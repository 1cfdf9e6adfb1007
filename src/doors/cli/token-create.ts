// banto token create: through the server when it runs, into its store when it does not. The first token
// has to come about while a server that needs one refuses to start.

import type { Command } from 'commander';
import { BantoError } from '../../core/errors.ts';
import { isAgentId } from '../../core/task.ts';
import { UsageError } from './exit.ts';
import { examples, type PlaceOptions, placed, placeFlags } from './options.ts';
import { print, printJson, type Shell } from './shell.ts';

interface Options extends PlaceOptions {
  readonly agent?: string;
  readonly operator?: true;
  readonly note?: string;
  readonly url?: string;
  readonly json?: true;
}

function owner({ agent, operator }: Options): string | null {
  if ((agent === undefined) === (operator === undefined)) {
    throw new UsageError('Say whose token it is: --agent <id>, or --operator.');
  }
  if (agent !== undefined && !isAgentId(agent)) {
    throw new UsageError(
      'An agent id is 1 to 50 letters, digits, ".", "_" and "-", beginning with a letter or digit.',
    );
  }
  return agent ?? null;
}

async function create(shell: Shell, agentId: string | null, options: Options) {
  const { client } = shell.session({ BANTO_URL: options.url, BANTO_CONFIG: options.config });
  const note = options.note ?? null;
  try {
    return await client.createToken({ agent_id: agentId, ...(note === null ? {} : { note }) });
  } catch (error) {
    const nobodyThere = error instanceof BantoError && error.code === 'unreachable';
    // A server that was named is meant; its store may be on another machine.
    if (!nobodyThere || options.url !== undefined) throw error;
    return shell.createTokenOffline(placeFlags(options), { agentId, note });
  }
}

export function addTokenCreate(program: Command, shell: Shell): void {
  const group = program.command('token').summary('create tokens').description('Tokens.');
  const command = placed(
    group
      .command('create')
      .description(
        'Creates a token, for one agent or for an operator, and prints it once; only its hash is kept. Works through the running server, or on its data folder when it is stopped.',
      ),
  )
    .option('--agent <id>', 'may only act as this agent')
    .option('--operator', 'may do everything')
    .option('--note <text>', 'what it is for')
    .option('--url <address>', 'where Banto is (BANTO_URL)')
    .option('--json', 'print the answer as JSON')
    .action(async (options: Options) => {
      const answer = await create(shell, owner(options), options);
      if (options.json) return printJson(shell, answer);
      print(shell, answer.token);
      shell.stderr.write('This is shown once. Give it to clients as BANTO_TOKEN.\n');
    });
  const lines = ['banto token create --agent a1', 'banto token create --operator --note "laptop"'];
  examples(group, ...lines);
  examples(command, ...lines);
}
