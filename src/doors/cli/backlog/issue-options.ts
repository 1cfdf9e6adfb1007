// The options that every command of the backlog has.

import type { Command } from 'commander';
import { type PlaceOptions, placed, placeFlags } from '../options/options.ts';

export interface IssueOptions extends PlaceOptions {
  readonly url?: string;
  readonly json?: true;
}

export function issueFlags(options: IssueOptions) {
  return { ...placeFlags(options), BANTO_URL: options.url };
}

export function onBacklog(command: Command): Command {
  return placed(command)
    .option('--url <address>', 'ask this server instead of the files here (BANTO_URL)')
    .option('--json', 'print the answer as JSON');
}
