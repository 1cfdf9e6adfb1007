// Tasks, their states and the one table of transitions. Every store and the model test read this table.

import type { Limits } from './attempt/budget.ts';
import type { Question } from './attempt/question.ts';
import type { NewPullRequest, Usage, Used } from './usage.ts';

export const TASK_KINDS = ['implement', 'review', 'fix'] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

export const TASK_STATES = [
  'held',
  'delayed',
  'ready',
  'leased',
  'done',
  'dead',
  'cancelled',
] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** Which state may follow which. A store must never write a pair that is not here. */
export const TRANSITIONS: Readonly<Record<TaskState, readonly TaskState[]>> = {
  held: ['ready', 'delayed', 'cancelled'],
  delayed: ['ready', 'held', 'cancelled'],
  ready: ['leased', 'held', 'delayed', 'cancelled'],
  leased: ['done', 'ready', 'delayed', 'held', 'dead', 'cancelled'],
  done: [],
  dead: ['ready', 'held', 'delayed', 'cancelled'],
  cancelled: ['ready', 'held', 'delayed'],
};

export function mayFollow(from: TaskState, to: TaskState): boolean {
  return TRANSITIONS[from].includes(to);
}

/** States that are neither an end nor a grave. */
export const OPEN_STATES: readonly TaskState[] = ['held', 'delayed', 'ready', 'leased'];

export interface Lease {
  readonly agentId: string;
  readonly token: string;
  readonly fence: number;
  readonly seconds: number;
  readonly leasedAt: number;
  readonly expiresAt: number;
  readonly requestId: string | null;
}

export type Verdict = 'approve' | 'request_changes';

export interface TaskResult {
  readonly agentId: string;
  readonly summary: string | null;
  readonly verdict: Verdict | null;
  readonly comments: readonly string[];
  readonly at: number;
  /** The pull request that the agent would like to see opened. */
  readonly pullRequest?: NewPullRequest;
}

/** What became of one lease. `token` is kept so that a repeated call can be recognised. */
export interface Attempt {
  readonly agentId: string;
  readonly fence: number;
  readonly branch: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: AttemptOutcome | null;
  /** The reason of a failure or a release, or the summary of a completion. */
  readonly note: string | null;
  /** The last progress notes, oldest first, at most PROGRESS_KEPT. */
  readonly progress: readonly string[];
  /** What its agent said that it used; null: nothing. */
  readonly usage: Usage | null;
}

export type AttemptOutcome =
  | 'completed'
  | 'failed'
  | 'released'
  | 'expired'
  | 'refused'
  | 'cancelled'
  | 'unlocked';

export const PROGRESS_KEPT = 5;

export interface Task {
  readonly id: string;
  readonly repository: string;
  readonly number: number;
  readonly kind: TaskKind;
  readonly round: number;
  readonly state: TaskState;
  /** Why it is held, delayed, dead or cancelled; null elsewhere. */
  readonly reason: string | null;
  readonly priority: number;
  /** Failed and expired leases so far. */
  readonly attempts: number;
  /** The highest fence ever given out for this task; 0 before the first lease. */
  readonly fence: number;
  /** The instant it joined the queue; decides age. Null before it was first ready. */
  readonly enqueuedAt: number | null;
  /** The instant before which it is not offered, if one was set; outlives a hold. */
  readonly readyAt: number | null;
  readonly lease: Lease | null;
  /** The agents that wrote the change, in order: none of them reviews it, the last one is asked first to fix it. */
  readonly authors: readonly string[];
  /** The agent it is offered to alone, until `opensAt`. */
  readonly onlyAgent: string | null;
  readonly opensAt: number | null;
  readonly branch: string;
  readonly prNumber: number | null;
  readonly reviewComments: readonly string[];
  readonly result: TaskResult | null;
  /** What all its attempts used together; null: nobody said. */
  readonly used: Used | null;
  /** What an operator allows it to use, in all; null: the settings say. */
  readonly limits: Limits | null;
  /** The last ones, oldest first. */
  readonly questions: readonly Question[];
  /** When it was first accepted; a review's delay counts from here. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
}

export interface TaskName {
  readonly repository: string;
  readonly number: number;
  readonly kind: TaskKind;
  readonly round: number;
}

// `~` is unreserved in URLs and never part of an owner, a repository or a kind.
const SEPARATOR = '~';
const ID_PATTERN =
  /^([A-Za-z0-9._-]+(?:~[A-Za-z0-9._-]+)?)~([1-9]\d{0,14})~(implement|review|fix)\.([1-9]\d{0,5})$/;

/**
 * Ids are opaque to callers but say everything to us: a transition can be planned from the id alone,
 * without reading the task first.
 */
export function taskId(name: TaskName): string {
  const repository = name.repository.replace('/', SEPARATOR);
  return [repository, name.number, `${name.kind}.${name.round}`].join(SEPARATOR);
}

export function parseTaskId(id: string): TaskName | null {
  const match = ID_PATTERN.exec(id);
  if (match === null) return null;
  const [, repository = '', number, kind, round] = match;
  return {
    repository: repository.replace(SEPARATOR, '/'),
    number: Number(number),
    kind: kind as TaskKind,
    round: Number(round),
  };
}

// An issue that is reopened after its work was done begins a new life: its rounds count from 101, 201, …
const ROUNDS_PER_LIFE = 100;

/** 1 for the first round of a life, 2 after one request for changes, … */
export function roundInLife(round: number): number {
  return ((round - 1) % ROUNDS_PER_LIFE) + 1;
}

export function nextLife(round: number): number {
  return (Math.floor((round - 1) / ROUNDS_PER_LIFE) + 1) * ROUNDS_PER_LIFE + 1;
}

const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;

export function isAgentId(text: string): boolean {
  return AGENT_ID.test(text);
}
