// An issue as stores keep it: a short head that steps look at, apart from what the forge showed.

import type { Issue, StoredIssue } from '../issue.ts';
import type { LedgerRow } from './ledger-row.ts';

export interface IssueRow {
  readonly repository: string;
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly updatedAt: number;
  readonly seenAt: number;
  /** What matching looks at: lower case, without ledger labels. */
  readonly matchLabels: readonly string[];
  /** Every label in lower case, for lists by label. */
  readonly labels: readonly string[];
  readonly dependsOn: readonly number[];
}

export function toStoredIssue(
  picture: Issue,
  row: Pick<IssueRow, 'seenAt'>,
  ledger: LedgerRow,
): StoredIssue {
  const { wanted, written, writtenAt } = ledger;
  return { ...picture, wanted, written, writtenAt, seenAt: row.seenAt };
}

/** `busy`: some task of it is open. An issue stands in lists of open ones as long as there is work on it. */
export function isListed(issue: Pick<IssueRow, 'state'> | undefined, busy: boolean): boolean {
  return busy || issue?.state === 'open';
}

/** It has to be at hand while it is listed, or something is to be written to it. */
export function livesOn(
  issue: Pick<IssueRow, 'state'> | undefined,
  { writes }: Pick<LedgerRow, 'writes'>,
  busy: boolean,
): boolean {
  return writes.length > 0 || isListed(issue, busy);
}

/** The same except for when it was last seen. */
export function isSameIssue(a: IssueRow, b: IssueRow): boolean {
  return (
    a === b ||
    (a.state === b.state &&
      a.updatedAt === b.updatedAt &&
      sameTexts(a.matchLabels, b.matchLabels) &&
      sameTexts(a.labels, b.labels) &&
      a.dependsOn.join() === b.dependsOn.join())
  );
}

export function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}
