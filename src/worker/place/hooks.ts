// The person's own steps around a task: a command of the configuration, or a file in `.banto/hooks/` of the
// person's clone. Never those of the worktree: an agent must not write its own hooks.

import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandEnd, runCommand, type Stops } from '../run/command.ts';
import type { HookName } from '../settings.ts';

export interface HookOptions {
  readonly clone: string;
  readonly commands: Readonly<Partial<Record<HookName, string>>>;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onLine: (line: string) => void;
  readonly stops: Stops;
}

const HOOK_MS = 60_000;
const TAIL_LINES = 20;

function commandOf(name: HookName, { clone, commands }: HookOptions): [string, string[]] | null {
  const command = commands[name];
  if (command !== undefined) return ['/bin/sh', ['-c', command]];
  const file = join(clone, '.banto', 'hooks', name);
  if (!existsSync(file)) return null;
  try {
    accessSync(file, constants.X_OK);
    return [file, []];
  } catch {
    return ['/bin/sh', [file]];
  }
}

function describe(end: CommandEnd, lines: readonly string[]): string {
  const how =
    end.startError ??
    (end.halt?.by === 'timeout'
      ? `it took longer than ${HOOK_MS / 1000} s`
      : `exit code ${end.exitCode}`);
  return [how, ...lines.slice(-TAIL_LINES)].join('\n');
}

/** Null: it passed, or there is none. Otherwise what went wrong. */
export async function runHook(name: HookName, options: HookOptions): Promise<string | null> {
  const command = commandOf(name, options);
  if (command === null) return null;
  const [file, args] = command;
  const lines: string[] = [];
  const late = new AbortController();
  const timer = setTimeout(() => late.abort({ by: 'timeout', seconds: HOOK_MS / 1000 }), HOOK_MS);
  const end = await runCommand(
    {
      file,
      args,
      cwd: options.folder,
      env: { ...options.env, BANTO_HOOK: name },
      stdin: null,
      onLine(line) {
        lines.push(line);
        options.onLine(line);
      },
    },
    { halt: AbortSignal.any([options.stops.halt, late.signal]), urgent: options.stops.urgent },
  );
  clearTimeout(timer);
  return end.exitCode === 0 && end.halt === null ? null : describe(end, lines);
}
