// What an agent reports at the end of a lease. A repeated call is the same call only if it says the same:
// two processes that share one agent_id must not overwrite, or silently lose, each other's reports.

import type { Verdict } from './task.ts';

export type Report =
  | {
      readonly verb: 'complete';
      readonly summary: string | null;
      readonly prNumber: number | null;
      readonly verdict: Verdict | null;
      readonly comments: readonly string[];
    }
  | {
      readonly verb: 'fail';
      readonly reason: string;
      readonly retryable: boolean;
      readonly delaySeconds: number | null;
    }
  | { readonly verb: 'release'; readonly reason: string | null };

/** The content of a report as one text: equal texts are equal reports. Callers keep a hash of it. */
export function reportText(report: Report): string {
  switch (report.verb) {
    case 'complete': {
      const { summary, prNumber, verdict, comments } = report;
      return JSON.stringify(['complete', summary, prNumber, verdict, comments]);
    }
    case 'fail':
      return JSON.stringify(['fail', report.reason, report.retryable, report.delaySeconds]);
    case 'release':
      return JSON.stringify(['release', report.reason]);
  }
}

/**
 * How a repeated report meets the one that was recorded, by their fingerprints. Null or empty: the lease
 * ended before fingerprints were kept; then the repeat is believed.
 */
export function isSameReport(recorded: string | null, repeated: string): boolean {
  return recorded === null || recorded === '' || recorded === repeated;
}
