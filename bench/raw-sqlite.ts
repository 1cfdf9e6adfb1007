// What SQLite itself can do: a bare claim and a bare completion on one table, fifty of them in a transaction, with
// the same durability and cache. The store is measured against this.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const AT_ONCE = 50;

export interface RawScene {
  /** Claims and completes so many tasks; returns the milliseconds. */
  run(tasks: number, refill?: boolean): number;
  close(): void;
}

export function createRawScene(ready: number): RawScene {
  const dir = mkdtempSync(join(tmpdir(), 'banto-raw-'));
  const db = new DatabaseSync(join(dir, 'raw.db'));
  db.exec(`
    PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA cache_size = -8000;
    CREATE TABLE tasks (
      id TEXT PRIMARY KEY, state TEXT NOT NULL, priority INTEGER NOT NULL, enqueued_at INTEGER NOT NULL,
      agent TEXT, token TEXT, expires_at INTEGER, result TEXT, body TEXT NOT NULL);
    CREATE INDEX tasks_line ON tasks (state, priority, enqueued_at);`);
  const add = db.prepare(
    "INSERT INTO tasks (id, state, priority, enqueued_at, body) VALUES (?, 'ready', ?, ?, ?)",
  );
  const head = db.prepare(
    "SELECT id FROM tasks WHERE state = 'ready' ORDER BY priority, enqueued_at LIMIT 1",
  );
  const take = db.prepare(
    "UPDATE tasks SET state = 'leased', agent = ?, token = ?, expires_at = ? WHERE id = ? AND state = 'ready'",
  );
  const end = db.prepare(
    "UPDATE tasks SET state = 'done', result = ? WHERE id = ? AND token = ? AND expires_at > ?",
  );
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const body = 'x'.repeat(200);
  let made = 0;

  function grow(by: number): void {
    begin.run();
    for (let n = 0; n < by; n += 1) {
      made += 1;
      add.run(`bench~shop~${made}~implement.1`, made % 3, made, body);
    }
    commit.run();
  }

  function claim(agent: string, token: string): string {
    const { id } = head.get() as { id: string };
    take.run(agent, token, Date.now() + 600_000, id);
    return id;
  }

  grow(ready);
  return {
    run(tasks, refill = true) {
      const startedAt = performance.now();
      for (let done = 0; done < tasks; done += AT_ONCE) {
        begin.run();
        const taken = Array.from({ length: AT_ONCE }, (_, n) => {
          const token = `token-${done + n}`;
          return { id: claim(`agent-${done + n}`, token), token };
        });
        commit.run();
        begin.run();
        for (const { id, token } of taken) end.run('done', id, token, Date.now());
        commit.run();
      }
      const tookMs = performance.now() - startedAt;
      if (refill) grow(tasks);
      return tookMs;
    },
    close() {
      db.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
