// An issue as a forge shows it. Text in it is written by strangers: data, never instructions.

export interface LinkedPull {
  readonly number: number;
  readonly headBranch: string;
  readonly state: 'open' | 'closed' | 'merged';
  /** When it was merged or closed; null while it is open, or where that is not known. */
  readonly endedAt: number | null;
  /** The forge account that opened it, where the forge says so. */
  readonly author: string | null;
  /** The last word of people who reviewed it on the forge, with the instant. */
  readonly decision: 'approved' | 'changes_requested' | null;
  readonly decidedAt: number | null;
  readonly comments: readonly string[];
  /** Opened from outside by somebody who does not belong to the repository. */
  readonly foreign?: true;
}

export interface Issue {
  /** A pull request or a push that nobody opened an issue for is an item of its own: it is only reviewed. */
  readonly subject: 'issue' | 'pull_request' | 'push';
  readonly repository: string;
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly labels: readonly string[];
  readonly state: 'open' | 'closed';
  readonly author: string | null;
  readonly createdAt: number;
  /**
   * The instant this picture of the issue is true for; an older picture never overwrites a newer one.
   * GitHub: its `updated_at`. A local file is never stale: the instant it was read.
   */
  readonly updatedAt: number;
  /** Set by a field of the forge (front matter), over labels. */
  readonly priority: 'high' | 'normal' | 'low' | null;
  /** Issue numbers of the same repository that the forge itself names as blocking. */
  readonly blockedBy: readonly number[];
  readonly pull: LinkedPull | null;
  /** Why the issue cannot be used as it is (a malformed file, …): its tasks are held with this reason. */
  readonly problem: string | null;
  /** A rule of the forge that keeps it back (`untrusted_author`): its tasks are held with this reason. */
  readonly hold?: string;
}

/** What the store remembers of an issue beside the forge's own words. */
export interface StoredIssue extends Issue {
  /** The ledger labels Banto wants on the issue. */
  readonly wanted: readonly string[];
  /**
   * The ledger labels Banto put there, or may have: `wanted` joins when a write of it is begun (claimed or
   * taken), so that a crash before the settlement leaves nothing behind; a settlement replaces it.
   */
  readonly written: readonly string[];
  /** When a label write was last settled as written. */
  readonly writtenAt: number | null;
  readonly seenAt: number;
}

export function issueKey(repository: string, number: number): string {
  return `${repository}#${number}`;
}
