// Time under the test's control: a clock for the store and timers for the broker.

import type { Timers } from '../../src/broker/context.ts';

export interface FakeTime {
  now(): number;
  readonly timers: Timers;
  /** Moves the clock and fires what falls due, in order. */
  advance(ms: number): void;
}

export function createFakeTime(startAt = Date.UTC(2026, 10, 15)): FakeTime {
  let now = startAt;
  let timers: { at: number; fn: () => void }[] = [];
  return {
    now: () => now,
    timers: {
      after(ms, fn) {
        const timer = { at: now + ms, fn };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
    },
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const due = timers.filter((t) => t.at <= until).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers = timers.filter((other) => other !== due);
        now = Math.max(now, due.at);
        due.fn();
      }
      now = until;
    },
  };
}
