// Group commit: what arrives in one turn of the event loop shares one transaction and one fsync.
// Each verb runs in its own savepoint; answers are given after the commit, never before.

import type { DatabaseSync } from 'node:sqlite';
import { BantoError, busy } from '../../core/errors.ts';
import type { Fact, FactBody } from '../../core/facts.ts';
import type { Clock } from './clock.ts';
import { CANNOT_WRITE, translate } from './database.ts';
import type { Journal } from './journal.ts';

/** One verb's turn inside the transaction. */
export interface Step {
  readonly now: number;
  /** `passing`: told and counted, but no part of the task's history. */
  append(body: FactBody, passing?: boolean): void;
}

interface Waiting {
  run(step: Step): () => void;
  fail(error: unknown): void;
}

const BATCH_MAX = 256;

export interface Committer {
  readonly write: <T>(verb: (step: Step) => T) => Promise<T>;
  readonly read: <T>(look: (now: number) => T) => Promise<T>;
  readonly subscribe: (listener: (facts: readonly Fact[]) => void) => () => void;
  readonly close: () => Promise<void>;
}

export function createCommitter(
  db: DatabaseSync,
  clock: Clock,
  journal: Journal,
  log: (message: string, error: unknown) => void,
): Committer {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const save = db.prepare('SAVEPOINT step');
  const keep = db.prepare('RELEASE step');
  const undo = db.prepare('ROLLBACK TO step');
  const changes = db.prepare('SELECT total_changes() AS total');
  const listeners = new Set<(facts: readonly Fact[]) => void>();
  let queue: Waiting[] = [];
  let scheduled = false;
  let closed = false;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      const batch = queue.slice(0, BATCH_MAX);
      queue = queue.slice(BATCH_MAX);
      if (queue.length > 0) schedule();
      runBatch(batch);
    });
  }

  function runBatch(batch: readonly Waiting[]): void {
    const answers: (() => void)[] = [];
    const facts: Fact[] = [];
    try {
      begin.run();
      const before = changes.get()?.['total'];
      for (const waiting of batch) {
        const fresh: Fact[] = [];
        const answer = runStep(waiting, fresh);
        answers.push(answer);
        facts.push(...fresh);
      }
      // Loops that found nothing to do leave no trace: nothing is written, and nothing waits for the disk.
      if (changes.get()?.['total'] !== before) journal.close(clock.now(), facts);
      commit.run();
    } catch (error) {
      if (db.isTransaction) rollback.run();
      for (const waiting of batch) waiting.fail(busy(error, 1, CANNOT_WRITE));
      return;
    }
    for (const answer of answers) answer();
    if (facts.length > 0) tell(facts);
  }

  /** Fails alone as long as the transaction stands; when the database ended it, all of the batch fails. */
  function runStep(waiting: Waiting, facts: Fact[]): () => void {
    save.run();
    try {
      const now = clock.now();
      const answer = waiting.run({
        now,
        append: (body, passing) => facts.push(journal.append(now, body, passing)),
      });
      keep.run();
      return answer;
    } catch (error) {
      if (!db.isTransaction) throw error;
      undo.run();
      keep.run();
      facts.length = 0;
      return () => waiting.fail(translate(error));
    }
  }

  function tell(facts: readonly Fact[]): void {
    for (const listener of listeners) {
      try {
        listener(facts);
      } catch (error) {
        log('A listener for facts failed', error);
      }
    }
  }

  function refuseClosed(): void {
    if (closed) throw new BantoError('busy', 'The store is closed.');
  }

  return {
    async write(verb) {
      refuseClosed();
      return new Promise((resolve, reject) => {
        queue.push({
          run(step) {
            const result = verb(step);
            return () => resolve(result);
          },
          fail: reject,
        });
        schedule();
      });
    },
    async read(look) {
      refuseClosed();
      try {
        return look(clock.now());
      } catch (error) {
        throw translate(error);
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      if (closed) return;
      closed = true;
      while (queue.length > 0) await new Promise((resolve) => setImmediate(resolve));
      db.close();
    },
  };
}
