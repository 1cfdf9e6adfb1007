// The store in memory, shared by all instances. As after a loss of data in Redis, what was put back begins a new
// generation: for one lease time nothing is handed out, because somebody may hold what the store has forgotten.

import type { Fact } from '../../../src/core/facts.ts';
import type { Store } from '../../../src/core/store.ts';
import { createMapArchive } from '../../support/memory-store/map-archive.ts';
import { createMemoryStore } from '../../support/memory-store/memory-store.ts';
import type { Backing, BackingOptions } from './backing.ts';

/** Every look for what is old goes through all there is; a sweep, many times a second, would do nothing else. */
const LOOKS_EVERY_MS = 60_000;

export function createMemoryBacking({ clock, leaseSeconds }: BackingOptions): Backing {
  const listeners = new Set<(facts: readonly Fact[]) => void>();
  /** The clock is the server's and not the data's: a loss of data does not set it back. */
  let ahead = 0;
  let archive = createMapArchive();
  let kept: typeof archive | null = null;
  let current = build();
  let generation = 0;
  let quarantineUntil = 0;

  function build(): Store {
    const { closedBefore } = archive;
    let looksAt = 0;
    const looksAtTimes: typeof closedBefore = (at) => {
      if (at < looksAt) return [];
      looksAt = at + LOOKS_EVERY_MS;
      return closedBefore(at);
    };
    const store = createMemoryStore(
      { ...archive, closedBefore: looksAtTimes },
      { clock: { now: () => clock.now() + ahead } },
    );
    store.subscribe((facts) => {
      for (const listener of listeners) listener(facts);
    });
    return store;
  }

  const claim: Store['claim'] = async (input) => {
    const waits = quarantineUntil > (await current.now());
    const result = await current.claim(waits ? { ...input, groups: [] } : input);
    if (!waits || result.outcome !== 'none') return result;
    return { outcome: 'quarantine', untilAt: quarantineUntil };
  };

  /** Whatever store there is at the moment of the call. */
  function standIn(): Store {
    const names = Object.keys(current).filter(
      (name) => typeof current[name as keyof Store] === 'function',
    );
    const calls = names.map((name) => [
      name,
      (...args: unknown[]) =>
        (current[name as keyof Store] as (...args: unknown[]) => unknown)(...args),
    ]);
    const tickets = Object.keys(current.tickets).map((name) => [
      name,
      (...args: unknown[]) =>
        (current.tickets[name as keyof Store['tickets']] as (...args: unknown[]) => unknown)(
          ...args,
        ),
    ]);
    return {
      ...current,
      ...(Object.fromEntries(calls) as Partial<Store>),
      tickets: Object.fromEntries(tickets) as Store['tickets'],
      claim,
      generation: () => String(generation),
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      close: async () => undefined,
    };
  }

  const shared = standIn();
  return {
    kind: 'memory',
    shared: true,
    open: async () => ({ store: shared, drop: () => undefined }),
    raw: () => current,
    onFacts(listener) {
      listeners.add(listener);
    },
    pull: async () => undefined,
    async keep(noted) {
      kept = archive.copy();
      noted();
    },
    async goBack(_how, noted) {
      if (kept === null) return false;
      ahead = Math.max(ahead, (await current.now()) - clock.now());
      archive = kept.copy();
      current = build();
      generation += 1;
      quarantineUntil = (await current.now()) + leaseSeconds * 1000;
      noted();
      return true;
    },
    close: async () => undefined,
  };
}
