// What an issue, as the forge shows it now, asks of its tasks. Pure: the mirror reads, plans and stores.

import type { Issue } from '../issue.ts';
import { hasDeliverables } from '../issue-text/body.ts';
import { isSafeRefName } from '../issue-text/ref-name.ts';
import { APPROVED, IN_PROGRESS, isLedgerLabel, NEEDS_REVIEW } from '../ledger.ts';
import { PRIORITIES, priorityOf } from '../priority.ts';
import type { Policy } from '../settings.ts';
import type { MirrorEntry, MirroredIssue, TaskPlan } from '../store.ts';
import { nextLife, roundInLife, type Task, type TaskKind, taskId } from '../task.ts';
import { ownBranch, wishOf, wishProblem } from './branch-wish.ts';
import {
  dependenciesOf,
  gate,
  has,
  held,
  mayPredateOwnWrite,
  type PlanContext,
  showsForeign,
  type Want,
} from './plan-gate.ts';
import {
  endedOnForge,
  endingOf,
  isAccepted,
  ledgerAfter,
  reviewToFix,
  reviewToRepeat,
} from './plan-review.ts';

/**
 * Labels that people put there: matching looks at them, and Banto never removes one. What Banto wrote itself says
 * nothing about the work, unless the issue had it before. A picture that may be older than our last write shows
 * agents that we have taken off since.
 */
export function matchLabelsOf(
  issue: Issue,
  known: MirroredIssue | null,
  agents: ReadonlySet<string> = new Set(),
): string[] {
  const lower = (labels: readonly string[]) => labels.map((label) => label.toLowerCase());
  const before = new Set(known?.matchLabels);
  const own = new Set(lower([...(known?.issue.written ?? []), ...(known?.issue.wanted ?? [])]));
  if (known !== null && mayPredateOwnWrite(issue, known)) {
    for (const name of lower([...agents])) own.add(name);
  }
  return [...new Set(lower(issue.labels))]
    .filter((label) => !isLedgerLabel(label) && (before.has(label) || !own.has(label)))
    .sort();
}

/** Whether a label that is new on the issue may be the name of an agent that we have taken off since. */
export function mayShowOldNames(issue: Issue, known: MirroredIssue | null): boolean {
  if (known === null || !mayPredateOwnWrite(issue, known)) return false;
  return matchLabelsOf(issue, known).some((label) => !known.matchLabels.includes(label));
}

/** The branch that work on this issue goes to. What was handed in stays where it is, whatever the text says later. */
function branchOf(issue: Issue, life: Life, context: PlanContext): string {
  const worked = life.tasks.find((task) => task.kind === 'implement' && task.state === 'done');
  if (worked !== undefined) return worked.branch;
  const wish = wishOf(issue);
  const { defaultBranch, wishProblems } = context;
  const followed =
    wish !== null &&
    wishProblem(wish, defaultBranch) === null &&
    wishProblems?.get(issue.number) === undefined;
  return followed ? wish : ownBranch(issue.number);
}

/**
 * The branch of a review or a fix. A pull request's own name for it is a stranger's word: where it is not safe, a review
 * names GitHub's ref of the pull request, and a fix goes to the issue's branch.
 */
function pullBranch(kind: TaskKind, issue: Issue, branch: string, context: PlanContext): string {
  if (issue.pull === null) return branch;
  const { headBranch, number } = issue.pull;
  if (isSafeRefName(headBranch, context.defaultBranch)) return headBranch;
  return kind === 'review' ? `refs/pull/${number}/head` : branch;
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
  readonly beganAt: number;
}

/**
 * The number came back as another issue: other words, and the file was gone, closed, or has another name. An
 * issue that is only edited keeps its name.
 */
function isAnother(issue: Issue, known: MirroredIssue | null, { numbersReturn }: PlanContext) {
  if (numbersReturn !== true || known === null || known.tasks.length === 0) return false;
  const before = known.issue;
  if (issue.problem !== null || before.problem !== null) return false;
  const otherWords = issue.title !== before.title && issue.body !== before.body;
  return otherWords && (before.state === 'closed' || issue.url !== before.url);
}

/**
 * The rounds that count now. A reopened issue goes on where closing interrupted it; if nothing was
 * interrupted, all its work was done, and it begins a new life.
 */
function currentLife(issue: Issue, known: MirroredIssue | null, another: boolean): Life {
  const tasks = known?.tasks ?? [];
  const lastRound = Math.max(1, ...tasks.map((task) => task.round));
  const first = lastRound - roundInLife(lastRound) + 1;
  const current = tasks.filter((task) => task.round >= first);
  const reopened = known?.issue.state === 'closed' && issue.state === 'open';
  const worked = current.some((task) => task.state === 'done' || endedOnForge(task));
  const interrupted = current.some(
    (task) => task.state === 'dead' || (task.state === 'cancelled' && !endedOnForge(task)),
  );
  if (another || (reopened && worked && !interrupted)) {
    return { first: nextLife(lastRound), tasks: [], following: [], beganAt: issue.updatedAt };
  }
  return {
    first,
    tasks: current,
    // What closing called off comes back with the issue, and is followed again.
    following: current.filter(
      (t) => t.kind !== 'implement' && (reopened || t.state !== 'cancelled' || endedOnForge(t)),
    ),
    beganAt: Math.min(...current.map((task) => task.createdAt)),
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
    return held(isAccepted(last) ? 'approved' : 'needs_review');
  }
  if (showsForeign(issue, known, APPROVED)) return held('approved');
  if (policy.requireDeliverables && !hasDeliverables(issue.body, policy.deliverablesHeadings)) {
    return held('no_deliverables');
  }
  return { state: 'ready' };
}

function reviewWant(issue: Issue, context: PlanContext, prNumber: number | null = null): Want {
  const linked = issue.pull !== null || prNumber !== null || issue.subject === 'push';
  if (context.hasPullRequests && !linked) return held('no_pull_request');
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
  const another = isAnother(issue, known, context);
  const life = currentLife(issue, known, another);
  const blocked = gate(issue, known, context);
  const branch = branchOf(issue, life, context);
  const plan = (
    kind: TaskKind,
    round: number,
    want: Want,
    over: Partial<TaskPlan> = {},
  ): TaskPlan => ({
    id: taskId({ repository: issue.repository, number: issue.number, kind, round }),
    want: blocked ?? want,
    priority: priorityFor(kind, issue, context.policy),
    branch: kind === 'implement' ? branch : pullBranch(kind, issue, branch, context),
    // Work in progress is not tied to what a stranger opened: its agent will say which one it is.
    prNumber: kind === 'implement' && issue.pull?.foreign ? null : (issue.pull?.number ?? null),
    reviewComments: [],
    authors: [],
    authorFirstMs: 0,
    create: true,
    ...over,
  });

  const byHand = issue.subject === 'issue' && labelledForReview(issue, life, known);
  const reviewNow = byHand || issue.subject !== 'issue';
  const plans: TaskPlan[] = [];
  if (issue.subject === 'issue') {
    const want = byHand ? held('needs_review') : implementWant(issue, known, life, context.policy);
    plans.push(plan('implement', life.first, want));
  }
  // What was begun for the issue that had this number before is nobody's any more.
  const left = another ? (known?.tasks ?? []) : [];
  for (const { kind, round, state } of left) {
    if (state === 'done' || state === 'cancelled') continue;
    const want = { state: 'cancelled', reason: 'issue_replaced' } as const;
    plans.push(plan(kind, round, want, { create: false, want }));
  }
  const later = life.tasks.filter((t) => t.kind !== 'implement' || t.round !== life.first);
  const open = issue.state === 'open';
  const endings = later.flatMap((task) => {
    const ending = open ? endingOf(issue, task, life.beganAt) : null;
    const want =
      task.kind === 'review'
        ? reviewWant(issue, context, task.prNumber)
        : ({ state: 'ready' } as const);
    // What people decided stands above a reason to wait.
    const ended = ending === null ? {} : { want: { state: 'cancelled', reason: ending } as const };
    plans.push(plan(task.kind, task.round, want, { create: false, ...ended }));
    return ending ?? [];
  });
  const fix = reviewToFix(issue, life.tasks);
  if (fix !== null) {
    const { authors } = fix;
    const authorFirstMs = context.policy.authorFirstSeconds * 1000;
    const reviewComments = issue.pull?.comments ?? [];
    const made = { authors, authorFirstMs, reviewComments };
    plans.push(plan('fix', fix.round, { state: 'ready' }, made));
  }
  const repeat = reviewToRepeat(issue, life.tasks);
  if (repeat !== null) {
    const { authors } = repeat;
    plans.push(plan('review', repeat.round + 1, reviewWant(issue, context), { authors }));
  }
  const reviewId = plan('review', life.first, { state: 'ready' }).id;
  if (reviewNow && !plans.some((p) => p.id === reviewId)) {
    plans.push(plan('review', life.first, reviewWant(issue, context)));
  }
  const decided = ledgerAfter(endings, fix, repeat);
  const ledger =
    decided === undefined
      ? ledgerOf(issue, known, life, byHand, context)
      : { ledger: [...decided] };
  const adopted = new Set(ledger.adopt?.map((label) => label.toLowerCase()));
  return {
    issue,
    matchLabels: matchLabelsOf(issue, known, context.agents).filter((label) => !adopted.has(label)),
    dependsOn: dependenciesOf(issue),
    plans,
    ...ledger,
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
