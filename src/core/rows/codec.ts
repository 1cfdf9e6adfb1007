// Rows as short texts. What the id says is left out, and so is what is empty. A task's text begins with the
// initial of its state and its fence, `r1700… [`, so that a step that parses no JSON can still read both.

import type { Limits } from '../attempt/budget.ts';
import type { Question } from '../attempt/question.ts';
import { OPEN_STATES, parseTaskId, TASK_STATES, type TaskResult, type TaskState } from '../task.ts';
import type { Usage, Used } from '../usage.ts';
import type { AgentRow } from './agent-row.ts';
import type { IssueRow } from './issue-row.ts';
import type { IssueRef, LedgerRow, WriteRow } from './ledger-row.ts';
import type { LeaseRow, PastLease, TaskRow } from './task-row.ts';

const INITIALS: Readonly<Record<TaskState, string>> = {
  held: 'h',
  delayed: 'w',
  ready: 'r',
  leased: 'l',
  done: 'd',
  dead: 'x',
  cancelled: 'c',
};
const STATES = new Map(TASK_STATES.map((state) => [INITIALS[state], state]));
const OPEN = OPEN_STATES.map((state) => INITIALS[state]).join('');

/** Of a task's text. */
export const isOpenText = (text: string): boolean => OPEN.includes(text.charAt(0));

type UsageText = [
  string | null,
  number | null,
  number | null,
  number | null,
  number | null,
  number | null,
  string | null,
];
type UsedText = [number, number, number, number, number];
// What came later stands at the end, and is missing in texts that are older.
type LeaseText = [
  string,
  string,
  number,
  number,
  number,
  number,
  string | null,
  0 | 1,
  string[],
  (UsageText | 0)?,
  (number | null)?,
];
type PastText = [
  string,
  string,
  number,
  string | null,
  number,
  number,
  PastLease['outcome'],
  string | null,
  string[],
  string | null,
  (UsageText | 0)?,
  (string | null)?,
];
type RareText = [
  string | null,
  number | null,
  0 | 1,
  0 | 1,
  string | null,
  number | null,
  number | null,
  string[],
  string[],
  TaskResult | null,
  (UsedText | 0)?,
  (Limits | 0)?,
  (0 | 1)?,
  Question[]?,
  (0 | 1)?,
];
type TaskText = [
  number,
  number,
  number | null,
  number,
  number,
  number | null,
  string,
  LeaseText | 0,
  PastText[] | 0,
  RareText | 0,
];

const usageText = (u: Usage | null) =>
  u === null
    ? 0
    : [u.model, u.inputTokens, u.outputTokens, u.cachedTokens, u.costUsd, u.turns, u.sessionId];

const usedText = (u: Used | null) =>
  u === null ? 0 : [u.inputTokens, u.outputTokens, u.cachedTokens, u.costMicroUsd, u.turns];

function usageOf(text: UsageText | 0 | undefined): Usage | null {
  if (text === undefined || text === 0) return null;
  const [model, inputTokens, outputTokens, cachedTokens, costUsd, turns, sessionId] = text;
  return { model, inputTokens, outputTokens, cachedTokens, costUsd, turns, sessionId };
}

function usedOf(text: UsedText | 0 | undefined): Used | null {
  if (text === undefined || text === 0) return null;
  const [inputTokens, outputTokens, cachedTokens, costMicroUsd, turns] = text;
  return { inputTokens, outputTokens, cachedTokens, costMicroUsd, turns };
}

const leaseText = (l: LeaseRow) => [
  l.agentId,
  l.token,
  l.fence,
  l.seconds,
  l.leasedAt,
  l.expiresAt,
  l.requestId,
  l.answered ? 1 : 0,
  l.progress,
  usageText(l.usage),
  l.pausedUntil,
];

const pastText = (p: PastLease) => [
  p.token,
  p.agentId,
  p.fence,
  p.branch,
  p.startedAt,
  p.endedAt,
  p.outcome,
  p.note,
  p.progress,
  p.report,
  usageText(p.usage),
  ...(p.tree === null ? [] : [p.tree]),
];

const rareText = (r: TaskRow) => [
  r.reason,
  r.readyAt,
  r.timed ? 1 : 0,
  r.pinned ? 1 : 0,
  r.onlyAgent,
  r.opensAt,
  r.prNumber,
  r.authors,
  r.reviewComments,
  r.result,
  usedText(r.used),
  r.limits ?? 0,
  r.overspent ? 1 : 0,
  r.questions,
  ...(r.stuck || r.holdAfter !== null ? [r.stuck ? 1 : 0] : []),
  ...(r.holdAfter === null ? [] : [r.holdAfter]),
];

function isPlain(r: TaskRow): boolean {
  return (
    r.reason === null &&
    r.readyAt === null &&
    !r.timed &&
    !r.pinned &&
    r.onlyAgent === null &&
    r.opensAt === null &&
    r.prNumber === null &&
    r.authors.length === 0 &&
    r.reviewComments.length === 0 &&
    r.result === null &&
    r.used === null &&
    r.limits === null &&
    !r.overspent &&
    !r.stuck &&
    r.holdAfter === null &&
    r.questions.length === 0
  );
}

export function encodeTask(r: TaskRow): string {
  const body = JSON.stringify([
    r.priority,
    r.attempts,
    r.enqueuedAt,
    r.createdAt,
    r.updatedAt,
    r.endedAt,
    r.branch,
    r.lease === null ? 0 : leaseText(r.lease),
    r.past.length === 0 ? 0 : r.past.map(pastText),
    isPlain(r) ? 0 : rareText(r),
  ]);
  return `${INITIALS[r.state]}${r.fence} ${body}`;
}

function leaseOf(text: LeaseText | 0): LeaseRow | null {
  if (text === 0) return null;
  const [agentId, token, fence, seconds, leasedAt, expiresAt, requestId, answered, progress] = text;
  const lease = { agentId, token, fence, seconds, leasedAt, expiresAt, requestId };
  const usage = usageOf(text[9]);
  return { ...lease, answered: answered === 1, progress, usage, pausedUntil: text[10] ?? null };
}

function pastOf(text: PastText): PastLease {
  const [token, agentId, fence, branch, startedAt, endedAt, outcome, note, progress, report] = text;
  const ended = { token, agentId, fence, branch, startedAt, endedAt, outcome, note };
  return { ...ended, progress, report, usage: usageOf(text[10]), tree: text[11] ?? null };
}

const NOTHING_RARE: RareText = [null, null, 0, 0, null, null, null, [], [], null];

export function decodeTask(id: string, text: string): TaskRow {
  const name = parseTaskId(id);
  const space = text.indexOf(' ');
  const state = STATES.get(text.charAt(0));
  if (name === null || state === undefined) throw new Error(`The row of ${id} cannot be read.`);
  const [priority, attempts, enqueuedAt, createdAt, updatedAt, endedAt, branch, lease, past, rare] =
    JSON.parse(text.slice(space + 1)) as TaskText;
  const [reason, readyAt, timed, pinned, onlyAgent, opensAt, prNumber, authors, comments, result] =
    rare === 0 ? NOTHING_RARE : rare;
  const [used, limits, overspent, questions, stuck, holdAfter] = rare === 0 ? [] : rare.slice(10);
  return {
    id,
    repository: name.repository,
    number: name.number,
    kind: name.kind,
    round: name.round,
    state,
    reason,
    priority,
    attempts,
    fence: Number(text.slice(1, space)),
    enqueuedAt,
    readyAt,
    lease: leaseOf(lease),
    authors,
    onlyAgent,
    opensAt,
    branch,
    prNumber,
    reviewComments: comments,
    result,
    used: usedOf(used as UsedText | 0 | undefined),
    limits: (limits as Limits | 0 | undefined) || null,
    overspent: overspent === 1,
    stuck: stuck === 1,
    holdAfter: (holdAfter as string | undefined) ?? null,
    questions: (questions as Question[] | undefined) ?? [],
    createdAt,
    updatedAt,
    endedAt,
    pinned: pinned === 1,
    timed: timed === 1,
    past: past === 0 ? [] : past.map(pastOf),
  };
}

const WRITE_TYPES: readonly WriteRow['type'][] = ['branch', 'labels', 'comment', 'pull'];

type WriteText = [
  number,
  string | null,
  number | null,
  string | null,
  string | null,
  number,
  number | null,
  number,
  number,
  string | null,
  number?,
  number?,
];
type LedgerText = [string[], string[], number | null, number, WriteText[]];

const writeText = (w: WriteRow) => [
  WRITE_TYPES.indexOf(w.type),
  w.taskId,
  w.fence,
  w.branch,
  w.event,
  w.version,
  w.lockedVersion,
  w.attempts,
  w.availableAt,
  w.error,
  ...(w.late === null ? [] : [w.late.until, w.late.version]),
];

export function encodeLedger(l: LedgerRow): string {
  return JSON.stringify([l.wanted, l.written, l.writtenAt, l.version, l.writes.map(writeText)]);
}

function writeOf(text: WriteText): WriteRow {
  const [type, taskId, fence, branch, event, version, lockedVersion, attempts, availableAt, error] =
    text;
  const entry = { type: WRITE_TYPES[type] ?? 'labels', taskId, fence, branch, event };
  const [until, lateVersion = 0] = text.slice(10) as (number | undefined)[];
  const late = until === undefined ? null : { until, version: lateVersion };
  return { ...entry, version, lockedVersion, attempts, availableAt, error, late };
}

export function decodeLedger({ repository, number }: IssueRef, text: string): LedgerRow {
  const [wanted, written, writtenAt, version, writes] = JSON.parse(text) as LedgerText;
  return { repository, number, wanted, written, writtenAt, version, writes: writes.map(writeOf) };
}

type IssueText = [0 | 1, number, number, string[], string[], number[]];

export function encodeIssue(row: IssueRow): string {
  const { updatedAt, seenAt, matchLabels, labels, dependsOn } = row;
  const open = row.state === 'open' ? 1 : 0;
  return JSON.stringify([open, updatedAt, seenAt, matchLabels, labels, dependsOn]);
}

export function decodeIssue({ repository, number }: IssueRef, text: string): IssueRow {
  const [open, updatedAt, seenAt, matchLabels, labels, dependsOn] = JSON.parse(text) as IssueText;
  const state = open === 1 ? 'open' : 'closed';
  return { repository, number, state, updatedAt, seenAt, matchLabels, labels, dependsOn };
}

type AgentText = [string[], number, number, 0 | 1];

export function encodeAgent(row: AgentRow): string {
  const { capabilities, firstSeenAt, lastSeenAt, lapsed } = row;
  return JSON.stringify([capabilities, firstSeenAt, lastSeenAt, lapsed ? 1 : 0]);
}

export function decodeAgent(agentId: string, text: string): AgentRow {
  const [capabilities, firstSeenAt, lastSeenAt, lapsed] = JSON.parse(text) as AgentText;
  return { agentId, capabilities, firstSeenAt, lastSeenAt, lapsed: lapsed === 1 };
}
