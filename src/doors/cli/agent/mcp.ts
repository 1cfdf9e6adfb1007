// banto mcp: started by an agent's tool, not by a person.

import type { Command } from 'commander';
import { examples } from '../options/options.ts';
import type { Shell } from '../shell.ts';

interface Options {
  readonly url?: string;
  readonly config?: string;
}

export function addMcp(program: Command, shell: Shell): void {
  const command = program
    .command('mcp')
    .summary('speak MCP over standard input and output')
    .description(
      'The tools of Banto for a model, over standard input and output. It talks to the server at BANTO_URL, which has the same tools at /mcp.',
    )
    .option('--url <address>', 'where Banto is (BANTO_URL)')
    .option('--config <file>', 'the configuration file (BANTO_CONFIG)')
    .action(async ({ url, config }: Options) => {
      const { client } = shell.session({ BANTO_URL: url, BANTO_CONFIG: config });
      await shell.serveMcp(client);
    });
  examples(command, 'banto mcp', 'banto mcp --url https://banto.example.com');
}
