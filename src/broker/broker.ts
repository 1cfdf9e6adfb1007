// The broker as the doors see it: one method per verb. Each verb lives in a file of its own.
// Expected outcomes are values; everything else throws a BantoError whose code the door translates.

import type { Limits } from '../core/attempt/budget.ts';
import type { OnUnfinished } from '../core/attempt/unfinished.ts';
import type { ByHand, Fact } from '../core/facts.ts';
import type { ForgeBudget, ForgeWebhook, IssueChange, NewIssue } from '../core/forge.ts';
import type { Issue } from '../core/issue.ts';
import type { Why } from '../core/pairing/why.ts';
import type { Activity } from '../core/reporting/activity.ts';
import type { AgentStatus } from '../core/reporting/agent-status.ts';
import type { Policy } from '../core/settings.ts';
import type { QueueView, Renewed, StatsRow, TaskDetail, TaskFilter } from '../core/store.ts';
import type { Attempt, AttemptOutcome, Lease, Task, TaskKind, Verdict } from '../core/task.ts';
import type { NewPullRequest, Usage } from '../core/usage.ts';
import type { LeaseCall } from './lease/holder.ts';
import type { TokenVerbs } from './operate/tokens.ts';

export interface TaskRequest {
  readonly agentId: string;
  readonly capabilities: readonly string[];
  readonly waitSeconds: number;
  /** Null: the policy's. */
  readonly leaseSeconds: number | null;
  readonly requestId: string | null;
  readonly kinds: readonly TaskKind[] | null;
  readonly repositories: readonly string[] | null;
  readonly onUnfinished: OnUnfinished;
}

export interface Assignment {
  readonly task: Task;
  readonly issue: Issue;
  readonly lease: Lease;
  readonly handoff: readonly Attempt[] | null;
  readonly prompt: string;
  readonly ledger: 'written' | 'pending';
}

/** An issue of the backlog, and the task that somebody who names it means; null: there is none yet. */
export interface BudgetSample extends Pick<ForgeBudget, 'limit' | 'remaining'> {
  readonly at: number;
}

export interface BacklogIssue {
  readonly issue: Issue;
  readonly task: Task | null;
}

/** A task with what a list shows of its issue; text by strangers. */
export interface ListedTask {
  readonly task: Task;
  readonly issue: Pick<Issue, 'title' | 'url' | 'labels' | 'state'>;
}

export interface AgentView {
  readonly agentId: string;
  readonly capabilities: readonly string[];
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  readonly holds: readonly string[];
  readonly waiting: boolean;
  readonly status: AgentStatus;
}

export interface Flags {
  readonly maintenance: boolean;
  readonly debug: boolean;
  /** Repositories and agents with a flag `maintenance:{name}` of their own. */
  readonly paused: readonly string[];
}

export interface Readiness {
  readonly store: { readonly ok: boolean; readonly error: string | null };
  readonly forge: { readonly ok: boolean; readonly error: string | null };
  /** False until the first full listing was mirrored. */
  readonly mirrored: boolean;
}

export interface LogRequest {
  readonly taskId: string;
  /** Null: the newest attempt that has a log. */
  readonly fence: number | null;
  readonly offset: number;
  readonly limit: number;
  /** How long to wait for more than there is. */
  readonly followSeconds: number;
}

export interface LogText {
  readonly fence: number;
  readonly text: string;
  readonly nextOffset: number;
  /** Null: it runs. */
  readonly ended: AttemptOutcome | null;
}

export interface Broker extends TokenVerbs {
  /**
   * Null: nothing suitable came in time. An aborted signal means that the caller has gone. `completed` is told
   * which task this request completed, as soon as it did: the answer must say so, whatever it is.
   */
  requestTask(
    request: TaskRequest,
    signal?: AbortSignal,
    completed?: (taskId: string) => void,
  ): Promise<Assignment | null>;
  /**
   * The answer with this assignment was handed over. Every door says so after it has answered: until then the
   * agent's next request gets the same task, and none completes it. Never throws.
   */
  answered(assignment: Pick<Assignment, 'task' | 'lease'>): Promise<void>;
  heartbeat(
    input: LeaseCall & { progress: string | null; usage?: Usage | null },
  ): Promise<Pick<Renewed, 'expiresAt' | 'stop' | 'answers'>>;
  /** A question to people; the lease is paused until it is answered, or for ASK_SECONDS. */
  ask(input: LeaseCall & { question: string }): Promise<{ questionId: string }>;
  answer(input: ByHand & { taskId: string; questionId: string; answer: string }): Promise<Task>;
  /** How long the log is now, in bytes. */
  appendLog(input: LeaseCall & { offset: number; text: string }): Promise<number>;
  log(input: LogRequest, signal?: AbortSignal): Promise<LogText>;
  complete(
    input: LeaseCall & {
      summary: string | null;
      prNumber: number | null;
      verdict: Verdict | null;
      comments: readonly string[];
      pullRequest?: NewPullRequest | null;
      usage?: Usage | null;
    },
  ): Promise<Task>;
  fail(
    input: LeaseCall & {
      reason: string;
      retryable: boolean;
      delaySeconds: number | null;
      tree?: string | null;
      usage?: Usage | null;
    },
  ): Promise<Task>;
  release(
    input: LeaseCall & {
      reason: string | null;
      delaySeconds?: number | null;
      usage?: Usage | null;
    },
  ): Promise<Task>;

  /** With `issue`, the tasks of that issue: the open one first, then the one that changed last. */
  tasks(
    filter: TaskFilter & { readonly issue?: number },
  ): Promise<{ tasks: ListedTask[]; nextCursor: string | null }>;
  /** What a board shows, page by page from null on; a task may come twice. */
  board(cursor: string | null): Promise<{ tasks: ListedTask[]; nextCursor: string | null }>;
  /** Those of these ids that are known, in no order. */
  tasksNamed(ids: readonly string[]): Promise<ListedTask[]>;
  /** What the facts of the last days add up to, as of now. */
  activity(): Promise<Activity>;
  /** `historyCursor`: the `nextHistoryCursor` of the page before. */
  task(taskId: string, historyCursor?: string): Promise<TaskDetail>;
  why(taskId: string, agentId: string | null): Promise<Why>;
  requeue(input: ByHand & { taskId: string; delaySeconds: number }): Promise<Task>;
  prioritize(input: ByHand & { taskId: string; priority: number }): Promise<Task>;
  unlock(input: ByHand & { taskId: string }): Promise<Task>;
  cancel(input: ByHand & { taskId: string; reason: string | null }): Promise<Task>;
  /** What the task may use in all from now on; a null limit stays as it is. */
  setBudget(input: ByHand & { taskId: string; limits: Limits }): Promise<Task>;
  /** Ledger writes that failed are due now. Answers how many. */
  retryLedger(): Promise<number>;

  /** The local backlog, open and closed; a forge that keeps its own issues refuses with `conflict`. */
  issues(): Promise<BacklogIssue[]>;
  /** False: the forge keeps its own issues, and the four calls around this one are refused. */
  hasBacklog(): boolean;
  issue(number: number): Promise<BacklogIssue>;
  addIssue(issue: NewIssue, asked?: ByHand): Promise<BacklogIssue>;
  editIssue(number: number, change: IssueChange, asked?: ByHand): Promise<BacklogIssue>;

  agents(): Promise<AgentView[]>;
  agent(agentId: string): Promise<AgentView>;
  queue(): Promise<QueueView & { readonly waiting: number }>;
  /** What is left of the forge's limits; null: it has none, or has not said yet. */
  budget(): Promise<ForgeBudget | null>;
  /** What was left at each minute from then on, as far as this instance saw it; oldest first. */
  budgetHistory(since: number): Promise<BudgetSample[]>;
  /** Takes deliveries, where the forge is set up for them. */
  readonly webhook?: ForgeWebhook;
  stats(period: 'daily' | 'hourly'): Promise<StatsRow[]>;

  config(): Promise<Policy>;
  /** `name` is a key of Policy in snake_case; throws not_found or invalid_request. */
  putConfig(name: string, value: unknown, byHand?: ByHand): Promise<Policy>;
  flags(): Promise<Flags>;
  putFlag(name: string, value: unknown, byHand?: ByHand): Promise<Flags>;

  /** Facts after a sequence number, oldest first. */
  events(afterSeq: number, limit: number): Promise<Fact[]>;
  lastSeq(): Promise<number>;
  /** A hint that there are new facts; `events` is the truth. */
  subscribe(listener: (facts: readonly Fact[]) => void): () => void;

  readiness(): Promise<Readiness>;
  start(): Promise<void>;
  /** Answers open polls with `busy`, keeps leases, finishes what is being written. */
  stop(): Promise<void>;
}
