// How a command ends: exit codes and the sentence on stderr.

import { CommanderError } from 'commander';
import { BantoError, ERROR_TABLE } from '../../../core/errors.ts';
import type { Shell } from '../shell.ts';
import { clean } from './text.ts';

export const EXIT = { ok: 0, error: 1, usage: 2, noTask: 3 } as const;

/** A command line that lacks something only the command itself can see. */
export class UsageError extends Error {}

export function exitCodeOf(error: unknown, shell: Shell): number {
  // Commander has already said it.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const complain = (sentence: string) => {
    shell.stderr.write(`banto: ${clean(sentence)}\n`);
    if (shell.debug && error instanceof Error) shell.stderr.write(`${error.stack}\n`);
  };
  complain(error instanceof Error ? error.message : String(error));
  if (error instanceof UsageError) return EXIT.usage;
  return error instanceof BantoError ? ERROR_TABLE[error.code].exit : EXIT.error;
}
