// The store owns time. It begins at the later of the clock it was given and the highest instant it has
// ever written, and then only moves forward, by as much as that clock does.

import { performance } from 'node:perf_hooks';

export interface Clock {
  /** Milliseconds; may have a fraction. */
  now(): number;
}

/** Something that looks at its own state at an instant of the store's clock. */
export interface Clocked {
  readonly read: <T>(look: (now: number) => T) => Promise<T>;
}

/** The wall clock as it was once, and from there the monotonic one: setting the wall clock changes nothing. */
export function createSystemClock(): Clock {
  const anchor = Date.now() - performance.now();
  return { now: () => anchor + performance.now() };
}

export interface ForwardClock extends Clock {
  notBefore(floor: number): void;
}

/** A clock that goes back is followed from where it went to; what was handed out is never taken back. */
export function createForwardClock(source: Clock, floor: number): ForwardClock {
  let read = source.now();
  let at = Math.max(read, floor);
  return {
    now() {
      const reading = source.now();
      at += Math.max(0, reading - read);
      read = reading;
      return Math.floor(at);
    },
    notBefore(instant) {
      at = Math.max(at, instant);
    },
  };
}
