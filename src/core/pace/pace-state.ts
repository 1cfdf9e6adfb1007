// How fast a forge may be spoken to, decided: a state, an instant and a question lead to a new state and
// an answer. Pure. One process keeps the state in its memory; instances that share a store keep it there.

import {
  type Allowance,
  ASK_AGAIN_MS,
  type Departure,
  FLIGHT_MS,
  type LimitReport,
  type Line,
  type PaceLimits,
  type Quota,
  type Rate,
  type Resource,
  SAME_RESET_MS,
  TURN_MS,
  type Wait,
} from './pace.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

interface Budget {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
}

export interface PaceState {
  /** When the rate limiter would have its whole burst again; a place is free while that is less than a burst ahead. */
  readonly fullAt: { readonly writes: number; readonly reads: number };
  /** Instants that were given out, oldest first. */
  readonly content: readonly number[];
  readonly sent: readonly number[];
  readonly flying: readonly (readonly [id: string, as: Departure, leftAt: number])[];
  readonly blockedUntil: number;
  readonly budgets: Readonly<Record<Resource, Budget | null>>;
}

export const EMPTY_PACE: PaceState = {
  fullAt: { writes: 0, reads: 0 },
  content: [],
  sent: [],
  flying: [],
  blockedUntil: 0,
  budgets: { core: null, graphql: null },
};

type Place = { readonly waitMs: number } | Wait;

interface Taken<Answer> {
  readonly state: PaceState;
  readonly answer: Answer;
}

/** Places are given out in advance, so that callers are served in order. */
function takeRate(fullAt: number, rate: Rate, mostWaitMs: number, now: number): [number, Place] {
  const everyMs = MINUTE_MS / rate.perMinute;
  const after = Math.max(fullAt, now) + everyMs;
  const waitMs = Math.ceil(Math.max(0, after - rate.burst * everyMs - now));
  return waitMs > mostWaitMs ? [fullAt, { waitMs, reason: 'pace' }] : [after, { waitMs }];
}

/** So many in any minute and any hour. */
function takeQuota(
  taken: readonly number[],
  quota: Quota,
  mostWaitMs: number,
  now: number,
): [readonly number[], Place] {
  const keptMs = quota.perHour === null ? MINUTE_MS : HOUR_MS;
  const kept = taken.filter((at) => at >= now - keptMs);
  const freeIn = (count: number, windowMs: number): number => {
    const oldest = kept.at(-count);
    return oldest === undefined ? 0 : Math.max(0, oldest + windowMs - now);
  };
  const hourMs = quota.perHour === null ? 0 : freeIn(quota.perHour, HOUR_MS);
  const waitMs = Math.max(freeIn(quota.perMinute, MINUTE_MS), hourMs);
  if (waitMs > mostWaitMs) return [kept, { waitMs, reason: 'pace' }];
  return [[...kept, now + waitMs], { waitMs }];
}

/** Answers overtake each other: within one hour the lowest figure is the newest. */
function newer(known: Budget | null, said: Budget, now: number): Budget {
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

function underWay(
  state: PaceState,
  counts: (as: Departure) => boolean,
  withinMs: number,
  now: number,
): number {
  return state.flying.filter(([, as, leftAt]) => counts(as) && leftAt > now - withinMs).length;
}

function usedUp(state: PaceState, of: Resource, reserve: number, now: number): Wait | null {
  const budget = state.budgets[of];
  if (budget === null || budget.resetAt <= now) return null;
  const out = underWay(state, (as) => (as === 'graphql') === (of === 'graphql'), FLIGHT_MS, now);
  if (budget.remaining - out > Math.floor(budget.limit * reserve)) return null;
  return { waitMs: budget.resetAt - now, reason: of };
}

function shut(state: PaceState, as: Departure, limits: PaceLimits, now: number): Wait | null {
  const { blockedUntil } = state;
  if (blockedUntil > now) return { waitMs: blockedUntil - now, reason: 'blocked' };
  const core = usedUp(state, 'core', as === 'read' ? limits.readReserve : 0, now);
  return core ?? (as === 'graphql' ? usedUp(state, 'graphql', 0, now) : null);
}

export function takePlace(
  state: PaceState,
  line: Line,
  mostWaitMs: number,
  limits: PaceLimits,
  now: number,
): Taken<Place> {
  const wait = shut(state, line === 'reads' ? 'read' : 'write', limits, now);
  if (wait !== null) return { state, answer: wait };
  if (line === 'content') {
    const [content, answer] = takeQuota(state.content, limits.content, mostWaitMs, now);
    return { state: { ...state, content }, answer };
  }
  const [at, answer] = takeRate(state.fullAt[line], limits[line], mostWaitMs, now);
  return { state: { ...state, fullAt: { ...state.fullAt, [line]: at } }, answer };
}

export function leaveNow(
  state: PaceState,
  id: string,
  as: Departure,
  limits: PaceLimits,
  now: number,
): Taken<Wait | null> {
  if (state.flying.some(([other]) => other === id)) return { state, answer: null };
  const wait = shut(state, as, limits, now);
  if (wait !== null) return { state, answer: wait };
  const writing = underWay(state, (one) => one !== 'read', TURN_MS, now);
  const all = underWay(state, () => true, FLIGHT_MS, now);
  if (all >= limits.atOnce || (as !== 'read' && writing >= limits.writesAtOnce)) {
    return { state, answer: { waitMs: ASK_AGAIN_MS, reason: 'turn' } };
  }
  const flying = [...state.flying, [id, as, now] as const];
  if (as === 'read') return { state: { ...state, flying }, answer: null };
  const [sent, place] = takeQuota(state.sent, limits.sent, 0, now);
  if ('reason' in place) return { state: { ...state, sent }, answer: place };
  return { state: { ...state, sent, flying }, answer: null };
}

export function block(state: PaceState, until: number): PaceState {
  return until > state.blockedUntil ? { ...state, blockedUntil: until } : state;
}

/** These answers came, or will come no more. */
export function land(state: PaceState, ids: readonly string[], now: number): PaceState {
  const flying = state.flying.filter(
    ([id, , leftAt]) => !ids.includes(id) && leftAt > now - FLIGHT_MS,
  );
  return flying.length === state.flying.length ? state : { ...state, flying };
}

export function noteBudget(
  state: PaceState,
  { of, resetMs, ...said }: NonNullable<LimitReport['budget']>,
  now: number,
): PaceState {
  const known = newer(state.budgets[of], { ...said, resetAt: now + resetMs }, now);
  return { ...state, budgets: { ...state.budgets, [of]: known } };
}

export function statusNow(
  { blockedUntil, budgets: { core } }: PaceState,
  now: number,
): { readonly blockedMs: number; readonly budget: Allowance | null } {
  const blockedMs = Math.max(0, blockedUntil - now);
  if (core === null) return { blockedMs, budget: null };
  const { limit, resetAt } = core;
  const remaining = resetAt <= now ? limit : core.remaining;
  return { blockedMs, budget: { limit, remaining, resetMs: Math.max(0, resetAt - now) } };
}
