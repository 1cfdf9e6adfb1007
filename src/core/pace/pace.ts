// How fast a forge may be spoken to. One process counts for itself; instances that share a store count together,
// in the store and by its clock. So everything here is a duration, never an instant.

/** So many at once, then a steady rate. */
export interface Rate {
  readonly burst: number;
  readonly perMinute: number;
}

/** So many in any minute and in any hour; `perHour` null: only the minute counts. */
export interface Quota {
  readonly perMinute: number;
  readonly perHour: number | null;
}

export interface PaceLimits {
  readonly writes: Rate;
  readonly reads: Rate;
  /** What creates content and notifies people. */
  readonly content: Quota;
  /** Writes of any kind as they leave: those that stood in line go out later than the rate thought. */
  readonly sent: Quota;
  /** Writes under way at the same time. */
  readonly writesAtOnce: number;
  /** Requests of any kind under way at the same time. */
  readonly atOnce: number;
  /** The share of the forge's hourly budget that reads leave to writes. */
  readonly readReserve: number;
}

export type Line = 'writes' | 'reads' | 'content';
/** A budget of the forge; its own name for it. */
export type Resource = 'core' | 'graphql';
/** What leaves. The last is a write with a budget of its own. */
export type Departure = 'read' | 'write' | 'graphql';

export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/** Why something may not go now: the forge asked for patience, a budget is used up, the pace, others are under way. */
export type Reason = 'blocked' | 'core' | 'graphql' | 'pace' | 'turn';
export type Wait = { readonly waitMs: number; readonly reason: Reason };

export interface LimitReport {
  /** Nothing may go out for so long; 0: nothing was said. A shorter time than is known changes nothing. */
  readonly blockedMs: number;
  readonly budget: (Allowance & { readonly of: Resource }) | null;
}

export interface Pace {
  /**
   * Takes a place in a line, at the latest `mostWaitMs` ahead: the caller goes on after `waitMs`. With a `reason`
   * nothing was taken, and `waitMs` says when to ask again. A place that is not used is lost, nothing else.
   */
  take(line: Line, mostWaitMs: number): Promise<{ readonly waitMs: number } | Wait>;
  /**
   * The last step before a request leaves, after all waiting. Null: it goes now, and is under way until `arrive`,
   * or until it can be so no longer. What was said meanwhile counts: during a block nothing leaves.
   */
  leave(id: string, as: Departure): Promise<Wait | null>;
  /** The answer, or its absence. Never fails: what cannot be told now is told with the next call. */
  arrive(id: string, report: LimitReport): Promise<void>;
  /** What is known of the forge's own limits. */
  status(): Promise<{ readonly blockedMs: number; readonly budget: Allowance | null }>;
}

/** How instances find the pace that they share: by who they are to the forge, without naming a secret. */
export type OpenPace = (identity: string, limits: PaceLimits) => Pace;

/** How long after it left a request still keeps others from leaving: a crash must not keep them for longer. */
export const TURN_MS = 3000;
/** How long a request may be under way; no request waits longer for its answer. */
export const FLIGHT_MS = 30_000;
/** When to ask again whether it is one's turn. */
export const ASK_AGAIN_MS = 100;
/** Two resets of the same hour differ by no more than this; the next hour's by far more. */
export const SAME_RESET_MS = 60_000;
