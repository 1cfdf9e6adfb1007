// Opens the one file, takes the lock on it, and refuses what it must not touch.

import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BantoError, busy } from '../../core/errors.ts';
import { closeToOthers, prepareDataFolder } from '../../machine/data-folder.ts';
import { SQL_DIR } from './statements.ts';

export const FILE = 'banto.db';
const APPLICATION_ID = 0x42_41_4e_54; // "BANT"
/** Files from before the first release, which kept something else in other tables. */
const EARLY_APPLICATION_ID = 0x42_4e_54_4f;
const MIGRATIONS_DIR = join(SQL_DIR, 'migrations');
const LOCK_WAIT_MS = 500;

// https://sqlite.org/rescode.html
export const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_CORRUPT = 11;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

export function resultCode(error: unknown): number | null {
  const code = error instanceof Error ? (error as { errcode?: unknown }).errcode : null;
  // The low byte is the primary code; the rest tells variants apart.
  return typeof code === 'number' ? code & 0xff : null;
}

function misconfigured(message: string, cause?: unknown): BantoError {
  return new BantoError('misconfigured', message, { cause });
}

export const CANNOT_WRITE =
  'The database cannot be used now: look at the disk that it is on, and at the room left there.';

/** What the database cannot do now (no room, no disk) is `busy`; an error of the code stays itself. */
export function translate(error: unknown): unknown {
  const code = resultCode(error);
  if (code === null || code === 1 || code === 19 || code === 21 || code === 25) return error;
  return busy(error, 1, CANNOT_WRITE);
}

export function openDatabase(dataDir: string): DatabaseSync {
  const path = join(dataDir, FILE);
  makeWritable(dataDir, path);
  closeFiles(path);
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(path);
    prepare(db, path);
    return db;
  } catch (error) {
    if (db?.isOpen) db.close();
    throw explain(error, dataDir, path);
  }
}

function makeWritable(dataDir: string, path: string): void {
  try {
    prepareDataFolder(dataDir);
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined) return;
    accessSync(path, constants.R_OK | constants.W_OK);
    if (!file.isFile()) throw misconfigured(`${path} is not a file. Move it away.`);
  } catch (error) {
    if (error instanceof BantoError) throw error;
    throw misconfigured(
      `The data directory ${dataDir} cannot be written (${(error as Error).message}). Give Banto a directory of its own in BANTO_DATA_DIR.`,
      error,
    );
  }
}

/** SQLite gives the files beside the database the mode of the database. */
function closeFiles(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  for (const suffix of ['', '-wal', '-shm', '-journal']) closeToOthers(path + suffix, 0o600);
}

function prepare(db: DatabaseSync, path: string): void {
  // Held until the process ends, however it ends: the lock of a second process, and no cleaning up.
  db.exec(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}; PRAGMA locking_mode = EXCLUSIVE`);
  db.exec('BEGIN EXCLUSIVE; COMMIT');
  refuseStrange(db, path);
  db.exec('PRAGMA journal_mode = WAL');
  db.exec(
    'PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -8000; PRAGMA wal_autocheckpoint = 4000; PRAGMA temp_store = MEMORY',
  );
  migrate(db);
}

function pragma(db: DatabaseSync, name: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

/** Another program's, damaged, or of a newer Banto: reads only. */
export function refuseStrange(db: DatabaseSync, path: string): void {
  const tables = db.prepare('SELECT count(*) AS count FROM sqlite_schema').get() as {
    count: number;
  };
  const application = pragma(db, 'application_id');
  if (tables.count > 0 && application === EARLY_APPLICATION_ID) {
    throw misconfigured(
      `${path} was written by a Banto from before the first release and cannot be read any more. Move it away and start empty: the forge is the record and the tasks are found again.`,
    );
  }
  if (tables.count > 0 && application !== APPLICATION_ID) {
    throw misconfigured(
      `${path} is a database of another program. Move it away, or change BANTO_DATA_DIR.`,
    );
  }
  const found = String(pragma(db, 'quick_check(1)'));
  if (found !== 'ok') throw damaged(path, found);
  const [version, known] = [schemaOf(db), migrations().length];
  if (version > known) {
    throw misconfigured(
      `${path} was written by a newer Banto (schema ${version}, this one knows ${known}). Start that version, or move the file away.`,
    );
  }
}

export const schemaOf = (db: DatabaseSync): number => Number(pragma(db, 'user_version'));

export function migrations(): string[] {
  return readdirSync(MIGRATIONS_DIR).sort();
}

function migrate(db: DatabaseSync): void {
  const version = schemaOf(db);
  for (const [index, file] of migrations().entries()) {
    if (index < version) continue;
    const sql = readFileSync(join(MIGRATIONS_DIR, file), 'utf8');
    db.exec(
      `BEGIN IMMEDIATE; ${sql}; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${index + 1}; COMMIT`,
    );
  }
}

function damaged(path: string, cause: unknown): BantoError {
  return misconfigured(
    `${path} is damaged. Nothing was changed in it. Move it away (with its -wal file) and restore a copy, or start empty: the forge is the record and the tasks are found again.`,
    cause,
  );
}

export function explain(error: unknown, dataDir: string, path: string): unknown {
  switch (resultCode(error)) {
    case SQLITE_BUSY:
      return misconfigured(
        `Another Banto is using ${dataDir}. Stop it first, or give this one a directory of its own in BANTO_DATA_DIR.`,
        error,
      );
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return damaged(path, error);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return misconfigured(`${path} cannot be opened for writing. Check who owns it.`, error);
    case null:
    default:
      return translate(error);
  }
}
