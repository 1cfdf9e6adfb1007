// The pace of one process, in its own memory. Instances that share a store have theirs there; the rules are the same.

import type { Pace, PaceLimits } from '../../core/pace.ts';
import {
  block,
  hear,
  knownNow,
  land,
  leaveNow,
  NOTHING_KNOWN,
  type PaceState,
  takePlace,
} from '../../core/pace-state.ts';

export function createPacer(limits: PaceLimits, now: () => number): Pace {
  let state: PaceState = NOTHING_KNOWN;
  return {
    async take(line, mostWaitMs) {
      const taken = takePlace(state, line, mostWaitMs, limits, now());
      ({ state } = taken);
      return taken.answer;
    },
    async leave(id, as) {
      const left = leaveNow(state, id, as, limits, now());
      ({ state } = left);
      return left.answer;
    },
    async arrive(id, { blockedMs, budget }) {
      state = land(state, [id], now());
      if (blockedMs > 0) state = block(state, now() + blockedMs);
      if (budget !== null) state = hear(state, budget, now());
    },
    known: async () => knownNow(state, now()),
  };
}
