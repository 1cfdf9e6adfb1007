// The pace of one process, in its own memory. Instances that share a store have theirs there; the contract is the same.

import {
  type Allowance,
  ASK_AGAIN_MS,
  type Departure,
  FLIGHT_MS,
  type Heard,
  type Pace,
  type PaceLimits,
  type Quota,
  type Rate,
  type Resource,
  SAME_RESET_MS,
  TURN_MS,
  type Wait,
} from '../../core/pace.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

interface Known {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
}

/** Places are given out in advance, so that callers are served in order. */
function createBucket(rate: Rate, now: () => number) {
  const everyMs = MINUTE_MS / rate.perMinute;
  // When the bucket would be full again; a place is free while that is less than a burst ahead.
  let fullAt = 0;
  return (mostWaitMs: number): { waitMs: number } | Wait => {
    const after = Math.max(fullAt, now()) + everyMs;
    const waitMs = Math.ceil(Math.max(0, after - rate.burst * everyMs - now()));
    if (waitMs > mostWaitMs) return { waitMs, reason: 'pace' };
    fullAt = after;
    return { waitMs };
  };
}

function createWindow(quota: Quota, now: () => number) {
  const taken: number[] = [];
  const freeIn = (count: number, windowMs: number, at: number): number => {
    const oldest = taken.at(-count);
    return oldest === undefined ? 0 : Math.max(0, oldest + windowMs - at);
  };
  return (mostWaitMs: number): { waitMs: number } | Wait => {
    const at = now();
    const keptMs = quota.perHour === null ? MINUTE_MS : HOUR_MS;
    while ((taken[0] ?? at) < at - keptMs) taken.shift();
    const hourMs = quota.perHour === null ? 0 : freeIn(quota.perHour, HOUR_MS, at);
    const waitMs = Math.max(freeIn(quota.perMinute, MINUTE_MS, at), hourMs);
    if (waitMs > mostWaitMs) return { waitMs, reason: 'pace' };
    taken.push(at + waitMs);
    return { waitMs };
  };
}

/** Answers overtake each other: within one hour the lowest figure is the newest. */
function newer(known: Known | null, said: Known, now: number): Known {
  if (known === null || known.resetAt <= now || known.limit !== said.limit) return said;
  const laterMs = said.resetAt - known.resetAt;
  if (laterMs > SAME_RESET_MS) return said;
  if (laterMs < -SAME_RESET_MS) return known;
  return {
    limit: said.limit,
    remaining: Math.min(known.remaining, said.remaining),
    resetAt: Math.max(known.resetAt, said.resetAt),
  };
}

export function createPacer(limits: PaceLimits, now: () => number): Pace {
  const lines = {
    writes: createBucket(limits.writes, now),
    reads: createBucket(limits.reads, now),
    content: createWindow(limits.content, now),
  };
  const sent = createWindow(limits.sent, now);
  const flying = new Map<string, { readonly as: Departure; readonly leftAt: number }>();
  const budgets: Record<Resource, Known | null> = { core: null, graphql: null };
  let blockedUntil = 0;

  function underWay(as: (departure: Departure) => boolean, withinMs: number): number {
    const since = now() - withinMs;
    return [...flying.values()].filter((one) => as(one.as) && one.leftAt > since).length;
  }

  function usedUp(of: Resource, reserve: number): Wait | null {
    const budget = budgets[of];
    if (budget === null || budget.resetAt <= now()) return null;
    const out = underWay((as) => (as === 'graphql') === (of === 'graphql'), FLIGHT_MS);
    if (budget.remaining - out > Math.floor(budget.limit * reserve)) return null;
    return { waitMs: budget.resetAt - now(), reason: of };
  }

  function shut(as: Departure): Wait | null {
    if (blockedUntil > now()) return { waitMs: blockedUntil - now(), reason: 'blocked' };
    const core = usedUp('core', as === 'read' ? limits.readReserve : 0);
    return core ?? (as === 'graphql' ? usedUp('graphql', 0) : null);
  }

  function hear({ blockedMs, budget }: Heard): void {
    if (blockedMs > 0) blockedUntil = Math.max(blockedUntil, now() + blockedMs);
    if (budget === null) return;
    const { of, resetMs, ...said } = budget;
    budgets[of] = newer(budgets[of], { ...said, resetAt: now() + resetMs }, now());
  }

  return {
    take: async (line, mostWaitMs) =>
      shut(line === 'reads' ? 'read' : 'write') ?? lines[line](mostWaitMs),
    async leave(id, as) {
      if (flying.has(id)) return null;
      const wait = shut(as);
      if (wait !== null) return wait;
      const writing = underWay((one) => one !== 'read', TURN_MS);
      if (
        underWay(() => true, FLIGHT_MS) >= limits.atOnce ||
        (as !== 'read' && writing >= limits.writesAtOnce)
      ) {
        return { waitMs: ASK_AGAIN_MS, reason: 'turn' };
      }
      const place = as === 'read' ? { waitMs: 0 } : sent(0);
      if ('reason' in place) return place;
      flying.set(id, { as, leftAt: now() });
      return null;
    },
    async arrive(id, heard) {
      flying.delete(id);
      hear(heard);
    },
    async known() {
      const { core } = budgets;
      return { blockedMs: Math.max(0, blockedUntil - now()), budget: core && shown(core, now()) };
    },
  };
}

function shown({ limit, remaining, resetAt }: Known, now: number): Allowance {
  const over = resetAt <= now;
  return { limit, remaining: over ? limit : remaining, resetMs: Math.max(0, resetAt - now) };
}
