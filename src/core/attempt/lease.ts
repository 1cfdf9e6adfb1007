// Fences. A counter can go backwards when a store loses data; microseconds of the clock do not.

export function nextFence(lastFence: number, nowMs: number): number {
  return Math.max(lastFence + 1, Math.floor(nowMs * 1000));
}

export const LEASE_SECONDS_MIN = 10;
export const LEASE_SECONDS_MAX = 86_400;
export const WAIT_SECONDS_MAX = 300;
