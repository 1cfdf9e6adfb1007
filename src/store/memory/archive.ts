// Where an embedded store keeps what it has: everything that lives is also in memory, the rest only here.

import type { Fact } from '../../core/facts.ts';
import type { Issue } from '../../core/issue.ts';
import type { AgentRow } from '../../core/rows/agent-row.ts';
import type { IssueRow } from '../../core/rows/issue-row.ts';
import type { IssueRef, LedgerRow } from '../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../core/rows/task-row.ts';
import type { QueueCount, StatsRow } from '../../core/store.ts';
import type { TaskState } from '../../core/task.ts';

export interface KeptTask {
  readonly seq: number;
  readonly issueSeq: number;
  readonly row: TaskRow;
  /** Numbers of its facts, rising. */
  readonly facts: readonly number[];
}

export interface KeptIssue {
  readonly seq: number;
  readonly row: IssueRow;
  readonly ledger: LedgerRow;
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
}

/** Everything that lives, as it is built at the start. */
export interface Living {
  readonly counters: Counters;
  /** Issues that are open, or have open tasks, or writes to be made. */
  readonly issues: Iterable<KeptIssue>;
  /** Tasks in an open state, by number. */
  readonly tasks: Iterable<KeptTask>;
  readonly agents: Iterable<AgentRow>;
  readonly settings: Iterable<readonly [string, unknown]>;
  readonly learned: Iterable<string>;
}

/** What one turn changed. */
export interface Changes {
  readonly counters: Counters;
  /** `before`: the state that is kept; null: it is new. */
  readonly tasks: readonly (KeptTask & { readonly before: TaskState | null })[];
  readonly issues: readonly {
    readonly seq: number;
    readonly row: IssueRow;
    readonly made: boolean;
    /** False: as it is kept, except for when it was last seen. */
    readonly changed: boolean;
    readonly lives: boolean;
    /** Null: as it was. */
    readonly picture: Issue | null;
  }[];
  readonly ledgers: readonly {
    readonly issueSeq: number;
    readonly ledger: LedgerRow;
    readonly made: boolean;
  }[];
  readonly agents: readonly { readonly row: AgentRow; readonly made: boolean }[];
  readonly settings: readonly (readonly [string, unknown])[];
  readonly learned: readonly string[];
  readonly facts: readonly Fact[];
  /** How many tasks more, or fewer, have ended in this state. */
  readonly ended: readonly QueueCount[];
}

export interface Forgetting {
  readonly limit: number;
  readonly factsBefore: number;
  readonly resultsBefore: number;
  /** The first day that is kept, as an ISO date. */
  readonly statsFrom: string;
  readonly agents: readonly string[];
  /** An issue that an open one waits for stays: that it is closed is what the other waits to hear. */
  readonly isAwaited: (issue: IssueRef) => boolean;
}

export interface Archive {
  living(): Living;
  /** All or nothing. Throws when it failed: `UnknownOutcome` where nobody can say what was kept. */
  write(changes: Changes): void;
  task(id: string): KeptTask | undefined;
  /** All tasks of an issue, by number. */
  tasksOf(issue: IssueRef): KeptTask[];
  issue(ref: IssueRef): KeptIssue | undefined;
  issueNumbered(seq: number): KeptIssue | undefined;
  picture(issueSeq: number): Issue;
  /** Tasks after this number, in that state where one is named. */
  tasksAfter(seq: number, limit: number, ended: TaskState | null): KeptTask[];
  endedCounts(): QueueCount[];
  facts(afterSeq: number, limit: number): Fact[];
  factsNumbered(seqs: readonly number[]): Fact[];
  stats(period: 'daily' | 'hourly', limit: number): StatsRow[];
  /** A step of its own; true: a limit was reached and there may be more. */
  forget(input: Forgetting): boolean;
  ping(): void;
  close(): void;
}
