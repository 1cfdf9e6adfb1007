// What needs a person, and how it is said in one message. Which facts are worth one, and whether they still are
// when the message leaves.

import { BUDGET } from '../attempt/budget.ts';
import { NO_PROGRESS } from '../attempt/no-progress.ts';
import { isOpen } from '../attempt/question.ts';
import type { Fact } from '../facts.ts';
import { explainReason } from '../pairing/why.ts';
import type { Task } from '../task.ts';
import { parseTaskId } from '../task.ts';
import { DAY_MS, type NoticeMarker } from './notice-marker.ts';

export type NoticeKind = 'question' | 'dead' | 'stopped' | 'ledger' | 'needs_human' | 'approved';

export interface Notice {
  /** The same thing always has the same one. */
  readonly id: string;
  readonly kind: NoticeKind;
  readonly taskId: string | null;
  readonly agentId: string | null;
  readonly detail: string | null;
}

export interface NoticeSubject {
  readonly repository: string;
  readonly number: number;
  readonly title: string;
  readonly url: string;
}

const NEEDS_HUMAN = 'excluded_label:needs-human';

/** An approved change is often merged at once: people are told of those that were not. */
export const APPROVED_WAIT_MS = 600_000;
/** Ledger writes are tried again by themselves; this long is not a hiccup any more. */
export const FAILING_WAIT_MS = 300_000;

function notice(
  fact: Fact,
  kind: NoticeKind,
  about: Partial<Pick<Notice, 'agentId' | 'detail'>> = {},
): Notice {
  const taskId = 'taskId' in fact ? fact.taskId : null;
  return { id: `${kind}-${fact.seq}`, kind, taskId, agentId: null, detail: null, ...about };
}

/** Held for a person, not for something that comes by itself. */
function needsHuman(reason: string | null): boolean {
  return reason === NEEDS_HUMAN || reason === NO_PROGRESS || reason === BUDGET;
}

function humanDetail(reason: string | null): string {
  return reason === null || reason === NEEDS_HUMAN
    ? 'it has the label needs-human'
    : explainReason(reason);
}

/** Null: this fact needs nobody, or not yet. */
export function noticeOf(fact: Fact): Notice | null {
  if (fact.type === 'dead') return notice(fact, 'dead', { detail: explainReason(fact.reason) });
  if (fact.type === 'expired') return notice(fact, 'stopped', { agentId: fact.agentId });
  if ((fact.type === 'held' || fact.type === 'accepted') && needsHuman(fact.reason)) {
    return notice(fact, 'needs_human', { detail: humanDetail(fact.reason) });
  }
  return questionOf(fact);
}

/** Asked by an agent in the middle of its work. */
function questionOf(fact: Fact): Notice | null {
  const { type, question, agentId } = fact as { type: string; question?: string; agentId?: string };
  if (type !== 'asked') return null;
  return notice(fact, 'question', { agentId: agentId ?? null, detail: question ?? null });
}

/** The same, for what is told after APPROVED_WAIT_MS. */
export function laterNoticeOf(fact: Fact): Notice | null {
  const approves = fact.type === 'completed' && fact.verdict === 'approve';
  return approves ? notice(fact, 'approved', { agentId: fact.agentId }) : null;
}

export function refusalOf(fact: Fact, marker: NoticeMarker): Notice | null {
  if (fact.type !== 'ledger_failed' || !fact.final) return null;
  if (fact.at - marker.refusedAt < DAY_MS) return null;
  const detail = `${fact.repository}#${fact.number}: ${fact.error}`;
  return notice(fact, 'ledger', { detail });
}

/** While the message could not be sent, somebody may have solved it. */
export function stillNeeds(
  { kind }: Notice,
  task: Task | null,
  issueState: 'open' | 'closed',
  agentLapsed: boolean,
): boolean {
  if (kind === 'ledger') return true;
  if (kind === 'stopped') return agentLapsed;
  if (kind === 'question') {
    return (
      task?.state === 'leased' && task.questions.some((question) => isOpen(question, task.fence))
    );
  }
  if (kind === 'dead') return task?.state === 'dead';
  if (kind === 'needs_human') return task?.state === 'held' && needsHuman(task.reason);
  return issueState === 'open';
}

/** An issue asks for a person once in a message, by what is most urgent. */
const URGENCY: readonly NoticeKind[] = [
  'question',
  'dead',
  'stopped',
  'ledger',
  'needs_human',
  'approved',
];

export function inOrder(notices: readonly Notice[]): Notice[] {
  const sorted = [...notices].sort((a, b) => URGENCY.indexOf(a.kind) - URGENCY.indexOf(b.kind));
  const seen = new Set<string>();
  return sorted.filter(({ id, kind, taskId, agentId }) => {
    const name = taskId === null ? null : parseTaskId(taskId);
    const issue = name === null ? id : `${name.repository}#${name.number}`;
    const key = kind === 'stopped' ? `agent ${agentId}` : issue;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

const MOST_LINES = 20;
const TITLE = 120;
const DETAIL = 300;

function oneLine(text: string, most: number): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** Titles and reasons are written by strangers: in Slack `<!channel>` would wake everybody. */
const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function sentence(notice: Notice, subject: NoticeSubject | null): string {
  const { kind, agentId, detail } = notice;
  const title = subject === null ? '' : ` “${oneLine(subject.title, TITLE)}”`;
  const what = subject === null ? 'A task' : `${subject.repository}#${subject.number}${title}`;
  const because = detail === null ? '' : `: ${oneLine(detail, DETAIL)}`;
  switch (kind) {
    case 'question':
      return `${agentId ?? 'An agent'} asks about ${what}${because}`;
    case 'dead':
      return `${what} is set aside after its last attempt${because}`;
    case 'stopped':
      return `${agentId ?? 'An agent'} stopped: its lease on ${what} ran out`;
    case 'ledger':
      return `Ledger writes keep failing${because}`;
    case 'needs_human':
      return `${what} needs a person${because}`;
    case 'approved':
      return `${what} is approved by ${agentId ?? 'an agent'} and still open`;
  }
}

export interface Told {
  readonly notice: Notice;
  readonly subject: NoticeSubject | null;
}

/** The body of one message. `text` is what Slack and tools like it show; the rest is for programs. */
export function messageOf(told: readonly Told[], sentAt: string) {
  const lines = told.map(({ notice, subject }) => {
    const url = subject !== null && /^https?:\/\//.test(subject.url) ? ` ${subject.url}` : '';
    return escape(`• ${sentence(notice, subject)}${url}`);
  });
  const more = lines.length - MOST_LINES;
  const head = told.length === 1 ? '1 thing needs' : `${told.length} things need`;
  return {
    text: [
      `Banto: ${head} a person`,
      ...lines.slice(0, MOST_LINES),
      ...(more > 0 ? [`… and ${more} more`] : []),
    ].join('\n'),
    sent_at: sentAt,
    notices: told.map(({ notice, subject }) => ({
      id: notice.id,
      kind: notice.kind,
      task_id: notice.taskId,
      agent_id: notice.agentId,
      repository: subject?.repository ?? null,
      issue_id: subject?.number ?? null,
      title: subject?.title ?? null,
      issue_url: subject?.url ?? null,
      detail: notice.detail,
    })),
  };
}

export type Message = ReturnType<typeof messageOf>;
