// Back-off after a failure: doubling from 30 s with jitter, at most one hour.

const FIRST_MS = 30_000;
const MOST_MS = 3_600_000;
const JITTER = 0.2;

/** `random` is in [0, 1). The first attempt has number 1. */
export function retryDelayMs(attempt: number, random: number): number {
  const doubled = Math.min(FIRST_MS * 2 ** Math.max(0, attempt - 1), MOST_MS);
  const jittered = doubled * (1 - JITTER + 2 * JITTER * random);
  return Math.min(Math.round(jittered), MOST_MS);
}

/**
 * One delay per attempt that may still be retried. A store picks by the attempt it counts,
 * so that the policy stays here and the step stays atomic.
 */
export function retryDelays(maxAttempts: number, random: () => number): number[] {
  return Array.from({ length: maxAttempts }, (_, index) => retryDelayMs(index + 1, random()));
}
