// Group commit: what is asked for in one turn of the event loop is decided at once, in memory, and kept by one
// write of the archive. Answers are given after that, never before.

import type { Moment } from '../../core/decide/verb.ts';
import { abandonLocks } from '../../core/decide/wants.ts';
import { BantoError, busy } from '../../core/errors.ts';
import type { Fact } from '../../core/facts.ts';
import type { LedgerRow } from '../../core/rows/ledger-row.ts';
import type { Archive, Living } from './archive.ts';
import { type Clock, createForwardClock } from './clock.ts';
import { createMemory, type Memory } from './memory.ts';
import { createTurn, type Turn } from './turn.ts';

/** What an archive throws when its write failed and nobody can say what it has kept. */
export class UnknownOutcome extends Error {}

export interface Steps {
  /** Runs now; its answer is given when what it changed is kept. One that throws changes nothing. */
  readonly write: <T>(step: (turn: Turn, memory: Memory, at: Moment) => T) => Promise<T>;
  /** Looks at what is kept: after the turn that is under way, if one is. */
  readonly read: <T>(look: (now: number, memory: Memory) => T) => Promise<T>;
  /** The clock needs nothing that is kept: nobody waits to know the time. */
  readonly now: () => Promise<number>;
  readonly lastFact: () => number;
  readonly subscribe: (listener: (facts: readonly Fact[]) => void) => () => void;
  readonly close: () => Promise<void>;
}

interface Options {
  readonly archive: Archive;
  readonly clock: Clock;
  /** What the archive's errors mean to callers. */
  readonly translate: (error: unknown) => unknown;
  readonly cannotWrite: string | undefined;
  readonly log: (message: string, error: unknown) => void;
}

interface Waiting {
  readonly value: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function createGroupCommit(options: Options): Steps {
  const { archive, clock: source, translate, cannotWrite, log } = options;
  const listeners = new Set<(facts: readonly Fact[]) => void>();
  const clock = createForwardClock(source, 0);
  let memory: Memory;
  let turn: Turn;
  let waiting: Waiting[] = [];
  let scheduled = false;
  let closed = false;
  // One process owns the archive: what an earlier one was writing when it ended is due now.
  build(archive.living(), abandonLocks);

  function build(living: Living, ledgerOf?: (kept: LedgerRow) => LedgerRow): void {
    memory = createMemory(living, ledgerOf);
    turn = createTurn(memory, archive, living.counters);
    clock.notBefore(living.counters.clock);
  }

  /** Somebody may have ranked what is not there any more: no version is used twice. */
  function rebuild(): void {
    const registryVersion = memory.buckets.version() + 1;
    const living = archive.living();
    build({ ...living, counters: { ...living.counters, registryVersion } });
  }

  function moment(): Moment {
    const now = clock.now();
    return { now, nextPlace: () => turn.nextPlace(now) };
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      flush();
    });
  }

  function flush(): void {
    const asked = waiting;
    waiting = [];
    let facts: readonly Fact[] = [];
    if (turn.isDirty()) {
      try {
        archive.write(turn.changes(clock.now()));
      } catch (error) {
        log('A turn could not be written', error);
        takeBack(error);
        for (const { reject } of asked) reject(busy(error, 1, cannotWrite));
        return;
      }
      facts = turn.facts();
      turn.finish();
    }
    for (const { value, resolve, reject } of asked) {
      try {
        resolve(value());
      } catch (error) {
        reject(translate(error));
      }
    }
    if (facts.length > 0) tell(facts);
  }

  function takeBack(error: unknown): void {
    if (!(error instanceof UnknownOutcome)) {
      turn.undo();
      return;
    }
    try {
      rebuild();
    } catch (again) {
      // Not even a look at the file works: what is in memory may be wrong, and nobody shall act on it.
      log('The file cannot be read again', again);
      closed = true;
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

  /** After everything that is under way now is kept. */
  function afterwards<T>(value: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      waiting.push({ value, resolve: resolve as (value: unknown) => void, reject });
      schedule();
    });
  }

  return {
    async now() {
      refuseClosed();
      return clock.now();
    },
    lastFact: () => turn.lastFact(),
    write(step) {
      const mark = turn.mark();
      try {
        refuseClosed();
        const answer = step(turn, memory, moment());
        return turn.isDirty() ? afterwards(() => answer) : Promise.resolve(answer);
      } catch (error) {
        turn.undo(mark);
        return Promise.reject(translate(error));
      }
    },
    async read(look) {
      refuseClosed();
      if (turn.isDirty()) return afterwards(() => look(clock.now(), memory));
      try {
        return look(clock.now(), memory);
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
      flush();
      archive.close();
    },
  };
}
