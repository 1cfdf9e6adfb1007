// GitHub's published limits, enforced to the second of the double's clock, and a record of every time a client
// ran into one or asked again while it was told to wait.

import { Refusal, type Route } from '../routes/route.ts';
import type { Identity } from './auth.ts';

export interface LimitOptions {
  /** Requests an hour. */
  readonly primary: number;
  /** What an exhausted primary limit answers with: GitHub uses both. */
  readonly primaryStatus: 403 | 429;
  readonly secondaryStatus: 403 | 429;
  readonly concurrent: number;
  readonly pointsPerMinute: number;
  /** GraphQL has a primary budget, in points, and a minute of its own. */
  readonly graphqlPrimary: number;
  readonly graphqlPointsPerMinute: number;
  readonly creationsPerMinute: number;
  readonly creationsPerHour: number;
  readonly retryAfterSeconds: number;
  /** `notifying`: the requests that GitHub marks as triggering notifications; `write`: every write. */
  readonly creations: 'notifying' | 'write';
}

const PUBLISHED: LimitOptions = {
  primary: 5000,
  primaryStatus: 403,
  secondaryStatus: 403,
  concurrent: 100,
  pointsPerMinute: 900,
  graphqlPrimary: 5000,
  graphqlPointsPerMinute: 2000,
  creationsPerMinute: 80,
  creationsPerHour: 500,
  retryAfterSeconds: 60,
  creations: 'notifying',
};

interface Violation {
  readonly kind:
    | 'primary'
    | 'concurrent'
    | 'points'
    | 'creations_per_minute'
    | 'creations_per_hour'
    | 'during_retry_after';
  readonly write: boolean;
  readonly operation: string;
  readonly at: number;
}

export interface Limits {
  /** Throws what GitHub would answer; otherwise the request counts until `leave`. */
  readonly enter: (who: Identity, route: Route) => { leave: () => void; refund: () => void };
  readonly headers: (who: Identity, operation: string) => Record<string, string>;
  readonly overview: (who: Identity) => {
    limit: number;
    remaining: number;
    reset: number;
    used: number;
  };
  /** Tells a client to wait, as an answer with `retry-after` does. */
  readonly hold: (who: Identity, seconds: number) => void;
  /** Leaves so many requests of the primary budget. */
  readonly leave: (remaining: number) => void;
  readonly switch: (to: 'on' | 'off') => void;
  readonly violations: readonly Violation[];
  /** The highest use seen in any window, for reports. */
  readonly peaks: {
    readonly concurrent: number;
    readonly pointsPerMinute: number;
    readonly creationsPerMinute: number;
    readonly creationsPerHour: number;
    readonly primary: number;
    readonly graphqlPointsPerMinute: number;
    readonly graphqlPrimary: number;
  };
  /** As if nothing had been asked yet. */
  readonly reset: () => void;
}

type Resource = 'core' | 'graphql';

const resourceOf = (operation: string): Resource =>
  operation === 'POST /graphql' ? 'graphql' : 'core';

interface Budget {
  used: number;
  resetAt: number;
  inFlight: number;
  holdUntil: number;
  points: { at: number; cost: number }[];
  pointSum: number;
  creations: number[];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export function createLimits(now: () => number, given: Partial<LimitOptions> | false): Limits {
  const options = { ...PUBLISHED, ...(given === false ? {} : given) };
  let on = given !== false;
  const budgets = new Map<string, Budget>();
  const violations: Violation[] = [];
  let usedAtFirst = 0;
  const peaks = {
    concurrent: 0,
    pointsPerMinute: 0,
    creationsPerMinute: 0,
    creationsPerHour: 0,
    primary: 0,
    graphqlPointsPerMinute: 0,
    graphqlPrimary: 0,
  };

  const budgetOf = (who: Identity, resource: Resource = 'core'): Budget => {
    const key = `${resource} ${who.budget}`;
    let budget = budgets.get(key);
    if (budget === undefined) {
      budget = {
        used: resource === 'core' ? usedAtFirst : 0,
        resetAt: now() + HOUR_MS,
        inFlight: 0,
        holdUntil: 0,
        points: [],
        pointSum: 0,
        creations: [],
      };
      budgets.set(key, budget);
    }
    if (now() >= budget.resetAt) Object.assign(budget, { used: 0, resetAt: now() + HOUR_MS });
    while ((budget.points[0]?.at ?? Number.POSITIVE_INFINITY) <= now() - MINUTE_MS) {
      budget.pointSum -= budget.points.shift()?.cost ?? 0;
    }
    while ((budget.creations[0] ?? Number.POSITIVE_INFINITY) <= now() - HOUR_MS) {
      budget.creations.shift();
    }
    return budget;
  };

  const left = (who: Identity, resource: Resource) => {
    const { used, resetAt } = budgetOf(who, resource);
    const limit = resource === 'core' ? options.primary : options.graphqlPrimary;
    const remaining = Math.max(limit - used, 0);
    return { limit, remaining, reset: Math.ceil(resetAt / 1000), used };
  };
  const overview: Limits['overview'] = (who) => left(who, 'core');

  const secondary = (retryAfter: number) =>
    new Waiting(
      options.secondaryStatus,
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.',
      retryAfter,
    );

  return {
    violations,
    peaks,
    overview,
    headers(who, operation) {
      const resource = resourceOf(operation);
      const { limit, remaining, reset, used } = left(who, resource);
      return {
        'x-ratelimit-limit': `${limit}`,
        'x-ratelimit-remaining': `${remaining}`,
        'x-ratelimit-reset': `${reset}`,
        'x-ratelimit-used': `${used}`,
        'x-ratelimit-resource': resource,
      };
    },
    hold(who, seconds) {
      const budget = budgetOf(who);
      budget.holdUntil = Math.max(budget.holdUntil, now() + seconds * 1000);
    },
    leave(remaining) {
      usedAtFirst = options.primary - remaining;
      for (const [key, budget] of budgets) {
        if (key.startsWith('core ')) budget.used = options.primary - remaining;
      }
    },
    switch(to) {
      on = to === 'on';
    },
    reset() {
      budgets.clear();
      violations.length = 0;
      usedAtFirst = 0;
      for (const name of Object.keys(peaks) as (keyof typeof peaks)[]) peaks[name] = 0;
    },
    enter(who, route) {
      const write = !route.operation.startsWith('GET ');
      const at = now();
      const resource = resourceOf(route.operation);
      const graphql = resource === 'graphql';
      // Concurrency, content and patience are shared; the hour and the minute are not.
      const budget = budgetOf(who);
      const own = budgetOf(who, resource);
      const broken = (kind: Violation['kind']) =>
        void violations.push({ kind, write, operation: route.operation, at });
      // A client that was told to wait is watched even where the limits are switched off.
      if (at < budget.holdUntil) {
        broken('during_retry_after');
        throw secondary(Math.ceil((budget.holdUntil - at) / 1000));
      }
      const cost = write ? 5 : 1;
      const creates = write && (options.creations === 'write' || route.notifies === true);
      const lastMinute = budget.creations.filter((one) => one > at - MINUTE_MS).length;
      const excess = ((): Violation['kind'] | null => {
        if (!on) return null;
        if (budget.inFlight >= options.concurrent) return 'concurrent';
        const most = graphql ? options.graphqlPointsPerMinute : options.pointsPerMinute;
        if (own.pointSum + cost > most) return 'points';
        if (creates && lastMinute >= options.creationsPerMinute) return 'creations_per_minute';
        if (creates && budget.creations.length >= options.creationsPerHour)
          return 'creations_per_hour';
        return null;
      })();
      if (excess !== null) {
        broken(excess);
        budget.holdUntil = at + options.retryAfterSeconds * 1000;
        throw secondary(options.retryAfterSeconds);
      }
      const free = route.operation === 'GET /rate_limit';
      const most = graphql ? options.graphqlPrimary : options.primary;
      if (on && !free && own.used >= most) {
        broken('primary');
        if (graphql) throw new Limited();
        throw new Refusal(
          options.primaryStatus,
          `API rate limit exceeded for user ID ${who.account.id}. If you reach out to GitHub Support for help, please include the request ID.`,
        );
      }
      if (!free) own.used += 1;
      budget.inFlight += 1;
      own.points.push({ at, cost });
      own.pointSum += cost;
      if (creates) budget.creations.push(at);
      const [hour, minute] = graphql
        ? (['graphqlPrimary', 'graphqlPointsPerMinute'] as const)
        : (['primary', 'pointsPerMinute'] as const);
      peaks[hour] = Math.max(peaks[hour], own.used);
      peaks[minute] = Math.max(peaks[minute], own.pointSum);
      peaks.concurrent = Math.max(peaks.concurrent, budget.inFlight);
      peaks.creationsPerHour = Math.max(peaks.creationsPerHour, budget.creations.length);
      peaks.creationsPerMinute = Math.max(peaks.creationsPerMinute, lastMinute + (creates ? 1 : 0));
      let gone = false;
      return {
        leave() {
          if (!gone) budget.inFlight -= 1;
          gone = true;
        },
        refund() {
          own.used = Math.max(own.used - 1, 0);
        },
      };
    },
  };
}

export class Waiting extends Refusal {
  readonly retryAfter: number;
  constructor(status: number, message: string, retryAfter: number) {
    super(status, message);
    this.retryAfter = retryAfter;
  }
}

/** GraphQL says so in an answer of 200. */
class Limited extends Refusal {
  constructor() {
    super(200, '', { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] });
  }
}
