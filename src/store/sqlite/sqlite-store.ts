// The embedded store: one SQLite file, one process. Builds the verbs once around one open database.

import type { DatabaseSync } from 'node:sqlite';
import type { Store } from '../../core/store.ts';
import { createCancel, createCancelTask } from './cancel.ts';
import { createClaim } from './claim.ts';
import { type Clock, createForwardClock, createSystemClock } from './clock.ts';
import { createCommitter } from './commit.ts';
import { createComplete } from './complete.ts';
import { openDatabase } from './database.ts';
import { createFail } from './fail.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createInstances } from './instances.ts';
import { createJournal } from './journal.ts';
import { createKit } from './kit.ts';
import { createLearn } from './learn.ts';
import { createMirror } from './mirror.ts';
import { createOutbox } from './outbox.ts';
import { createReads } from './reads.ts';
import { createRecall } from './recall.ts';
import { createRefuse } from './refuse.ts';
import { createRelease, createUnlock } from './release.ts';
import { createPrioritize, createRequeue } from './requeue.ts';
import { createSettings } from './settings.ts';
import { createSweep } from './sweep.ts';
import { createTickets } from './tickets.ts';

export interface SqliteStoreOptions {
  /** Made if it is missing; holds `banto.db` and belongs to one process at a time. */
  readonly dataDir: string;
  readonly clock?: Clock;
  readonly log?: (message: string, error: unknown) => void;
}

export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  return createSqliteStore(openDatabase(options.dataDir), options);
}

/** Around a database that is open already; the tests of full disks reach it from outside. */
export function createSqliteStore(
  db: DatabaseSync,
  { clock, log = () => {} }: Pick<SqliteStoreOptions, 'clock' | 'log'>,
): Store {
  const journal = createJournal(db);
  const storeClock = createForwardClock(clock ?? createSystemClock(), journal.highestInstant());
  const committer = createCommitter(db, storeClock, journal, log);
  const kit = createKit(db, journal, committer);
  const cancelTask = createCancelTask(kit);
  return {
    kind: 'sqlite',
    mirror: createMirror(kit, cancelTask),
    learn: createLearn(kit),
    claim: createClaim(kit),
    ...createRecall(kit),
    heartbeat: createHeartbeat(kit),
    complete: createComplete(kit),
    fail: createFail(kit),
    release: createRelease(kit),
    refuse: createRefuse(kit),
    sweep: createSweep(kit),
    prioritize: createPrioritize(kit),
    requeue: createRequeue(kit),
    unlock: createUnlock(kit),
    cancel: createCancel(kit, cancelTask),
    ...createReads(kit),
    ...createOutbox(kit),
    ...createSettings(kit),
    ...createInstances(kit),
    tickets: createTickets(kit),
    generation: () => '',
    now: () => committer.read((now) => now),
    ping: () => committer.read(() => void journal.lastSeq()),
    subscribe: committer.subscribe,
    close: committer.close,
  };
}
