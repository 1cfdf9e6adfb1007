// GitHub's published limits, enforced to the second of the double's clock, and a record of every time a client
// ran into one or asked again while it was told to wait.

import type { Identity } from './auth.ts';
import { Refusal, type Route } from './route.ts';

export interface LimitOptions {
  /** Requests an hour. */
  readonly primary: number;
  /** What an exhausted primary limit answers with: GitHub uses both. */
  readonly primaryStatus: 403 | 429;
  readonly secondaryStatus: 403 | 429;
  readonly concurrent: number;
  readonly pointsPerMinute: number;
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
  readonly headers: (who: Identity) => Record<string, string>;
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
  };
  /** As if nothing had been asked yet. */
  readonly reset: () => void;
}

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
  };

  const budgetOf = (who: Identity): Budget => {
    let budget = budgets.get(who.budget);
    if (budget === undefined) {
      budget = {
        used: usedAtFirst,
        resetAt: now() + HOUR_MS,
        inFlight: 0,
        holdUntil: 0,
        points: [],
        pointSum: 0,
        creations: [],
      };
      budgets.set(who.budget, budget);
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

  const overview: Limits['overview'] = (who) => {
    const { used, resetAt } = budgetOf(who);
    const remaining = Math.max(options.primary - used, 0);
    return { limit: options.primary, remaining, reset: Math.ceil(resetAt / 1000), used };
  };

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
    headers(who) {
      const { limit, remaining, reset, used } = overview(who);
      return {
        'x-ratelimit-limit': `${limit}`,
        'x-ratelimit-remaining': `${remaining}`,
        'x-ratelimit-reset': `${reset}`,
        'x-ratelimit-used': `${used}`,
        'x-ratelimit-resource': 'core',
      };
    },
    hold(who, seconds) {
      const budget = budgetOf(who);
      budget.holdUntil = Math.max(budget.holdUntil, now() + seconds * 1000);
    },
    leave(remaining) {
      usedAtFirst = options.primary - remaining;
      for (const budget of budgets.values()) budget.used = options.primary - remaining;
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
      const budget = budgetOf(who);
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
        if (budget.pointSum + cost > options.pointsPerMinute) return 'points';
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
      if (on && !free && budget.used >= options.primary) {
        broken('primary');
        throw new Refusal(
          options.primaryStatus,
          `API rate limit exceeded for user ID ${who.account.id}. If you reach out to GitHub Support for help, please include the request ID.`,
        );
      }
      if (!free) budget.used += 1;
      budget.inFlight += 1;
      budget.points.push({ at, cost });
      budget.pointSum += cost;
      if (creates) budget.creations.push(at);
      peaks.primary = Math.max(peaks.primary, budget.used);
      peaks.concurrent = Math.max(peaks.concurrent, budget.inFlight);
      peaks.pointsPerMinute = Math.max(peaks.pointsPerMinute, budget.pointSum);
      peaks.creationsPerHour = Math.max(peaks.creationsPerHour, budget.creations.length);
      peaks.creationsPerMinute = Math.max(peaks.creationsPerMinute, lastMinute + (creates ? 1 : 0));
      let left = false;
      return {
        leave() {
          if (!left) budget.inFlight -= 1;
          left = true;
        },
        refund() {
          budget.used = Math.max(budget.used - 1, 0);
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
