// A real SQLite file. One process owns it: when that is killed, what it had not written is gone, and the next one
// builds everything from the file.

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Fact } from '../../../src/core/facts.ts';
import type { Store } from '../../../src/core/store.ts';
import { FILE, openDatabase } from '../../../src/store/sqlite/database.ts';
import { createSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { createMemoryLogs } from '../../support/memory-store/memory-logs.ts';
import type { Backing, BackingOptions } from './backing.ts';

/** Waiting for a disk shows nothing here: no power is cut. */
const SHARED_MEMORY = '/dev/shm';
const FOLDER = existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();

export function createSqliteBacking({ clock }: BackingOptions): Backing {
  const dataDir = mkdtempSync(join(FOLDER, 'banto-simulation-'));
  const backup = join(dataDir, 'backup.db');
  const listeners: ((facts: readonly Fact[]) => void)[] = [];
  let hasBackup = false;
  let current = build();

  function build(): { db: DatabaseSync; store: Store } {
    const db = openDatabase(dataDir);
    const store = createSqliteStore(db, { clock, logs: createMemoryLogs() });
    store.subscribe((facts) => {
      for (const listener of listeners) listener(facts);
    });
    return { db, store };
  }

  /** As the end of a process does it: without a last word to the file. */
  function crash(): void {
    if (current.db.isOpen) current.db.close();
  }

  return {
    kind: 'sqlite',
    shared: false,
    async open() {
      if (!current.db.isOpen) current = build();
      return { store: { ...current.store, close: async () => crash() }, drop: crash };
    },
    raw: () => (current.db.isOpen ? current.store : null),
    onFacts: (listener) => void listeners.push(listener),
    pull: async () => undefined,
    async keep(noted) {
      if (!current.db.isOpen) return;
      rmSync(backup, { force: true });
      current.db.exec(`VACUUM INTO '${backup}'`);
      hasBackup = true;
      noted();
    },
    async goBack(_how, noted) {
      if (!hasBackup) return false;
      crash();
      for (const suffix of ['', '-wal', '-shm'])
        rmSync(join(dataDir, FILE + suffix), { force: true });
      copyFileSync(backup, join(dataDir, FILE));
      noted();
      return true;
    },
    async close() {
      crash();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
