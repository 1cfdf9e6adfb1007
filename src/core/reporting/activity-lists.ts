// The lists that an activity is made of: bounded, and cheap to add to.

import type { Fact } from '../facts.ts';

const MINUTE_MS = 60_000;

/** A row of numbers for each minute of the window, reused as the window moves. */
export function createMinutes(windowMs: number, width: number) {
  const kept = windowMs / MINUTE_MS + 1;
  const cells = new Int32Array(kept * width);
  const minuteOfRow = new Int32Array(kept).fill(-1);
  return {
    add(at: number, column: number, by: number): void {
      const minute = Math.floor(at / MINUTE_MS);
      const row = minute % kept;
      if (minuteOfRow[row] !== minute) {
        // A fact may come a little late, but never from a window ago.
        if ((minuteOfRow[row] ?? -1) > minute) return;
        minuteOfRow[row] = minute;
        cells.fill(0, row * width, (row + 1) * width);
      }
      const cell = row * width + column;
      cells[cell] = (cells[cell] ?? 0) + by;
    },
    read(minute: number, column: number): number {
      const row = minute % kept;
      return minuteOfRow[row] === minute ? (cells[row * width + column] ?? 0) : 0;
    },
  };
}

/** The newest first, none twice, not without end. */
export function createNewest(most: number) {
  const ids = new Set<string>();
  return {
    add(id: string): void {
      ids.delete(id);
      ids.add(id);
      if (ids.size <= most) return;
      const [oldest] = ids;
      if (oldest !== undefined) ids.delete(oldest);
    },
    remove: (id: string) => ids.delete(id),
    list: () => [...ids].reverse(),
  };
}

/** Issues whose last ledger write failed and will be tried again. */
export function createFailures() {
  const failures = new Map<string, { readonly error: string; readonly at: number }>();
  return {
    take(fact: Fact): void {
      if (fact.type !== 'ledger_failed' && fact.type !== 'ledger_written') return;
      const issue = `${fact.repository}#${fact.number}`;
      failures.delete(issue);
      if (fact.type === 'ledger_failed' && !fact.final) {
        failures.set(issue, { error: fact.error, at: fact.at });
      }
    },
    last: () => [...failures.values()].at(-1) ?? null,
  };
}
