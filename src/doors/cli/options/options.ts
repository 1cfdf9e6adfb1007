// Options that several commands share, and how their text is read. A bad one ends with exit code 2.

import { type Command, InvalidArgumentError } from 'commander';
import { commaList } from '../../../core/text/comma-list.ts';
import type { SettingFlags } from './setting-flags.ts';

export function whole(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
  };
}

export function word<const T extends string>(...words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((one) => one === text.toLowerCase());
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`It must be one of ${words.join(', ')}.`);
  };
}

/** `--cap a,b --cap c`: commas and repeats add up; a label with a comma stands in quotes. */
export function listed(text: string, before: readonly string[] = []): string[] {
  return [...before, ...commaList(text)];
}

/** Repeats add up; commas belong to the text. */
export function repeated(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

export interface TalkOptions {
  readonly url?: string;
  readonly config?: string;
  readonly json?: true;
}

/** A command that talks to a server. */
export function talks(command: Command): Command {
  return command
    .option('--url <address>', 'where Banto is (BANTO_URL)')
    .option('--config <file>', 'the configuration file (default: banto.config.json)')
    .option('--json', 'print the answer as JSON');
}

export function talkFlags({ url, config }: TalkOptions): SettingFlags {
  return { BANTO_URL: url, BANTO_CONFIG: config };
}

export interface PlaceOptions {
  readonly config?: string;
  readonly repo?: string;
  readonly backlog?: string;
  readonly dataDir?: string;
  readonly forge?: string;
  readonly githubRepository?: string;
}

/** A command that works where the server's files are. */
export function placed(command: Command): Command {
  return command
    .option('--config <file>', 'the configuration file (default: banto.config.json)')
    .option('--repo <folder>', 'the git repository (BANTO_REPO; default: the one you are in)')
    .option('--backlog <folder>', 'the folder of the issues in it (BACKLOG_DIR; default: backlog)')
    .option('--data-dir <folder>', 'the folder of the database (BANTO_DATA_DIR; default: .banto)')
    .option('--forge <name>', 'local or github (FORGE)')
    .option('--github-repository <names>', 'owner/repo, several by comma (GITHUB_REPOSITORY)');
}

export function placeFlags(options: PlaceOptions): SettingFlags {
  const { config, repo, backlog, dataDir, forge, githubRepository } = options;
  return {
    BANTO_CONFIG: config,
    BANTO_REPO: repo,
    BACKLOG_DIR: backlog,
    BANTO_DATA_DIR: dataDir,
    FORGE: forge,
    GITHUB_REPOSITORY: githubRepository,
  };
}

export function examples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText(
    'after',
    `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`,
  );
}
