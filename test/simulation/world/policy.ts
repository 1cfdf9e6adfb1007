// The settings of a simulated Banto: everything that takes time takes a minute or so, that much may happen in an hour.

import { DEFAULT_POLICY, type Policy } from '../../../src/core/settings.ts';

export const LEASE_SECONDS = 60;
/** How long facts, results and closed issues are kept; a run of millions of steps must fit into memory. */
const HISTORY_HOURS = 1;

export const POLICY: Policy = {
  ...DEFAULT_POLICY,
  leaseSeconds: LEASE_SECONDS,
  reviewDelaySeconds: 20,
  authorFirstSeconds: 15,
  adoptSeconds: 90,
  askSeconds: 120,
  maxAttempts: 5,
  maxReviewRounds: 3,
  maxWaiting: 10_000,
  historyDays: HISTORY_HOURS / 24,
};
