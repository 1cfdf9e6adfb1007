// The policy knobs: what an operator may turn while Banto runs. `config.ts` fills them at start,
// `PUT /config/{name}` changes them, and every instance sees the change.

import { DEFAULT_PRIORITY_LABELS, type PriorityLabels } from './priority.ts';

export interface Policy {
  readonly leaseSeconds: number;
  readonly reviewDelaySeconds: number;
  readonly ticketTtlSeconds: number;
  readonly maxAttempts: number;
  readonly maxReviewRounds: number;
  /** How long a fix is offered to its author alone. */
  readonly authorFirstSeconds: number;
  readonly excludedLabels: readonly string[];
  readonly requireDeliverables: boolean;
  readonly deliverablesHeadings: readonly string[];
  readonly priorityLabels: PriorityLabels;
  /** How long an issue that says in-progress without a lease is left alone before it is cleaned. */
  readonly adoptSeconds: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerAgent: number;
  readonly historyDays: number;
}

export const DEFAULT_POLICY: Policy = {
  leaseSeconds: 600,
  reviewDelaySeconds: 300,
  ticketTtlSeconds: 600,
  maxAttempts: 3,
  maxReviewRounds: 3,
  authorFirstSeconds: 120,
  excludedLabels: ['epic', 'story', 'blocked', 'wontfix', 'needs-human'],
  requireDeliverables: true,
  deliverablesHeadings: ['成果物', 'Deliverables', 'Acceptance criteria'],
  priorityLabels: DEFAULT_PRIORITY_LABELS,
  adoptSeconds: 600,
  maxWaiting: 10_000,
  maxWaitingPerAgent: 4,
  historyDays: 30,
};
