// The store: where the truth lives. Both implementations pass the same contract suite.
//
// Rules for every mutating verb: one atomic step; it appends its facts in that step; it checks the
// lease token where one is given; a repeated call after "it happened, but the caller never heard"
// gives the same answer and changes nothing. The store owns the clock: callers pass durations.
// Policy (delays, rounds, labels) comes in as plain values; a store only checks and sets.

import type { Limits } from './attempt/budget.ts';
import type { LogStore } from './attempt/log-store.ts';
import type { Question } from './attempt/question.ts';
import type { ByHand, Fact, IssueFactType } from './facts.ts';
import type { Issue, StoredIssue } from './issue.ts';
import type { OpenPace } from './pace/pace.ts';
import type { Attempt, AttemptOutcome, Lease, Task, TaskKind, TaskState, Verdict } from './task.ts';
import type { Tickets } from './ticket.ts';
import type { NewPullRequest, Usage } from './usage.ts';

/**
 * What an issue asks of one of its tasks. How a plan meets the state it finds:
 *
 * | found | ready | delayed | held | cancelled |
 * |---|---|---|---|---|
 * | nothing | made ready | made delayed, or ready when past | made held | not made |
 * | held | ready, or delayed (reason `retry`) while `readyAt` is ahead; refused (below): unchanged while `readyAt` is ahead | the same | new reason | cancelled |
 * | delayed, ready | unchanged (a back-off is kept) | `readyAt` set again from `createdAt`, unless it backs off | held; `readyAt` kept | cancelled |
 * | leased | unchanged | unchanged | unchanged | cancelled, the lease with it |
 * | done | unchanged | unchanged | unchanged | unchanged |
 * | dead | unchanged | unchanged | unchanged | cancelled |
 * | cancelled | only if the stored issue was closed and now is open: as from nothing, attempts from 0, fence kept | same | same | unchanged |
 *
 * Priority (unless an operator set it), branch (unless leased), pull request and labels are always taken over.
 * A plan that changes nothing appends no fact.
 */
export interface TaskPlan {
  readonly id: string;
  readonly want:
    | { readonly state: 'ready' }
    /** Ready `delayMs` after the task was first accepted (`createdAt`); never restarted. */
    | { readonly state: 'delayed'; readonly delayMs: number; readonly reason: string }
    /** With `graceMs`: `readyAt` is set that far ahead when this reason begins, and not restarted by it. */
    | { readonly state: 'held'; readonly reason: string; readonly graceMs: number | null }
    | { readonly state: 'cancelled'; readonly reason: string };
  readonly priority: number;
  readonly branch: string;
  readonly prNumber: number | null;
  readonly reviewComments: readonly string[];
  /** Who wrote the change, and how long the last of them is asked first: taken when the task is made. */
  readonly authors: readonly string[];
  readonly authorFirstMs: number;
  /** False: applied if the task exists, never made again. */
  readonly create: boolean;
}

export interface MirrorEntry {
  readonly issue: Issue;
  /** Labels that matching looks at: lower case, without ledger labels. */
  readonly matchLabels: readonly string[];
  /** Numbers in the same repository that the issue waits for, open or not; `dependents` reads them. */
  readonly dependsOn: readonly number[];
  readonly plans: readonly TaskPlan[];
  /** The ledger labels wanted, where the mirror changes them; undefined leaves them as they are. */
  readonly ledger?: readonly string[];
  /** Ledger labels that somebody else put there and that are Banto's to remove from now on. */
  readonly adopt?: readonly string[];
}

/** Labels wanted on the issue after a step, by the kind of the task that took it. */
export type LedgerByKind = Readonly<Record<TaskKind, readonly string[]>>;

export interface ClaimInput {
  readonly agentId: string;
  readonly capabilities: readonly string[];
  readonly requestId: string | null;
  readonly token: string;
  readonly leaseSeconds: number;
  /** From `rankBuckets`: groups in order; within a group the oldest head wins. */
  readonly groups: readonly (readonly string[])[];
  /** The registry's version the groups were made from; another one answers `stale`. */
  readonly registryVersion: number;
  /** The caller promises to write the outbox entries it gets back within this time. */
  readonly writeLockMs: number;
}

export interface HandOut {
  readonly task: Task;
  readonly lease: Lease;
  readonly issue: StoredIssue;
  /** The last of the earlier attempts that are kept, oldest first; without the one just begun. */
  readonly attempts: readonly Attempt[];
  /** Ledger writes of this lease that the caller now has the lock for. */
  readonly writes: readonly Write[];
  /** How many of its branch and label writes are not done yet, whoever does them. */
  readonly unwritten: number;
  /** True when this is the answer to an earlier request with the same id. */
  readonly replay: boolean;
  /** True once the agent was told of this lease, or has spoken with its token. */
  readonly answered: boolean;
}

/** Asks for the hand-out of one request. Maintenance and quarantine do not hide it. */
export interface RecallInput {
  readonly agentId: string;
  readonly requestId: string;
  /** Null: the caller will not write the outbox entries, and locks none. */
  readonly writeLockMs: number | null;
  /**
   * True: the agent asks again. Its living lease whose answer was never sent is given to this request too, and
   * belongs to it from now on; the request it was claimed for finds nothing any more.
   */
  readonly takeOver: boolean;
}

export type ClaimResult =
  | { readonly outcome: 'leased'; readonly handOut: HandOut }
  | { readonly outcome: 'none' }
  /** The agent holds this already; the caller decides what that means and asks again. */
  | { readonly outcome: 'unfinished'; readonly handOut: HandOut }
  | { readonly outcome: 'stale' }
  /** Looked at only after the agent's living leases. */
  | { readonly outcome: 'maintenance' }
  /** The store lost data, or may have: until then only what can be proved free is handed out. */
  | { readonly outcome: 'quarantine'; readonly untilAt: number };

/**
 * A task to make in the same step as the one that ends, on the same issue and branch, with the same pull
 * request. Already there: left alone. Its `authors` are the ended task's, and, unless that was a review,
 * the agent that ended it (moved to the end if it is there already). One that is made dead leaves the fact
 * and the comment of a death.
 */
export interface FollowUp {
  readonly id: string;
  readonly state: 'held' | 'delayed' | 'ready' | 'dead';
  readonly reason: string | null;
  readonly delayMs: number;
  readonly priority: number;
  /** Offered to the last author alone for this long; 0: to everyone at once. */
  readonly authorFirstMs: number;
  readonly reviewComments: readonly string[];
}

/** The agent whose own token the call came with; null or missing: an operator, or nobody was asked. */
export interface CalledBy {
  readonly agentId?: string | null;
}

/** What a holder says beside: totals of its attempt so far, and what its task may use in all. */
interface Spends {
  /** Never less than before counts; missing: nothing was said. */
  readonly usage?: Usage | null;
  /** Missing: no limits. What an operator set for the task stands above them. */
  readonly limits?: Limits;
}

/** A call with the token of a lease. */
interface WithLease extends CalledBy {
  readonly taskId: string;
  readonly token: string;
}

/** An end that the holder reports. */
interface ReportedEnd extends WithLease, Spends {
  /** Kept with the attempt: the same call with another fingerprint is a conflict. Missing: any repeat is the same. */
  readonly fingerprint?: string;
}

export interface CompleteInput extends ReportedEnd {
  readonly summary: string | null;
  readonly prNumber: number | null;
  readonly verdict: Verdict | null;
  readonly comments: readonly string[];
  /** Where no pull request is known, one is to be opened with these words. */
  readonly pullRequest?: NewPullRequest | null;
  readonly followUp: FollowUp | null;
  readonly ledger: readonly string[];
}

/** A task that dies, in whichever verb, leaves an outbox comment with the event `dead`. */
export interface FailInput extends ReportedEnd {
  readonly reason: string;
  readonly retryable: boolean;
  /** The delay after attempt 1, 2, …; past the end, or not retryable, the task is dead. */
  readonly retryDelaysMs: readonly number[];
  /** Overrides the delay when it will be retried. */
  readonly delayMs: number | null;
  /** How it left the files. The same as the failed attempt before: held for a person instead of retried. */
  readonly tree?: string | null;
  readonly ledger: readonly string[];
  readonly deadLedger: readonly string[];
}

export interface ReleaseInput extends ReportedEnd {
  readonly reason: string | null;
  /** Not offered before then; missing or 0: at once. */
  readonly delayMs?: number;
  readonly ledger: readonly string[];
  /** Only while the lease belongs to this request and its answer was not sent; otherwise `lease_lost`. */
  readonly unheardBy?: string;
}

export type Ended =
  | { readonly outcome: 'ok'; readonly task: Task }
  /** This token ended its lease in this way already, and said something else. */
  | { readonly outcome: 'conflict' }
  | LeaseOutcome;
export type LeaseOutcome =
  | { readonly outcome: 'lease_lost' }
  | { readonly outcome: 'not_found' }
  /** The living lease is another agent's than the one that calls; nothing was changed. */
  | { readonly outcome: 'forbidden' };

export type Operated =
  | { readonly outcome: 'ok'; readonly task: Task }
  | { readonly outcome: 'not_found' }
  /** The state does not allow it; the task is unchanged. */
  | { readonly outcome: 'conflict'; readonly task: Task };

export type Asked =
  | { readonly outcome: 'ok'; readonly questionId: string }
  | { readonly outcome: 'lease_lost' | 'not_found' | 'forbidden' | 'too_many' };

export type Answered =
  | { readonly outcome: 'ok'; readonly task: Task }
  | { readonly outcome: 'not_found' }
  /** The task has no such question. */
  | { readonly outcome: 'no_question' }
  /** It was answered before, and otherwise. */
  | { readonly outcome: 'conflict'; readonly task: Task };

export interface Renewed {
  readonly outcome: 'ok';
  readonly expiresAt: number;
  /** A sentence that says what is used up: the work must end. Null: it may go on. */
  readonly stop: string | null;
  /** What people answered to the questions of this lease. */
  readonly answers: readonly Question[];
}

export interface SweepInput {
  /** At most this many of each; call again while `more`. */
  readonly limit: number;
  readonly maxAttempts: number;
  /** What a task may use; missing: no limits. */
  readonly limits?: Limits;
  readonly ledger: LedgerByKind;
  readonly deadLedger: LedgerByKind;
  readonly factsKeptMs: number;
  readonly resultsKeptMs: number;
}

export interface SweepResult {
  readonly expired: number;
  readonly promoted: number;
  readonly opened: number;
  readonly more: boolean;
  /** When something falls due next, as far as is known; null: nothing waits. */
  readonly nextDueAt: number | null;
}

/** One ledger write that is due. Labels carry no payload: what to write is read when it is written. */
export interface Write {
  readonly id: string;
  readonly type: 'branch' | 'labels' | 'comment' | 'pull';
  readonly repository: string;
  readonly number: number;
  /** The lease it belongs to: refused for good, that lease is undone. */
  readonly taskId: string | null;
  readonly fence: number | null;
  readonly branch: string | null;
  /** For a comment: which event; the text is rendered when it is written. */
  readonly event: string | null;
  /** Changes when a later step touches the same entry; settling an old version leaves it due. */
  readonly version: number;
  readonly attempts: number;
}

export type Settlement =
  | { readonly outcome: 'written'; readonly labels: readonly string[] | null }
  | { readonly outcome: 'retry'; readonly delayMs: number; readonly error: string }
  /** The forge asked for patience, which is no failure: nothing is counted or told. */
  | { readonly outcome: 'later'; readonly delayMs: number }
  | { readonly outcome: 'refused'; readonly error: string };

export interface Registry {
  readonly version: number;
  /** Keys of all buckets that may hold ready tasks. */
  readonly buckets: readonly string[];
  /** Labels on unfinished tasks that no agent has offered as a capability yet. */
  readonly unlearned: readonly string[];
  /** Repositories and agents that an operator paused (`core/pairing/paused.ts`); a change makes a new version. */
  readonly paused: readonly string[];
}

export interface BucketPeek {
  readonly bucket: string;
  readonly ready: number;
  /** Scores of the oldest tasks, rising. */
  readonly scores: readonly number[];
}

export interface TaskFilter {
  readonly state?: TaskState;
  readonly kind?: TaskKind;
  readonly agent?: string;
  readonly label?: string;
  readonly repository?: string;
  readonly limit: number;
  /** Where the last page ended. */
  readonly cursor?: string;
}

export interface TaskDetail {
  readonly task: Task;
  readonly issue: StoredIssue;
  readonly matchLabels: readonly string[];
  /** The last ATTEMPTS_KEPT, oldest first. */
  readonly attempts: readonly (Attempt & { readonly outcome: AttemptOutcome | null })[];
  /** The newest HISTORY_SHOWN (before the cursor), oldest first. Renewals without news are not among them. */
  readonly history: readonly Fact[];
  /** Where older ones begin; null: there are none. */
  readonly nextHistoryCursor: string | null;
}

export interface AgentRecord {
  readonly agentId: string;
  readonly capabilities: readonly string[];
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  /** Ids of the tasks it holds. */
  readonly holds: readonly string[];
  /** The shortest lease it holds, in seconds; null where it holds none, or only ones that a question pauses. */
  readonly leaseSeconds: number | null;
  /** True from the expiry of a lease of its until it is heard of again. */
  readonly lapsed: boolean;
}

export interface QueueCount {
  readonly state: TaskState;
  readonly kind: TaskKind;
  readonly priority: number;
  readonly count: number;
}

export interface QueueView {
  readonly counts: readonly QueueCount[];
  readonly oldestReadyAt: number | null;
  readonly delayed: readonly { readonly taskId: string; readonly readyAt: number }[];
  readonly outbox: { readonly pending: number; readonly failing: number };
}

export interface StatsRow {
  /** ISO date, or date and hour, in UTC. */
  readonly start: string;
  readonly counters: Readonly<Record<string, number>>;
}

export interface MirroredIssue {
  readonly issue: StoredIssue;
  /** As last mirrored: the labels that people put there. */
  readonly matchLabels: readonly string[];
  readonly tasks: readonly Task[];
}

export interface TaskVerbs {
  /**
   * Records issues and applies their plans. Older than what is stored (by `updatedAt`): ignored. So are all for which
   * `holds` says, at the moment of deciding, that what they were planned from is lost.
   */
  mirror(entries: readonly MirrorEntry[], holds?: () => boolean): Promise<void>;
  /** Makes these labels relevant: tasks that carry them are filed under them from now on. */
  learn(labels: readonly string[]): Promise<void>;
  claim(input: ClaimInput): Promise<ClaimResult>;
  /** The living lease of a request; null: there is none. */
  recall(input: RecallInput): Promise<HandOut | null>;
  /** The answer with this lease was sent. Without effect where the lease has ended. Leaves no fact. */
  markAnswered(input: { taskId: string; token: string }): Promise<void>;
  heartbeat(
    input: WithLease & Spends & { readonly progress: string | null },
  ): Promise<Renewed | LeaseOutcome>;
  /** Which attempt a token belongs to: the living one, or one that has ended and is still remembered. */
  whose(input: WithLease): Promise<{ outcome: 'ok'; fence: number } | LeaseOutcome>;
  /** A question to people. The lease lives without heartbeats until it is answered, or for `askMs`. */
  ask(input: WithLease & { readonly question: string; readonly askMs: number }): Promise<Asked>;
  /** The lease runs again from here, with its whole time. */
  answer(input: ByHand & { taskId: string; questionId: string; answer: string }): Promise<Answered>;
  complete(input: CompleteInput): Promise<Ended>;
  fail(input: FailInput): Promise<Ended>;
  release(input: ReleaseInput): Promise<Ended>;
  /**
   * The forge refused for good: the lease with this fence is undone, the task held with the reason
   * `refused:<reason>` and `readyAt` `holdMs` ahead, no attempt counted. Mirroring lifts it only after that.
   */
  refuse(input: {
    taskId: string;
    fence: number;
    reason: string;
    holdMs: number;
    ledger: readonly string[];
  }): Promise<Ended>;
  /** Expires leases, promotes what is due, opens reserved tasks to all, forgets what is old. */
  sweep(input: SweepInput): Promise<SweepResult>;
  prioritize(input: ByHand & { taskId: string; priority: number }): Promise<Operated>;
  /**
   * Ready at once or, with `delayMs`, delayed (reason `requeued`); attempts count from 0 again.
   * From dead, delayed, ready, cancelled (its issue being open) and held as refused or without progress; anything
   * else is a conflict.
   */
  requeue(
    input: ByHand & { taskId: string; delayMs: number; ledger: readonly string[] },
  ): Promise<Operated>;
  /** Takes the lease away from whoever holds it; ready again, no attempt counted. */
  unlock(input: ByHand & { taskId: string; ledger: readonly string[] }): Promise<Operated>;
  cancel(
    input: ByHand & { taskId: string; reason: string; ledger: readonly string[] },
  ): Promise<Operated>;
  /** What the task may use in all from now on; null leaves a limit as it is. `general` are the settings. */
  setBudget(input: ByHand & { taskId: string; limits: Limits; general: Limits }): Promise<Operated>;
  /**
   * Writes down what somebody did to an issue, in the history of this task if it is there. Nothing else changes.
   * Repeated, it stands there twice.
   */
  noteIssue(
    input: ByHand & {
      repository: string;
      number: number;
      taskId: string | null;
      type: IssueFactType;
    },
  ): Promise<void>;
  /** The pull request that was opened for a task, and for the review that follows it. */
  linkPull(input: { taskId: string; followUpId: string | null; prNumber: number }): Promise<void>;
}

export interface TaskReads {
  registry(): Promise<Registry>;
  /** Buckets that hold a ready task. */
  filled(): Promise<string[]>;
  peek(buckets: readonly string[], limitPerBucket: number): Promise<BucketPeek[]>;
  task(id: string, historyCursor?: string): Promise<TaskDetail | null>;
  tasks(filter: TaskFilter): Promise<{ tasks: Task[]; nextCursor: string | null }>;
  /** The first ready tasks in the order of the queue. */
  firstReady(limit: number): Promise<Task[]>;
  /** The issues with these numbers that are known, open or not: for lists, which have the tasks already. */
  issueTexts(repository: string, numbers: readonly number[]): Promise<StoredIssue[]>;
  /** The same with all their tasks. */
  issuesNumbered(repository: string, numbers: readonly number[]): Promise<MirroredIssue[]>;
  /** Issues that are open, or have unfinished tasks, in order of number; `after` is the last number seen. */
  openIssues(repository: string, after: number, limit: number): Promise<MirroredIssue[]>;
  /** Numbers of open issues that name this one in `dependsOn`. */
  dependents(repository: string, number: number): Promise<number[]>;
  agents(): Promise<AgentRecord[]>;
  queue(delayedLimit: number): Promise<QueueView>;
  stats(period: 'daily' | 'hourly', limit: number): Promise<StatsRow[]>;
  /** Those of these agents that hold a task now. */
  holding(agentIds: readonly string[]): Promise<ReadonlySet<string>>;
  facts(afterSeq: number, limit: number): Promise<Fact[]>;
  lastSeq(): Promise<number>;
}

/** The labels of an issue: those that Banto wants there, those it put there, and those of people. */
export interface LabelsOfIssue {
  readonly wanted: readonly string[];
  readonly written: readonly string[];
  readonly matchLabels: readonly string[];
}

export interface Outbox {
  /** Entries that are due; locks them for `lockMs`, so that no one else writes them meanwhile. */
  takeWrites(limit: number, lockMs: number): Promise<Write[]>;
  /** Read at the moment of writing, so that nothing else has to be; null: no such issue. */
  labels(repository: string, number: number): Promise<LabelsOfIssue | null>;
  settleWrite(write: Pick<Write, 'id' | 'version'>, settlement: Settlement): Promise<void>;
  /** Asks for the labels of an issue to be written again (repair). Already pending: left as it is. */
  touchLabels(repository: string, number: number): Promise<void>;
  /** Entries that failed before are due now. Answers how many. */
  retryWrites(limit: number): Promise<number>;
}

export interface Settings {
  /** Settings whose name begins with the prefix: `config:`, `flags:`, `tokens:`. */
  settings(prefix: string): Promise<ReadonlyMap<string, unknown>>;
  /** Null removes it. */
  putSetting(name: string, value: unknown, byHand?: ByHand): Promise<void>;
}

/** What instances that share one store agree on beside tasks. One process alone always leads. */
export interface Instances {
  /** Takes the named role, or renews it for its owner, for `ttlMs`; false: another owner has it. */
  lead(name: string, ownerId: string, ttlMs: number): Promise<boolean>;
  /** Gives the role up at once; somebody else's is left alone. */
  resign(name: string, ownerId: string): Promise<void>;
  /** Which of these roles somebody has now. */
  led(names: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Everything was listed into this data, and the changes since were followed: told by whoever leads, again
   * and again. It ends after `ttlMs`, with the data it was listed into, and when the store was restarted.
   */
  markListed(ttlMs: number): Promise<void>;
  listed(): Promise<boolean>;
  /** How an instance fares; `cpu` is the share of one core since the last time. */
  recordMetrics(instanceId: string, cpu: number, memoryBytes: number): Promise<void>;
}

export interface Store extends TaskVerbs, TaskReads, Outbox, Settings, Instances {
  readonly kind: 'sqlite' | 'redis';
  readonly tickets: Tickets;
  /** What agents' tools said while they worked. */
  readonly logs: LogStore;
  /** The pace that instances share towards a forge; undefined: one process alone counts for itself. */
  readonly openPace?: OpenPace;
  /** Changes when the store has lost data: whatever was remembered of it is void then. */
  generation(): string;
  /** The store's own clock, in milliseconds. */
  now(): Promise<number>;
  /** Throws `busy` when the store cannot be reached. */
  ping(): Promise<void>;
  /** Told of every fact after its commit, on whichever instance it happened. A hint: `facts` is the truth. */
  subscribe(listener: (facts: readonly Fact[]) => void): () => void;
  close(): Promise<void>;
}
