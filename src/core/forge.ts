// The forge: where the work lives. Every implementation passes the same contract suite.

import type { Reply } from './attempt/reply.ts';
import type { Issue, LinkedPull } from './issue.ts';
import type { NewPullRequest } from './usage.ts';

/** The forge will never accept this write (gone, no permission, not a valid name). Retrying is useless. */
export class ForgeRefused extends Error {
  readonly reason: string;
  /** `reason` is one word for `held`; the message is for people. */
  constructor(reason: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ForgeRefused';
    this.reason = reason;
  }
}

/** The forge asks for patience (rate limit, maintenance): nothing may be written before then. */
export class ForgeBusy extends Error {
  readonly retryAfterMs: number;
  /** True: it may not pass by itself, so that every try counts as a failure and people are told. */
  readonly isFault: boolean;
  constructor(
    retryAfterMs: number,
    message: string,
    options?: { cause?: unknown; isFault?: boolean },
  ) {
    super(message, options);
    this.name = 'ForgeBusy';
    this.retryAfterMs = retryAfterMs;
    this.isFault = options?.isFault ?? false;
  }
}

export interface ForgeChange {
  readonly repository: string;
  readonly issues: readonly Issue[];
  /** Numbers that are gone (deleted, transferred): their tasks are cancelled. */
  readonly gone: readonly number[];
  /** Labels that were renamed or deleted: issues that are to show one of them are written again. */
  readonly lostLabels?: readonly string[];
  /** Issues on which somebody commented. */
  readonly commented?: readonly number[];
  /** The whole repository was taken away from us: its tasks are cancelled, until it is listed again. */
  readonly unreachable?: true;
}

export interface LabelChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** What is left of the forge's limits, as it last said. */
export interface ForgeBudget {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
  /** Nothing is asked or written before this instant; null: nothing speaks against it. */
  readonly blockedUntil: number | null;
}

/** Deliveries of a forge that tells by itself what happened. */
export interface ForgeWebhook {
  /** Over the raw bytes, in constant time, before anything is parsed. */
  verify(body: Uint8Array, signature: string): Promise<boolean>;
  /** Takes the delivery in; the work comes after. An event it does not know is ignored. */
  receive(event: string, payload: unknown): void;
}

export interface NewIssue {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly priority: Issue['priority'];
  readonly blockedBy: readonly number[];
}

/** What is not there stays as it is. */
export interface IssueChange {
  readonly title?: string;
  readonly body?: string;
  readonly labels?: LabelChange;
  readonly priority?: Issue['priority'];
  readonly blockedBy?: readonly number[];
  readonly state?: Issue['state'];
}

/** A backlog whose issues Banto itself may write. */
export interface EditableBacklog {
  /** Open and closed, by number. */
  list(): Promise<Issue[]>;
  add(issue: NewIssue): Promise<Issue>;
  /** Null: there is no such issue. */
  edit(number: number, change: IssueChange): Promise<Issue | null>;
}

export interface Forge {
  readonly kind: 'local' | 'github';
  readonly repositories: readonly string[];
  /** Where true, a review needs a linked pull request. */
  readonly hasPullRequests: boolean;
  /** Where true, a number may come back as another issue: people name the files. */
  readonly numbersReturn?: true;
  /** All open issues, page by page; what is open in the store and not in here is gone or closed. */
  list(repository: string): AsyncIterable<readonly Issue[]>;
  /** What changed since the cursor; a null cursor means: since this process began to look. */
  changes(
    repository: string,
    cursor: string | null,
  ): Promise<{ change: ForgeChange; cursor: string | null }>;
  /** Calls back with changes as they are noticed. A hint: `changes` and `list` find what it misses. */
  watch(listener: (change: ForgeChange) => void): () => Promise<void>;
  /** One issue as it is now; null when it is gone. */
  read(repository: string, number: number): Promise<Issue | null>;
  /** Whether a branch of this name is there. The answer may be an hour old: creating it is what decides. */
  hasBranch(repository: string, branch: string): Promise<boolean>;
  /** Creates the branch from the default branch. Already there is not an error. */
  createBranch(repository: string, branch: string): Promise<'created' | 'exists'>;
  /** Adds and removes exactly these; no other label is touched. Idempotent. */
  setLabels(repository: string, number: number, change: LabelChange): Promise<void>;
  /** One comment per key: written again with the same key, it replaces the earlier one. */
  comment(repository: string, number: number, key: string, text: string): Promise<void>;
  /** How people answer on the issue itself; absent: only by Banto's own ways. */
  readonly replies?: {
    /** Ends the sentence "To answer, …". */
    readonly how: string;
    /** What people who may decide here wrote below our comments with these keys, oldest first. */
    read(
      repository: string,
      number: number,
      keys: readonly string[],
      /** None of those comments is older. */
      sinceAt: number,
    ): Promise<readonly Reply[]>;
  };
  /** The forge can be read and written; throws with a sentence that says what to fix. */
  check(): Promise<void>;
  /** The branch that new branches start from and that no task may name. */
  defaultBranch(repository: string): Promise<string>;
  /** An agent says that this pull request is an issue's, though nothing else may link them: remembered. */
  pull?(repository: string, number: number, issue: number): Promise<LinkedPull | null>;
  /**
   * Opens a pull request from a branch and answers its number. There is one from this branch already: that one.
   * Missing where the forge has no pull requests.
   */
  openPull?(repository: string, branch: string, pull: NewPullRequest): Promise<number>;
  /** How often to ask for changes and for everything, where that costs something. */
  readonly rhythm?: {
    readonly pollMs: number;
    readonly fullPassMs: number;
    /** How many ledger writes to begin at once; undefined: as many as there are. */
    readonly writesAtOnce?: number;
  };
  /** As all instances together know it; null: the forge has said nothing yet. */
  budget?(): Promise<ForgeBudget | null>;
  readonly webhook?: ForgeWebhook;
  /** Absent where people write issues with the forge's own tools. */
  readonly backlog?: EditableBacklog;
  close(): Promise<void>;
}
