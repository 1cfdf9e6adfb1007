// Back-off after a failure: doubling from 30 s with jitter, at most one hour.

const FIRST_MS = 30_000;
const MOST_MS = 3_600_000;
const JITTER = 0.2;

function backOff(firstMs: number, mostMs: number, attempt: number, random: number): number {
  const doubled = Math.min(firstMs * 2 ** Math.max(0, attempt - 1), mostMs);
  const jittered = doubled * (1 - JITTER + 2 * JITTER * random);
  return Math.min(Math.round(jittered), mostMs);
}

/** `random` is in [0, 1). The first attempt has number 1. */
export function retryDelayMs(attempt: number, random: number): number {
  return backOff(FIRST_MS, MOST_MS, attempt, random);
}

/** Ledger writes are small and people watch them: they are tried again sooner. */
export function writeDelayMs(attempt: number, random: number): number {
  return backOff(500, 60_000, attempt, random);
}

/** Messages to people: soon, and then with patience. */
export function notifyDelayMs(attempt: number, random: number): number {
  return backOff(2000, 600_000, attempt, random);
}

/**
 * One delay per attempt that may still be retried. A store picks by the attempt it counts,
 * so that the policy stays here and the step stays atomic.
 */
export function retryDelays(maxAttempts: number, random: () => number): number[] {
  return Array.from({ length: maxAttempts }, (_, index) => retryDelayMs(index + 1, random()));
}

/** A task whose branch or labels were refused is offered again after this time, in case it was put right. */
const REFUSED_HOLD_MS = 600_000;

/** What the forge itself shows as a problem is lifted as soon as it shows none: nothing else to wait for. */
export function refusedHoldMs(reason: string): number {
  return reason === 'malformed' ? 0 : REFUSED_HOLD_MS;
}
