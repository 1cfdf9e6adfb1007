// Sweep: what time brings about, then what is drawn from the facts, then what is forgotten.

import type { SweepInput, TaskVerbs } from '../../core/store.ts';
import type { Journal } from './journal.ts';
import type { Link } from './link.ts';
import { fromLedger } from './rows.ts';
import type { Ttls } from './ttl.ts';

/** One step keeps everybody else waiting: it does at most this much. */
const MOST_PER_STEP = 100;
const AUDITED_PER_QUEUE = 50;
const EMPTY_BUCKET_KEPT_MS = 60_000;

export function createSweep(
  link: Link,
  journal: Journal,
  ttls: Ttls,
  now: () => Promise<number>,
  setAside: (ids: readonly string[]) => void,
): TaskVerbs['sweep'] {
  async function forget(input: SweepInput): Promise<boolean> {
    const folded = await journal.foldAll();
    const at = await now();
    const [, more, corrupt] = await link.run('forget', {
      limit: Math.min(input.limit, MOST_PER_STEP),
      factsBefore: at - input.factsKeptMs,
      folded,
      resultsBefore: at - input.resultsKeptMs,
      bucketsBefore: at - EMPTY_BUCKET_KEPT_MS,
      hoursBefore: new Date(Math.max(0, at - ttls.stats * 1000)).toISOString().slice(0, 13),
      audit: AUDITED_PER_QUEUE,
    });
    setAside((corrupt ?? []) as string[]);
    return more === 1;
  }

  return async (input) => {
    const limit = Math.min(input.limit, MOST_PER_STEP);
    const { maxAttempts, ledger, deadLedger } = input;
    const [, expired, promoted, opened, nextDueAt, corrupt] = await link.run('sweep', {
      limit,
      maxAttempts,
      ledger: fromLedger(ledger),
      deadLedger: fromLedger(deadLedger),
      activeMs: ttls.heartbeat * 1000,
    });
    setAside((corrupt ?? []) as string[]);
    const done = [Number(expired), Number(promoted), Number(opened)];
    const moreToForget = await forget(input);
    return {
      expired: done[0] ?? 0,
      promoted: done[1] ?? 0,
      opened: done[2] ?? 0,
      more: done.some((count) => count >= limit) || moreToForget,
      nextDueAt: nextDueAt === '' ? null : Number(nextDueAt),
    };
  };
}
