// What Redis' clock says now, as far as it is known here: what it said last, and how long ago that was. Never ahead
// of it, so that nothing is decided for an instant that has not come.

import { performance } from 'node:perf_hooks';
import type { Moment } from '../../../core/decide/verb.ts';
import { nextEnqueueAt } from '../../../core/priority.ts';

export interface StoreClock {
  now(): number;
  /** What it says without asking; null: it was not heard of lately, or a test sets it as it likes. */
  known(): number | null;
  told(now: number, offset: number, place: number): void;
  /** An instant to decide at, and which places in line were given at it. */
  moment(): Moment & { readonly places: () => readonly [number, number] | null };
}

/** For so long what Redis' clock said last is as good as asking: two clocks hardly part in it. */
const FRESH_MS = 1000;

/** `test`: the clock that a test owns. */
export function createStoreClock(test: { now(): number } | undefined): StoreClock {
  let said = 0;
  let saidAt = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  let offset = 0;
  let place = 0;

  function now(): number {
    if (test !== undefined) return Math.floor(test.now()) + offset;
    return Math.floor(said + performance.now() - saidAt);
  }

  return {
    now,
    known() {
      return test !== undefined || performance.now() - toldAt > FRESH_MS ? null : now();
    },
    told(instant, off, last) {
      toldAt = performance.now();
      if (instant >= now()) {
        said = instant;
        saidAt = performance.now();
      }
      offset = off;
      place = Number.isNaN(last) ? place : Math.max(last, place);
    },
    moment() {
      const at = now();
      let first: number | null = null;
      let last = 0;
      return {
        now: at,
        nextPlace() {
          place = nextEnqueueAt(at, place);
          first ??= place;
          last = place;
          return place;
        },
        places: () => (first === null ? null : [first, last]),
      };
    },
  };
}
