// The clock that a store is given: the true time, and whatever somebody set it to.

import type { VirtualTime } from './virtual-time.ts';

export interface ShiftedClock {
  now(): number;
  /** Somebody sets it; backwards with a negative number. */
  jump(ms: number): void;
  /** A store that follows this clock and never goes back cannot be later than this. */
  latest(): number;
}

export function createShiftedClock(time: Pick<VirtualTime, 'now'>): ShiftedClock {
  let shift = 0;
  /** What only going forward has added up to. */
  let ahead = 0;
  return {
    now: () => time.now() + shift,
    jump(ms) {
      shift += ms;
      ahead += Math.max(0, ms);
    },
    latest: () => time.now() + ahead,
  };
}
