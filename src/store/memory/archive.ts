// Where an embedded store keeps what it has. Everything that lives is also in memory; rows come and go as texts
// (`entries.ts`, `core/rows/codec.ts`), and an archive only finds them again.

import type { Fact } from '../../core/facts.ts';
import type { Issue } from '../../core/issue.ts';
import type { IssueRef } from '../../core/rows/ledger-row.ts';
import type { QueueCount, StatsRow } from '../../core/store.ts';

export interface KeptIssue extends IssueRef {
  readonly seq: number;
  /** The row of the issue. */
  readonly row: string;
  /** Its ledger and all its tasks. */
  readonly work: string;
}

/** What must outlive the process beside rows. */
export interface Counters {
  /** The highest instant ever written: a restart never goes behind it. */
  readonly clock: number;
  /** The last place in line that was given. */
  readonly place: number;
  readonly registryVersion: number;
  readonly factSeq: number;
  readonly taskSeq: number;
  readonly issueSeq: number;
  /** How many tasks have ended in each way. */
  readonly ended: readonly QueueCount[];
}

/** Everything that lives, as it is built at the start. */
export interface Living {
  readonly counters: Counters;
  /** Issues that are open, or have open tasks, or writes to be made. */
  readonly issues: Iterable<KeptIssue>;
  /** Ids and texts. */
  readonly agents: Iterable<readonly [string, string]>;
  readonly settings: Iterable<readonly [string, unknown]>;
  readonly learned: Iterable<string>;
}

/** What one turn changed. What is forgotten goes first: the same issue may come again in one turn. */
export interface Changes {
  readonly counters: Counters;
  readonly forgotten: readonly { readonly seq: number; readonly tasks: readonly number[] }[];
  readonly issues: readonly (Omit<KeptIssue, 'work'> & {
    readonly made: boolean;
    /** False: as it is kept, except for when it was last seen. */
    readonly changed: boolean;
    /** Null while it lives; otherwise when it was last seen. */
    readonly closedAt: number | null;
    /** Null: as it was. */
    readonly picture: Issue | null;
  })[];
  /** By number of the issue. */
  readonly work: readonly (readonly [number, string])[];
  /** Tasks that are new, by number, with the numbers of their issues. */
  readonly tasks: readonly (readonly [number, number])[];
  /** Numbers of issues of which a task has a result now. */
  readonly results: readonly number[];
  /** Entries of results up to this number are done with. */
  readonly resultsForgotten: number | null;
  /** Null: forgotten. */
  readonly agents: readonly (readonly [string, string | null])[];
  readonly settings: readonly (readonly [string, unknown])[];
  readonly learned: readonly string[];
  readonly facts: readonly Fact[];
}

export interface Archive {
  living(): Living;
  /** All or nothing. Throws when it failed: `UnknownOutcome` where nobody can say what was kept. */
  write(changes: Changes): void;
  issue(ref: IssueRef): KeptIssue | undefined;
  issueNumbered(seq: number): KeptIssue | undefined;
  picture(issueSeq: number): Issue;
  /** Tasks after this number, each in its issue. */
  tasksAfter(seq: number, limit: number): { readonly seq: number; readonly issue: KeptIssue }[];
  facts(afterSeq: number, limit: number): Fact[];
  factsNumbered(seqs: readonly number[]): Fact[];
  stats(period: 'daily' | 'hourly', limit: number): StatsRow[];
  /** Issues that do not live and were last seen before this instant, oldest first. */
  closedBefore(at: number): Iterable<KeptIssue>;
  /** The oldest entries of results, up to this instant. */
  resultsBefore(
    at: number,
    limit: number,
  ): { readonly seq: number; readonly issues: readonly number[] }[];
  /** Facts before this instant and statistics before this day go. True: there may be more. */
  forget(factsBefore: number, statsFrom: string, limit: number): boolean;
  ping(): void;
  close(): void;
}
