// Demand: those who wait for the same (capabilities, kinds, repositories) are looked at as one. A thousand waiting
// agents are often a handful of demands, and what suits none of them costs nothing more.

import type { Seeker } from '../ticket.ts';
import { type Bucket, matchCount, seekerKey } from './match.ts';

/** The same for two seekers that ask for the same, whoever they are. */
export function demandKey(seeker: Seeker): string {
  return seekerKey(seeker, false);
}

const SOMEBODY = '';

/** True: some agent with this demand may have it. Whether a certain one may is for pairing to say. */
export function mayHave(seeker: Seeker, bucket: Bucket): boolean {
  const agentId = bucket.only ?? SOMEBODY;
  return matchCount({ ...seeker, agentId }, bucket) !== null;
}

interface Waiting extends Seeker {
  readonly createdAt: number;
}

/**
 * Those of the waiting that pairing has to look at: of each demand that something suits, as many agents as there
 * are tasks, the longest waiting first, and every agent that a bucket names. Nobody else can win. `isOut`: it cannot
 * have anything now, whatever there is.
 */
export function candidates<W extends Waiting>(
  demands: Iterable<readonly W[]>,
  buckets: readonly Bucket[],
  tasks: number,
  isOut: (waiting: W) => boolean = () => false,
): W[] {
  const named = new Set(buckets.flatMap(({ only, authors }) => [...authors, only ?? SOMEBODY]));
  const suited = [...demands].filter(([first]) => {
    return first !== undefined && buckets.some((bucket) => mayHave(first, bucket));
  });
  const wanted = new Set(named);
  for (const waiting of suited) {
    const agents = new Set<string>();
    for (const one of waiting.toSorted((a, b) => a.createdAt - b.createdAt)) {
      if (agents.size >= tasks) break;
      if (!named.has(one.agentId) && !isOut(one)) agents.add(one.agentId);
    }
    for (const agentId of agents) wanted.add(agentId);
  }
  const found: W[] = [];
  for (const waiting of suited) {
    for (const one of waiting) if (wanted.has(one.agentId) && !isOut(one)) found.push(one);
  }
  return found;
}
