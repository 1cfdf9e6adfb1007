// The plugin that Banto ships, put into a tool by the tool's own commands. What it has already is not done again.

import { BantoError } from '../core/errors.ts';
import type { PluginCommands, SetupTool } from './tools.ts';

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

export type Run = (program: string, args: readonly string[]) => Promise<Ran>;

export interface PluginAsked {
  readonly tool: SetupTool;
  readonly commands: PluginCommands;
  /** The folder with the marketplace. */
  readonly folder: string;
  /** Of the shipped plugin. */
  readonly version: string;
  readonly run: Run;
}

const PLUGIN = 'banto@banto';
const MARKETPLACE = 'banto';

/** Codex keeps a copy: one of another version is installed again. */
function isInstalled(list: string, version: string): boolean {
  const line = list.split('\n').find((one) => one.includes(PLUGIN));
  if (line === undefined || /not installed/i.test(line)) return false;
  const shown = /\d+\.\d+\.\d+[\w.-]*/.exec(line)?.[0];
  return shown === undefined || shown === version;
}

/** The name stands alone in a line, or with its folder beside it or on the next line. */
function marketplaceLines(list: string): string | null {
  const lines = list.split('\n');
  const index = lines.findIndex((line) => /^\W*banto(?:\s|$)/.test(line));
  return index === -1 ? null : lines.slice(index, index + 2).join('\n');
}

const add = ({ folder }: PluginAsked) => ['plugin', 'marketplace', 'add', folder];
const drop = ['plugin', 'marketplace', 'remove', MARKETPLACE];

/** Everything, whatever the tool has already: for showing. */
export function allCommands(asked: PluginAsked, remove: boolean): string[][] {
  const { install, uninstall } = asked.commands;
  return remove ? [['plugin', uninstall, PLUGIN], drop] : [add(asked), ['plugin', install, PLUGIN]];
}

/** The commands that are still needed, by what the tool itself lists. */
export async function neededCommands(asked: PluginAsked, remove: boolean): Promise<string[][]> {
  const { tool, commands, folder, version, run } = asked;
  const listed = async (...args: string[]) => {
    const { code, output } = await run(tool, args);
    if (code === 0) return output;
    throw failed(tool, args, output);
  };
  const market = marketplaceLines(await listed('plugin', 'marketplace', 'list'));
  const list = await listed('plugin', 'list');
  const isThere = list.includes(PLUGIN);
  const installed = isInstalled(list, version);
  if (remove) {
    return [
      ...(isThere ? [['plugin', commands.uninstall, PLUGIN]] : []),
      ...(market === null ? [] : [drop]),
    ];
  }
  const isCurrent = market?.includes(folder) === true;
  if (isCurrent && installed) return [];
  return [
    // Banto was moved, or another version of it set this up.
    ...(isThere && !isCurrent ? [['plugin', commands.uninstall, PLUGIN]] : []),
    ...(market !== null && !isCurrent ? [drop] : []),
    ...(isCurrent ? [] : [add(asked)]),
    ['plugin', commands.install, PLUGIN],
  ];
}

export function failed(tool: string, args: readonly string[], output: string): BantoError {
  const last = output.trim().split('\n').at(-1) ?? '';
  return new BantoError('internal', `\`${tool} ${args.join(' ')}\` failed: ${last}`);
}
