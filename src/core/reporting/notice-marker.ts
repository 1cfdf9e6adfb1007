// How far people were told. Kept in the store, so that neither a restart nor another instance repeats anything.

export const DAY_MS = 86_400_000;

export interface NoticeMarker {
  /** The last fact that was looked at. */
  readonly now: number;
  /** The same, for what is told after a while. */
  readonly later: number;
  /** People know that ledger writes keep failing. */
  readonly failingTold: boolean;
  /** When people were last told of a refusal: at most once a day. */
  readonly refusedAt: number;
}

export function freshMarker(seq: number): NoticeMarker {
  return { now: seq, later: seq, failingTold: false, refusedAt: 0 };
}

/** Null: nothing was ever told, or somebody wrote something else there. */
export function readMarker(value: unknown): NoticeMarker | null {
  if (typeof value !== 'object' || value === null) return null;
  const { now, later, failingTold, refusedAt } = value as Partial<NoticeMarker>;
  if (!Number.isSafeInteger(now) || !Number.isSafeInteger(later)) return null;
  return {
    now: now ?? 0,
    later: later ?? 0,
    failingTold: failingTold === true,
    refusedAt: typeof refusedAt === 'number' ? refusedAt : 0,
  };
}
