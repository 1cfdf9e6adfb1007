// The broker as the doors see it: one method per verb. Each verb lives in a file of its own.
// Expected outcomes are values; everything else throws a BantoError whose code the door translates.

import type { Activity } from '../core/activity.ts';
import type { AgentStatus } from '../core/agent-status.ts';
import type { Fact } from '../core/facts.ts';
import type { ForgeBudget, ForgeWebhook, IssueChange, NewIssue } from '../core/forge.ts';
import type { Issue } from '../core/issue.ts';
import type { Policy } from '../core/settings.ts';
import type { QueueView, StatsRow, TaskDetail, TaskFilter } from '../core/store.ts';
import type { Attempt, Lease, Task, TaskKind, Verdict } from '../core/task.ts';
import type { OnUnfinished } from '../core/unfinished.ts';
import type { NewPullRequest, Usage } from '../core/usage.ts';
import type { Why } from '../core/why.ts';
import type { LeaseCall } from './holder.ts';
import type { TokenVerbs } from './tokens.ts';

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
  ): Promise<{ expiresAt: number }>;
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
  /** Those of these ids that are known, in no order. */
  tasksNamed(ids: readonly string[]): Promise<ListedTask[]>;
  /** What the facts of the last days add up to, as of now. */
  activity(): Promise<Activity>;
  /** `historyCursor`: the `nextHistoryCursor` of the page before. */
  task(taskId: string, historyCursor?: string): Promise<TaskDetail>;
  why(taskId: string, agentId: string | null): Promise<Why>;
  requeue(input: { taskId: string; delaySeconds: number }): Promise<Task>;
  prioritize(input: { taskId: string; priority: number }): Promise<Task>;
  unlock(input: { taskId: string }): Promise<Task>;
  cancel(input: { taskId: string; reason: string | null }): Promise<Task>;

  /** The local backlog, open and closed; a forge that keeps its own issues refuses with `conflict`. */
  issues(): Promise<BacklogIssue[]>;
  /** False: the forge keeps its own issues, and the four calls around this one are refused. */
  hasBacklog(): boolean;
  issue(number: number): Promise<BacklogIssue>;
  addIssue(issue: NewIssue): Promise<BacklogIssue>;
  editIssue(number: number, change: IssueChange): Promise<BacklogIssue>;

  agents(): Promise<AgentView[]>;
  agent(agentId: string): Promise<AgentView>;
  queue(): Promise<QueueView & { readonly waiting: number }>;
  /** What is left of the forge's limits; null: it has none, or has not said yet. */
  budget(): Promise<ForgeBudget | null>;
  /** Takes deliveries, where the forge is set up for them. */
  readonly webhook?: ForgeWebhook;
  stats(period: 'daily' | 'hourly'): Promise<StatsRow[]>;

  config(): Promise<Policy>;
  /** `name` is a key of Policy in snake_case; throws not_found or invalid_request. */
  putConfig(name: string, value: unknown): Promise<Policy>;
  flags(): Promise<Flags>;
  putFlag(name: string, value: unknown): Promise<Flags>;

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
