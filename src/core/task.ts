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
const REPOSITORY = /^[A-Za-z0-9._-]+(?:~[A-Za-z0-9._-]+)?$/;
const NUMBER_DIGITS = 15;
const ROUND_DIGITS = 6;

/**
 * Ids are opaque to callers but say everything to us: a transition can be planned from the id alone,
 * without reading the task first.
 */
export function taskId(name: TaskName): string {
  const repository = name.repository.replace('/', SEPARATOR);
  return [repository, name.number, `${name.kind}.${name.round}`].join(SEPARATOR);
}

const ZERO = 48;
const DOT = 46;
const TILDE = 126;

/** A whole number above 0 without leading zeros, in these places of a text; 0: there is none. */
function readNumber(text: string, from: number, to: number, digitsMost: number): number {
  if (to - from > digitsMost || text.charCodeAt(from) === ZERO) return 0;
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return 0;
    value = value * 10 + digit;
  }
  return value;
}

/** The last place before this one with this character; -1: none. */
function placeBefore(text: string, end: number, character: number): number {
  let at = end - 1;
  while (at >= 0 && text.charCodeAt(at) !== character) at -= 1;
  return at;
}

// Ids that follow each other are mostly of one repository: its name is checked and spelled once, and is then the same
// text wherever it is compared.
let lastRepository = { inId: '', name: '' };

function readRepository(id: string, end: number): string | null {
  if (end !== lastRepository.inId.length || !id.startsWith(lastRepository.inId)) {
    const inId = id.slice(0, end);
    if (!REPOSITORY.test(inId)) return null;
    lastRepository = { inId, name: inId.replace(SEPARATOR, '/') };
  }
  return lastRepository.name;
}

function readKind(id: string, from: number, to: number): TaskKind | undefined {
  for (const kind of TASK_KINDS) {
    if (kind.length === to - from && id.startsWith(kind, from)) return kind;
  }
  return undefined;
}

/** By hand, from the end: every verb does it more than once, and a pattern takes twice as long. */
export function parseTaskId(id: string): TaskName | null {
  const dot = placeBefore(id, id.length, DOT);
  const beforeKind = placeBefore(id, dot, TILDE);
  const beforeNumber = placeBefore(id, beforeKind, TILDE);
  if (beforeNumber < 1) return null;
  const round = readNumber(id, dot + 1, id.length, ROUND_DIGITS);
  const number = readNumber(id, beforeNumber + 1, beforeKind, NUMBER_DIGITS);
  const kind = readKind(id, beforeKind + 1, dot);
  if (kind === undefined || number === 0 || round === 0) return null;
  const repository = readRepository(id, beforeNumber);
  return repository === null ? null : { repository, number, kind, round };
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
