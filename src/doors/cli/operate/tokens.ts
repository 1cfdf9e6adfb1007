// banto token create, list and revoke: through the server when it runs, on its store when it does not. The first
// token has to come about while a server that needs one refuses to start.

import type { Command } from 'commander';
import { BantoError } from '../../../core/errors.ts';
import { isAgentId } from '../../../core/task.ts';
import { scopeFor, TOKEN_SCOPES, type TokenRequest, type TokenScope } from '../../../core/token.ts';
import type { TokenView } from '../../schema/tokens.ts';
import { examples, type PlaceOptions, placed, placeFlags, word } from '../options/options.ts';
import { columnsOf, print, printJson, type Shell, type TokenDesk } from '../shell.ts';
import { UsageError } from '../terminal/exit.ts';
import { clean, table } from '../terminal/text.ts';
import { relative } from '../terminal/time-text.ts';

interface Options extends PlaceOptions {
  readonly url?: string;
  readonly json?: true;
}

interface CreateOptions extends Options {
  readonly agent?: string;
  readonly operator?: true;
  readonly scope?: TokenScope;
  readonly note?: string;
}

function requested({ agent, operator, scope, note }: CreateOptions): TokenRequest {
  if (agent === undefined && operator === undefined && scope === undefined) {
    throw new UsageError('Say whose token it is: --agent <id>, --operator, or --scope read.');
  }
  if (operator === true && (agent !== undefined || (scope ?? 'operator') !== 'operator')) {
    throw new UsageError('Say one of --agent <id>, --operator and --scope read, not two.');
  }
  if (agent !== undefined && !isAgentId(agent)) {
    throw new UsageError(
      'An agent id is 1 to 50 letters, digits, ".", "_" and "-", beginning with a letter or digit.',
    );
  }
  const found = scopeFor(agent ?? null, scope ?? null);
  if ('problem' in found) throw new UsageError(found.problem);
  return { scope: found.scope, agentId: agent ?? null, note: note ?? null };
}

async function atDesk<T>(
  shell: Shell,
  options: Options,
  use: (tokens: TokenDesk) => Promise<T>,
): Promise<T> {
  const { client } = shell.session({ BANTO_URL: options.url, BANTO_CONFIG: options.config });
  try {
    return await use({
      createToken: ({ scope, agentId, note }) =>
        client.createToken({ scope, agent_id: agentId, ...(note === null ? {} : { note }) }),
      tokens: client.tokens,
      revokeToken: client.revokeToken,
    });
  } catch (error) {
    const nobodyThere = error instanceof BantoError && error.code === 'unreachable';
    // A server that was named is meant; its store may be on another machine.
    if (!nobodyThere || options.url !== undefined) throw error;
    return shell.withTokens(placeFlags(options), use);
  }
}

function talksOrPlaced(command: Command): Command {
  return placed(command)
    .option('--url <address>', 'where Banto is (BANTO_URL)')
    .option('--json', 'print the answer as JSON');
}

function addCreate(group: Command, shell: Shell): void {
  const command = talksOrPlaced(
    group
      .command('create')
      .summary('create a token')
      .description(
        'Creates a token, for one agent, for an operator or only to read, and prints it once; only its hash is kept. Works through the running server, or on its data folder when it is stopped.',
      ),
  )
    .option('--agent <id>', 'may only act as this agent')
    .option('--operator', 'may do everything')
    .option('--scope <scope>', `${TOKEN_SCOPES.join(', ')}; read only looks`, word(...TOKEN_SCOPES))
    .option('--note <text>', 'what it is for')
    .action(async (options: CreateOptions) => {
      const input = requested(options);
      const answer = await atDesk(shell, options, (tokens) => tokens.createToken(input));
      if (options.json) return printJson(shell, answer);
      print(shell, answer.token);
      shell.stderr.write(
        `This is shown once. Give it to clients as BANTO_TOKEN. Take it back: banto token revoke ${answer.id}\n`,
      );
    });
  examples(
    command,
    'banto token create --agent a1',
    'banto token create --operator --note "laptop"',
    'banto token create --scope read --note "wall screen"',
  );
}

function addList(group: Command, shell: Shell): void {
  const command = talksOrPlaced(
    group
      .command('list')
      .summary('list tokens')
      .description('Lists the tokens: id, scope, agent, note and age. Secrets are not kept.'),
  ).action(async (options: Options) => {
    const answer = await atDesk(shell, options, (tokens) => tokens.tokens());
    if (options.json) return printJson(shell, answer);
    if (answer.tokens.length === 0) return print(shell, 'There are no tokens.');
    const rows = answer.tokens.map((token) => rowOf(token, shell.now()));
    print(
      shell,
      ...table([['ID', 'SCOPE', 'AGENT', 'CREATED', 'NOTE'], ...rows], columnsOf(shell)),
    );
  });
  examples(command, 'banto token list', 'banto token list --json');
}

function rowOf({ id, scope, agent_id, note, created_at }: TokenView, now: number): string[] {
  const made = created_at === null ? 'unknown' : relative(created_at, now);
  return [id, scope, agent_id ?? '', made, clean(note ?? '')];
}

function addRevoke(group: Command, shell: Shell): void {
  const command = talksOrPlaced(
    group
      .command('revoke')
      .summary('revoke a token')
      .description('Revokes a token: it is refused from now on. Leases of its agent go on.')
      .argument('<id>', 'as banto token list shows it'),
  ).action(async (id: string, options: Options) => {
    const token = await atDesk(shell, options, (tokens) => tokens.revokeToken(id));
    if (options.json) return printJson(shell, token);
    const whose = token.agent_id === null ? `scope ${token.scope}` : `agent ${token.agent_id}`;
    print(shell, `Revoked ${token.id} (${whose}).`);
  });
  examples(command, 'banto token revoke 3f0c9a1b2d4e');
}

export function addTokenCommands(program: Command, shell: Shell): void {
  const group = program
    .command('token')
    .summary('create, list and revoke tokens')
    .description('Tokens.');
  addCreate(group, shell);
  addList(group, shell);
  addRevoke(group, shell);
  examples(group, 'banto token create --agent a1', 'banto token list');
}
