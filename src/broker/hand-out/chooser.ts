// Turns what an agent can do into the ordered buckets a claim is made from. Remembers the grouping per
// set of capabilities while the registry of buckets stays the same, so that a claim needs no read.

import { type Bucket, parseBucketKey, rankBuckets, seekerKey } from '../../core/pairing/match.ts';
import { pausedFor } from '../../core/pairing/paused.ts';
import type { Store } from '../../core/store.ts';
import type { Seeker } from '../../core/ticket.ts';
import type { DayBudget } from './day-budget.ts';

export interface Choice {
  /** Why an operator lets this agent have nothing; null: it may have what there is. */
  readonly paused: string | null;
  /** Why it gets nothing more today; null: there is room. */
  readonly closed: string | null;
  readonly version: number;
  readonly groups: string[][];
}

export interface Chooser {
  /** Teaches the store capabilities that are labels nobody asked for before, then ranks. */
  choose(seeker: Seeker): Promise<Choice>;
  /** Every bucket there is, once these seekers' labels are learned, without those of paused repositories. */
  bucketsFor(seekers: readonly Seeker[]): Promise<Registered>;
  /** Those that nobody paused and that have room left today. */
  open<S extends Seeker>(seekers: readonly S[]): Promise<S[]>;
  /** The store said `stale`, or somebody waits for buckets that may be new. */
  refresh(): Promise<void>;
}

export interface Registered {
  readonly version: number;
  readonly buckets: ReadonlyMap<string, Bucket>;
}

interface Known extends Registered {
  /** Versions begin again when the store has lost data. */
  readonly generation: string;
  readonly unlearned: Set<string>;
  readonly paused: ReadonlySet<string>;
  /** Agents that some bucket names: only for them does the identity change the ranking. */
  readonly named: Set<string>;
  readonly ranked: Map<string, string[][]>;
}

const ALWAYS_OPEN: Pick<DayBudget, 'closed'> = { closed: async () => null };
const MOST_REMEMBERED = 5000;

export function createChooser(store: Store, day: Pick<DayBudget, 'closed'> = ALWAYS_OPEN): Chooser {
  let known: Promise<Known> | null = null;

  async function read(before: Known | null): Promise<Known> {
    const generation = store.generation();
    const registry = await store.registry();
    const { version } = registry;
    if (before?.generation === generation && before.version === version) return before;
    const paused = new Set(registry.paused);
    const buckets = new Map(
      registry.buckets
        .map((key) => [key, before?.buckets.get(key) ?? parseBucketKey(key)] as const)
        .filter(([, bucket]) => !paused.has(bucket.repository)),
    );
    const named = new Set<string>();
    for (const bucket of buckets.values()) {
      for (const author of bucket.authors) named.add(author);
      if (bucket.only !== null) named.add(bucket.only);
    }
    const unlearned = new Set(registry.unlearned);
    return { generation, version, buckets, unlearned, paused, named, ranked: new Map() };
  }

  function reread(): Promise<Known> {
    const before = known ?? Promise.resolve(null);
    const reading = before.then(read);
    known = reading;
    // A failed read must not be remembered: the next caller tries again.
    reading.catch(() => {
      if (known === reading) known = null;
    });
    return reading;
  }

  async function learned(seekers: readonly Seeker[]): Promise<Known> {
    let now = await (known ?? reread());
    if (now.generation !== store.generation()) now = await reread();
    if (now.unlearned.size === 0) return now;
    const fresh = new Set(
      seekers.flatMap((seeker) => seeker.capabilities.filter((name) => now.unlearned.has(name))),
    );
    if (fresh.size === 0) return now;
    await store.learn([...fresh]);
    return reread();
  }

  function rank(state: Known, seeker: Seeker): string[][] {
    const key = seekerKey(seeker, state.named.has(seeker.agentId));
    const remembered = state.ranked.get(key);
    if (remembered !== undefined) return remembered;
    const groups = rankBuckets(seeker, state.buckets);
    if (state.ranked.size >= MOST_REMEMBERED) state.ranked.clear();
    state.ranked.set(key, groups);
    return groups;
  }

  return {
    async choose(seeker) {
      const state = await learned([seeker]);
      const paused = pausedFor(seeker, state.paused);
      const closed = await day.closed(seeker.agentId);
      const groups = paused === null && closed === null ? rank(state, seeker) : [];
      return {
        version: state.version,
        groups,
        paused: paused?.detail ?? null,
        closed: closed?.detail ?? null,
      };
    },
    bucketsFor: learned,
    async open(seekers) {
      const { paused } = await learned([]);
      const open: (typeof seekers)[number][] = [];
      for (const seeker of seekers) {
        if (pausedFor(seeker, paused) !== null) continue;
        if ((await day.closed(seeker.agentId)) === null) open.push(seeker);
      }
      return open;
    },
    async refresh() {
      await reread();
    },
  };
}
