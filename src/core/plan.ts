// What an issue, as the forge shows it now, asks of its tasks. Pure: the mirror reads, plans and stores.

import { branchFromBody, dependenciesFromBody, hasDeliverables } from './body.ts';
import type { Issue } from './issue.ts';
import { APPROVED, IN_PROGRESS, isLedgerLabel, NEEDS_REVIEW } from './ledger.ts';
import { PRIORITIES, priorityOf } from './priority.ts';
import { isSafeRefName } from './ref-name.ts';
import type { Policy } from './settings.ts';
import type { MirrorEntry, MirroredIssue, TaskPlan } from './store.ts';
import { nextLife, roundInLife, type Task, type TaskKind, taskId } from './task.ts';

export interface PlanContext {
  readonly policy: Policy;
  readonly hasPullRequests: boolean;
  readonly defaultBranch: string;
  /** Which of the numbers the issue waits for are open. */
  readonly isOpen: (number: number) => boolean;
  /** False until everything was listed once: a dependency that is not known yet may be open. */
  readonly listed: boolean;
  /** Names that, as a label, say who works on an issue: agents' ids that are nobody's capability. */
  readonly agents: ReadonlySet<string>;
  readonly now: number;
}

type Want = TaskPlan['want'];

/** The forge's clock and ours differ a little: a picture this young may be older than our own write. */
const OWN_WRITE_SLACK_MS = 2000;

const held = (reason: string, graceMs: number | null = null): Want => ({
  state: 'held',
  reason,
  graceMs,
});

function has(issue: Issue, label: string): boolean {
  return issue.labels.some((name) => name.toLowerCase() === label);
}

export function dependenciesOf(issue: Issue): number[] {
  const fromBody = dependenciesFromBody(issue.body, issue.repository);
  const all = new Set([...issue.blockedBy, ...fromBody]);
  all.delete(issue.number);
  return [...all].sort((a, b) => a - b);
}

/** Labels that matching looks at. What Banto wrote itself says nothing about the work. */
export function matchLabelsOf(issue: Issue, known: MirroredIssue | null): string[] {
  const own = new Set(
    [...(known?.issue.written ?? []), ...(known?.issue.wanted ?? [])].map((l) => l.toLowerCase()),
  );
  const labels = issue.labels.map((label) => label.toLowerCase());
  return [...new Set(labels)].filter((label) => !isLedgerLabel(label) && !own.has(label)).sort();
}

/**
 * A ledger label that somebody else put there. What Banto wrote, or may just have written, says nothing:
 * the store knows better.
 */
function showsForeign(issue: Issue, known: MirroredIssue | null, label: string): boolean {
  if (!has(issue, label)) return false;
  if (known === null) return true;
  if (known.issue.written.includes(label) || known.issue.wanted.includes(label)) return false;
  return !mayPredateOwnWrite(issue, known);
}

/** True when the picture may have been taken before our last write of labels arrived. */
export function mayPredateOwnWrite(issue: Issue, known: MirroredIssue): boolean {
  const { writtenAt } = known.issue;
  return writtenAt !== null && issue.updatedAt <= writtenAt + OWN_WRITE_SLACK_MS;
}

/** `in-progress` that no lease of ours explains: another tool, or a lease that the store has lost. */
function isForeignProgress(issue: Issue, known: MirroredIssue | null, now: number): boolean {
  if (!has(issue, IN_PROGRESS)) return false;
  if (known === null) return true;
  if (known.tasks.some((task) => task.state === 'leased')) return false;
  const adopted = known.tasks.find((t) => t.state === 'held' && t.reason === 'in_progress');
  if (adopted !== undefined) return adopted.readyAt !== null && adopted.readyAt > now;
  return showsForeign(issue, known, IN_PROGRESS) && !has(known.issue, IN_PROGRESS);
}

/** The rules that hold for every kind; null: nothing speaks against it. */
function gate(issue: Issue, known: MirroredIssue | null, context: PlanContext): Want | null {
  if (issue.state === 'closed') return { state: 'cancelled', reason: 'issue_closed' };
  if (issue.problem !== null) return held(`malformed:${issue.problem}`);
  const excluded = context.policy.excludedLabels.find((label) =>
    isLedgerLabel(label)
      ? showsForeign(issue, known, label.toLowerCase())
      : has(issue, label.toLowerCase()),
  );
  if (excluded !== undefined) return held(`excluded_label:${excluded}`);
  const dependencies = dependenciesOf(issue);
  const open = dependencies.filter((number) => context.isOpen(number));
  if (open.length > 0) return held(`blocked_by:${open.map((n) => `#${n}`).join(',')}`);
  if (dependencies.length > 0 && !context.listed) return held('listing');
  if (isForeignProgress(issue, known, context.now)) {
    return held('in_progress', context.policy.adoptSeconds * 1000);
  }
  return null;
}

function branchOf(issue: Issue, context: PlanContext): string {
  if (issue.pull !== null && issue.subject !== 'issue') return issue.pull.headBranch;
  const named = branchFromBody(issue.body);
  if (named !== null && isSafeRefName(named, context.defaultBranch)) return named;
  return `feature/issue-${issue.number}`;
}

function priorityFor(kind: TaskKind, issue: Issue, policy: Policy): number {
  if (kind !== 'implement') return issue.subject === 'push' ? PRIORITIES.normal : PRIORITIES.high;
  return issue.priority === null
    ? priorityOf(issue.labels, policy.priorityLabels)
    : PRIORITIES[issue.priority];
}

interface Life {
  /** The round its implement task has; its reviews and fixes count on from here. */
  readonly first: number;
  readonly tasks: readonly Task[];
  /** Reviews and fixes of this life that were not called off. */
  readonly following: readonly Task[];
}

/**
 * The rounds that count now. A reopened issue goes on where closing interrupted it; if nothing was
 * interrupted, all its work was done, and it begins a new life.
 */
function currentLife(issue: Issue, known: MirroredIssue | null): Life {
  const tasks = known?.tasks ?? [];
  const lastRound = Math.max(1, ...tasks.map((task) => task.round));
  const first = lastRound - roundInLife(lastRound) + 1;
  const current = tasks.filter((task) => task.round >= first);
  const reopened = known?.issue.state === 'closed' && issue.state === 'open';
  const worked = current.some((task) => task.state === 'done');
  const interrupted = current.some((task) => task.state === 'cancelled' || task.state === 'dead');
  if (reopened && worked && !interrupted) {
    return { first: nextLife(lastRound), tasks: [], following: [] };
  }
  return {
    first,
    tasks: current,
    following: current.filter((t) => t.kind !== 'implement' && t.state !== 'cancelled'),
  };
}

function implementWant(
  issue: Issue,
  known: MirroredIssue | null,
  life: Life,
  policy: Policy,
): Want {
  const last = life.following.at(-1);
  if (last !== undefined) {
    return held(last.result?.verdict === 'approve' ? 'approved' : 'needs_review');
  }
  if (showsForeign(issue, known, APPROVED)) return held('approved');
  if (policy.requireDeliverables && !hasDeliverables(issue.body, policy.deliverablesHeadings)) {
    return held('no_deliverables');
  }
  return { state: 'ready' };
}

function reviewWant(issue: Issue, context: PlanContext): Want {
  if (context.hasPullRequests && issue.pull === null && issue.subject !== 'push') {
    return held('no_pull_request');
  }
  return {
    state: 'delayed',
    delayMs: context.policy.reviewDelaySeconds * 1000,
    reason: 'review_delay',
  };
}

/** A person asks for a review by the label alone, before any agent has worked on the issue. */
function labelledForReview(issue: Issue, life: Life, known: MirroredIssue | null): boolean {
  if (issue.state === 'closed' || !showsForeign(issue, known, NEEDS_REVIEW)) return false;
  const started = life.tasks.some(
    (t) => t.kind !== 'implement' || ['leased', 'done'].includes(t.state),
  );
  return !started;
}

export function planIssue(
  issue: Issue,
  known: MirroredIssue | null,
  context: PlanContext,
): MirrorEntry {
  const life = currentLife(issue, known);
  const blocked = gate(issue, known, context);
  const branch = branchOf(issue, context);
  const plan = (kind: TaskKind, round: number, want: Want, create: boolean): TaskPlan => ({
    id: taskId({ repository: issue.repository, number: issue.number, kind, round }),
    want: blocked ?? want,
    priority: priorityFor(kind, issue, context.policy),
    branch: kind === 'implement' ? branch : (issue.pull?.headBranch ?? branch),
    prNumber: issue.pull?.number ?? null,
    reviewComments: [],
    authors: [],
    authorFirstMs: 0,
    create,
  });

  const byHand = issue.subject === 'issue' && labelledForReview(issue, life, known);
  const reviewNow = byHand || issue.subject !== 'issue';
  const plans: TaskPlan[] = [];
  if (issue.subject === 'issue') {
    const want = byHand ? held('needs_review') : implementWant(issue, known, life, context.policy);
    plans.push(plan('implement', life.first, want, true));
  }
  for (const task of known?.tasks ?? []) {
    if (task.kind === 'implement' && task.round === life.first) continue;
    if (task.round < life.first) continue;
    const want =
      task.kind === 'review' ? reviewWant(issue, context) : ({ state: 'ready' } as const);
    plans.push(plan(task.kind, task.round, want, false));
  }
  const reviewId = plan('review', life.first, { state: 'ready' }, true).id;
  if (reviewNow && !plans.some((p) => p.id === reviewId)) {
    plans.push(plan('review', life.first, reviewWant(issue, context), true));
  }
  return {
    issue,
    matchLabels: matchLabelsOf(issue, known),
    dependsOn: dependenciesOf(issue),
    plans,
    ...ledgerOf(issue, known, life, byHand, context),
  };
}

/** Labels change with the tasks, not with the mirror; except where a label of somebody else is taken over. */
function ledgerOf(
  issue: Issue,
  known: MirroredIssue | null,
  life: Life,
  byHand: boolean,
  { agents, now }: PlanContext,
): Pick<MirrorEntry, 'ledger' | 'adopt'> {
  const begunAnew = known !== null && known.tasks.length > 0 && life.tasks.length === 0;
  if (begunAnew) return { ledger: [] };
  if (byHand) return { ledger: [NEEDS_REVIEW], adopt: [NEEDS_REVIEW] };
  const adopted = known?.tasks.find((t) => t.state === 'held' && t.reason === 'in_progress');
  if (adopted !== undefined && has(issue, IN_PROGRESS) && (adopted.readyAt ?? 0) <= now) {
    const names = issue.labels.filter((label) => agents.has(label));
    return { ledger: known?.issue.wanted ?? [], adopt: [IN_PROGRESS, ...names] };
  }
  if (issue.state === 'closed' && known !== null && known.issue.state === 'open') {
    const leased = known.tasks.some((task) => task.state === 'leased');
    return leased ? { ledger: known.issue.wanted.filter(isLastingLabel) } : {};
  }
  return {};
}

/** A closed issue keeps the outcome, not the name of whoever was at work. */
function isLastingLabel(label: string): boolean {
  return label === APPROVED || label === NEEDS_REVIEW;
}
