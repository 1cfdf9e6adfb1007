// The pace of one process, in its own memory. Instances that share a store have theirs there; the rules are the same.

import type { Pace, PaceLimits } from '../../../core/pace/pace.ts';
import {
  block,
  EMPTY_PACE,
  land,
  leaveNow,
  noteBudget,
  type PaceState,
  statusNow,
  takePlace,
} from '../../../core/pace/pace-state.ts';

export function createProcessPace(limits: PaceLimits, now: () => number): Pace {
  let state: PaceState = EMPTY_PACE;
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
      if (budget !== null) state = noteBudget(state, budget, now());
    },
    status: async () => statusNow(state, now()),
  };
}
