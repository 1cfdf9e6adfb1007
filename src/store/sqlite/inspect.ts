// Looks at the file of a Banto that may be stopped or running, and changes nothing: no migration, no lock that
// keeps a start waiting, no file left behind.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import {
  explain,
  FILE,
  migrations,
  refuseStrange,
  resultCode,
  SQLITE_BUSY,
  schemaOf,
} from './database.ts';
import { loadStatements } from './statements.ts';

export type Inspection =
  | { readonly state: 'missing' }
  | { readonly state: 'in_use' }
  | {
      readonly state: 'stopped';
      /** True: the next start brings it up to date. */
      readonly older: boolean;
      readonly tokens: number;
    };

/** Throws `misconfigured` for a file that no start would accept. */
export function inspectDatabase(dataDir: string): Inspection {
  const path = join(dataDir, FILE);
  if (!existsSync(path)) return { state: 'missing' };
  const address = pathToFileURL(path);
  const [wal, index] = [`${path}-wal`, `${path}-shm`];
  // Without a log everything is in the file and nobody has it open: it is read as it lies there, unlocked.
  const unlocked = !existsSync(wal);
  if (unlocked) address.searchParams.set('immutable', '1');
  // With one, a running Banto holds its lock; one that was killed left the log for us to read along with it.
  const hadIndex = existsSync(index);
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(address, { readOnly: true });
    refuseStrange(db, path);
    return { state: 'stopped', older: schemaOf(db) < migrations().length, tokens: tokensIn(db) };
  } catch (error) {
    const startedMeanwhile = unlocked && existsSync(wal);
    if (startedMeanwhile || resultCode(error) === SQLITE_BUSY) return { state: 'in_use' };
    throw explain(error, dataDir, path);
  } finally {
    if (db?.isOpen) db.close();
    // Made by reading; a Banto itself keeps its index in memory.
    if (!hadIndex) rmSync(index, { force: true });
  }
}

function tokensIn(db: DatabaseSync): number {
  if (schemaOf(db) === 0) return 0;
  const { tokens } = loadStatements(db, 'inspect', ['tokens']);
  return (tokens.get() as { count: number }).count;
}
