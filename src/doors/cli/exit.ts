// How a command ends: exit codes and the sentence on stderr.

import { CommanderError } from 'commander';
import { BantoError, ERROR_TABLE } from '../../core/errors.ts';
import type { Shell } from './shell.ts';
import { clean } from './text.ts';

export const EXIT = { ok: 0, error: 1, usage: 2, noTask: 3 } as const;

/** A command line that lacks something only the command itself can see. */
export class UsageError extends Error {}

/** What to do next, where the server's sentence alone does not say it. */
const ADVICE: Partial<Record<BantoError['code'], string>> = {
  lease_lost: 'Stop working on it: another agent may have it by now. Ask for the next task.',
};

export function exitCodeOf(error: unknown, shell: Shell): number {
  // Commander has already said it.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const complain = (sentence: string) => shell.stderr.write(`banto: ${clean(sentence)}\n`);
  if (error instanceof UsageError) {
    complain(error.message);
    return EXIT.usage;
  }
  if (error instanceof BantoError) {
    const advice = ADVICE[error.code];
    complain(advice === undefined ? error.message : `${error.message} ${advice}`);
    return ERROR_TABLE[error.code].exit;
  }
  complain(error instanceof Error ? error.message : String(error));
  return EXIT.error;
}
