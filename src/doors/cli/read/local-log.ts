// A log of an attempt on this machine's disk. Past its size the older half makes way for the newer one.

export interface LogHalves {
  readonly older: string;
  readonly newer: string;
}

export interface LocalLog {
  readonly taskId: string;
  readonly fence: number;
  /** All that is left of it. */
  read(raw: boolean): LogHalves;
  ended(text: string): boolean;
}

export const NOTHING_YET: LogHalves = { older: '', newer: '' };

/** What was written since `before` was shown. After a rotation the newer half of then is the older one of now. */
export function unseen(before: LogHalves, { older, newer }: LogHalves): string {
  if (older === before.older) return newer.slice(before.newer.length);
  const all = older + newer;
  return older.startsWith(before.newer) ? all.slice(before.newer.length) : all;
}
