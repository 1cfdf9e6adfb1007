// The policy knobs: what an operator may turn while Banto runs. `config/` fills them at start,
// `PUT /config/{name}` changes them, and every instance sees the change.

import { LEASE_SECONDS_MAX, LEASE_SECONDS_MIN } from './attempt/lease.ts';
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
  /** How long a lease stays paused for a question that nobody answers. */
  readonly askSeconds: number;
  /** Budgets; null: none. */
  readonly maxCostPerTaskUsd: number | null;
  readonly maxTokensPerTask: number | null;
  readonly maxCostPerDayUsd: number | null;
  readonly maxCostPerAgentDayUsd: number | null;
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
  askSeconds: 86_400,
  maxCostPerTaskUsd: null,
  maxTokensPerTask: null,
  maxCostPerDayUsd: null,
  maxCostPerAgentDayUsd: null,
};

const DAY_SECONDS = 86_400;

type KeysOf<T> = { [K in keyof Policy]: Policy[K] extends T ? K : never }[keyof Policy];

/** The least and the most of every number, at start and while Banto runs. */
export const POLICY_NUMBERS: Readonly<Record<KeysOf<number>, readonly [number, number]>> = {
  leaseSeconds: [LEASE_SECONDS_MIN, LEASE_SECONDS_MAX],
  reviewDelaySeconds: [0, 30 * DAY_SECONDS],
  ticketTtlSeconds: [1, DAY_SECONDS],
  maxAttempts: [1, 100],
  // A life of an issue has a hundred rounds.
  maxReviewRounds: [1, 99],
  authorFirstSeconds: [0, 7 * DAY_SECONDS],
  adoptSeconds: [0, 30 * DAY_SECONDS],
  maxWaiting: [1, 1_000_000],
  maxWaitingPerAgent: [1, 1000],
  historyDays: [1, 3650],
  askSeconds: [60, 30 * DAY_SECONDS],
};

type LimitKey = Exclude<KeysOf<number | null>, KeysOf<number>>;

/** The least and the most of every limit that may be left out. Money may have a fraction, tokens have none. */
export const POLICY_LIMITS: Readonly<Record<LimitKey, readonly [number, number]>> = {
  maxCostPerTaskUsd: [0.01, 1_000_000],
  maxTokensPerTask: [1, 1_000_000_000_000],
  maxCostPerDayUsd: [0.01, 1_000_000],
  maxCostPerAgentDayUsd: [0.01, 1_000_000],
};

/** What a list of texts may be: one line each, none twice. */
export interface ListBounds {
  readonly what: string;
  readonly minItems: number;
  readonly maxItems: number;
  /** In code points, of one text. */
  readonly maxLength: number;
  /** Of one text, as the source of a regular expression. */
  readonly pattern: string;
}

const ONE_LINE = '^[^\\u0000-\\u001f\\u007f]+$';

export const LABEL_LIST: ListBounds = {
  what: 'labels',
  minItems: 0,
  maxItems: 100,
  maxLength: 50,
  pattern: ONE_LINE,
};
export const HEADING_LIST: ListBounds = {
  what: 'headings',
  minItems: 1,
  maxItems: 100,
  maxLength: 100,
  pattern: ONE_LINE,
};

function isList(value: unknown, bounds: ListBounds): boolean {
  const line = new RegExp(bounds.pattern, 'u');
  return (
    Array.isArray(value) &&
    value.length >= bounds.minItems &&
    value.length <= bounds.maxItems &&
    new Set(value).size === value.length &&
    value.every(
      (item) =>
        typeof item === 'string' && line.test(item) && Array.from(item).length <= bounds.maxLength,
    )
  );
}

function listProblem(value: unknown, bounds: ListBounds): string | null {
  if (isList(value, bounds)) return null;
  const { what, minItems, maxItems, maxLength } = bounds;
  return `must be a list of ${minItems} to ${maxItems} different ${what} of 1 to ${maxLength} characters`;
}

function priorityLabelsProblem(value: unknown): string | null {
  const lists = value as Record<string, unknown> | null;
  const ok =
    typeof lists === 'object' &&
    lists !== null &&
    Object.keys(lists).sort().join() === 'high,low,normal' &&
    Object.values(lists).every((list) => isList(list, LABEL_LIST));
  return ok ? null : 'must be an object with the lists of labels high, normal and low';
}

function numberProblem(value: unknown, [least, most]: readonly [number, number]): string | null {
  const ok = Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  return ok ? null : `must be a whole number from ${least} to ${most}`;
}

function isLimit(key: keyof Policy): key is LimitKey {
  return Object.hasOwn(POLICY_LIMITS, key);
}

function limitProblem(value: unknown, key: LimitKey): string | null {
  const [least, most] = POLICY_LIMITS[key];
  const whole = key === 'maxTokensPerTask';
  const ok =
    value === null ||
    (typeof value === 'number' &&
      value >= least &&
      value <= most &&
      (!whole || Number.isInteger(value)));
  return ok ? null : `must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}, or null`;
}

/** Null: fine. Otherwise the words that say what is allowed. */
export function policyProblem(key: keyof Policy, value: unknown): string | null {
  if (key === 'requireDeliverables') {
    return typeof value === 'boolean' ? null : 'must be true or false';
  }
  if (key === 'excludedLabels') return listProblem(value, LABEL_LIST);
  if (key === 'deliverablesHeadings') return listProblem(value, HEADING_LIST);
  if (key === 'priorityLabels') return priorityLabelsProblem(value);
  if (isLimit(key)) return limitProblem(value, key);
  return numberProblem(value, POLICY_NUMBERS[key]);
}
