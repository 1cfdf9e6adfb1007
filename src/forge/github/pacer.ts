// How fast Banto may speak to GitHub: bursts, then a steady rate, and silence where GitHub asks for it.
// The bucket is behind a small interface, because all instances together share one limit.

export interface Bucket {
  /**
   * Takes one place, at the latest `mostWaitMs` ahead: the caller goes on after `waitMs`. Where the wait would be
   * longer nothing is taken (`taken` false) and `waitMs` says when to ask again.
   */
  take(mostWaitMs: number): Promise<{ taken: boolean; waitMs: number }>;
  /** Nothing may go out before this instant. An earlier instant changes nothing. */
  block(untilAt: number): Promise<void>;
  /** How long the block still lasts; 0: not blocked. */
  blockedMs(): Promise<number>;
}

export interface Rate {
  readonly burst: number;
  readonly perMinute: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** One process' bucket. Places are given out in advance, so that callers are served in order. */
export function createBucket(rate: Rate, now: () => number): Bucket {
  const everyMs = MINUTE_MS / rate.perMinute;
  // When the bucket would be full again; a place is free while that is less than a burst ahead.
  let fullAt = 0;
  let blockedUntil = 0;

  return {
    async take(mostWaitMs) {
      const at = Math.max(now(), blockedUntil);
      const after = Math.max(fullAt, at) + everyMs;
      const freeAt = Math.max(at, after - rate.burst * everyMs);
      const waitMs = Math.ceil(Math.max(0, freeAt - now()));
      if (waitMs > mostWaitMs) return { taken: false, waitMs };
      fullAt = after;
      return { taken: true, waitMs };
    },
    async block(untilAt) {
      blockedUntil = Math.max(blockedUntil, untilAt);
    },
    blockedMs: async () => Math.max(0, blockedUntil - now()),
  };
}

/** At most so many in any minute and in any hour: GitHub's limits on what creates content. */
export function createWindow(
  most: { readonly perMinute: number; readonly perHour: number },
  now: () => number,
): Pick<Bucket, 'take'> {
  const taken: number[] = [];
  const freeIn = (count: number, windowMs: number, at: number): number => {
    const oldest = taken.at(-count);
    return oldest === undefined ? 0 : Math.max(0, oldest + windowMs - at);
  };
  return {
    async take(mostWaitMs) {
      const at = now();
      while ((taken[0] ?? at) < at - HOUR_MS) taken.shift();
      const waitMs = Math.max(
        freeIn(most.perMinute, MINUTE_MS, at),
        freeIn(most.perHour, HOUR_MS, at),
      );
      if (waitMs > mostWaitMs) return { taken: false, waitMs };
      taken.push(at + waitMs);
      return { taken: true, waitMs };
    },
  };
}
