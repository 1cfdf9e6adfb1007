// The embedded store: one SQLite file, one process. What lives is in memory; the file keeps it.

import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { LogStore } from '../../core/attempt/log-store.ts';
import type { Store } from '../../core/store.ts';
import type { Clock } from '../memory/clock.ts';
import { createEmbeddedStore } from '../memory/embedded-store.ts';
import { createSqliteArchive } from './archive.ts';
import { CANNOT_WRITE, openDatabase, translate } from './database.ts';
import { createLogFiles } from './log-files.ts';
import { withPictureCache } from './picture-cache.ts';

export interface SqliteStoreOptions {
  /** Made if it is missing; holds `banto.db` and belongs to one process at a time. */
  readonly dataDir: string;
  readonly clock?: Clock;
  readonly log?: (message: string, error: unknown) => void;
}

export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const db = openDatabase(options.dataDir);
  const logs = createLogFiles(join(options.dataDir, 'attempts'), Date.now);
  return createSqliteStore(db, { ...options, logs });
}

/** Around a database that is open already; the tests of full disks reach it from outside. */
export function createSqliteStore(
  db: DatabaseSync,
  options: Pick<SqliteStoreOptions, 'clock' | 'log'> & { readonly logs: LogStore },
): Store {
  return createEmbeddedStore(withPictureCache(createSqliteArchive(db)), {
    kind: 'sqlite',
    translate,
    cannotWrite: CANNOT_WRITE,
    ...options,
  });
}
