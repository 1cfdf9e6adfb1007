// What an agent reports at the end of a lease. A repeated call is the same call only if it says the same:
// two processes that share one agent_id must not overwrite, or silently lose, each other's reports.

import type { Verdict } from '../task.ts';
import type { NewPullRequest } from '../usage.ts';

export type Report =
  | {
      readonly verb: 'complete';
      readonly summary: string | null;
      readonly prNumber: number | null;
      readonly verdict: Verdict | null;
      readonly comments: readonly string[];
      readonly pullRequest?: NewPullRequest | null;
    }
  | {
      readonly verb: 'fail';
      readonly reason: string;
      readonly retryable: boolean;
      readonly delaySeconds: number | null;
      readonly tree?: string | null;
    }
  | {
      readonly verb: 'release';
      readonly reason: string | null;
      readonly delaySeconds?: number | null;
    };

/** What was not said is left out: reports of earlier versions keep their text. */
const given = <T>(value: T | null | undefined): T[] =>
  value === null || value === undefined ? [] : [value];

/** The content of a report as one text: equal texts are equal reports. Callers keep a hash of it. */
export function reportText(report: Report): string {
  switch (report.verb) {
    case 'complete': {
      const { summary, prNumber, verdict, comments, pullRequest } = report;
      const words = ['complete', summary, prNumber, verdict, comments, ...given(pullRequest)];
      return JSON.stringify(words);
    }
    case 'fail': {
      const { reason, retryable, delaySeconds, tree } = report;
      return JSON.stringify(['fail', reason, retryable, delaySeconds, ...given(tree)]);
    }
    case 'release':
      return JSON.stringify(['release', report.reason, ...given(report.delaySeconds)]);
  }
}

/**
 * How a repeated report meets the one that was recorded, by their fingerprints. Null or empty: the lease
 * ended before fingerprints were kept; then the repeat is believed.
 */
export function isSameReport(recorded: string | null, repeated: string): boolean {
  return recorded === null || recorded === '' || recorded === repeated;
}
