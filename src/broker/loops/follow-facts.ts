// Tells listeners every fact once and in order, from the start of this process on. What the store tells of is
// taken as it comes while nothing is missing; a gap is read from the store.

import type { Fact } from '../../core/facts.ts';
import type { Context } from '../context.ts';
import { createLoop } from '../loop.ts';

/** `leads`: of all instances that hear this fact, this one should do what is to be done once. */
export type FactListener = (facts: readonly Fact[], leads: boolean) => void;

export interface FactFollower {
  /** Everything that has happened until now was told. */
  catchUp(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const BATCH = 1000;
/** A message may be lost; the store is asked this often. */
const CHECK_MS = 5000;

function isUnbroken(facts: readonly Fact[], after: number): boolean {
  return facts.every(({ seq }, index) => seq === after + 1 + index);
}

export function createFactFollower(
  { store, log, timers }: Pick<Context, 'store' | 'log' | 'timers'>,
  leads: () => boolean,
  listeners: readonly FactListener[],
): FactFollower {
  let cursor: number | null = null;
  let generation = store.generation();
  let unsubscribe: (() => void) | null = null;

  function tell(facts: readonly Fact[]): void {
    const news = facts.filter(({ seq }) => seq > (cursor ?? 0));
    const last = news.at(-1);
    if (last === undefined) return;
    cursor = last.seq;
    for (const listen of listeners) {
      try {
        listen(news, leads());
      } catch (error) {
        log.warn({ err: error }, 'a listener of facts failed');
      }
    }
  }

  async function read(): Promise<void> {
    const last = await store.lastSeq();
    // A store that lost data begins again, perhaps with other facts under the same numbers.
    if (cursor === null || generation !== store.generation() || last < cursor) {
      generation = store.generation();
      cursor = last;
    }
    while (cursor < last) {
      const facts = await store.facts(cursor, BATCH);
      tell(facts);
      if (facts.length === 0) break;
    }
  }

  const loop = createLoop({
    name: 'facts',
    timers,
    log,
    retryMs: CHECK_MS,
    async turn() {
      await read();
      return CHECK_MS;
    },
  });

  return {
    catchUp: read,
    async start() {
      if (listeners.length === 0) return;
      await read();
      unsubscribe = store.subscribe((facts) => {
        if (cursor !== null && isUnbroken(facts, cursor)) tell(facts);
        else loop.kick();
      });
      loop.start();
    },
    async stop() {
      unsubscribe?.();
      await loop.stop();
    },
  };
}
