// What people did about a round on the forge: they approved, asked for changes, merged or closed. Their word ends
// what no agent has begun yet. Pure, as the plan it belongs to.

import type { Issue } from '../issue.ts';
import { APPROVED, NEEDS_REVIEW, waitingLedger } from '../ledger.ts';
import type { Task } from '../task.ts';

const FORGE_ENDINGS = [
  'approved_on_forge',
  'changes_requested_on_forge',
  'pull_merged',
  'pull_closed',
] as const;
type ForgeEnding = (typeof FORGE_ENDINGS)[number];

/** GitHub dates to the second, downwards: a word in the second of the task's making is not older than the task. */
const SECOND_MS = 1000;

const ACCEPTED: readonly string[] = ['approved_on_forge', 'pull_merged'];

/** A task that people ended on the forge: its round was finished, not interrupted. */
export function endedOnForge(task: Task): boolean {
  const reasons: readonly (string | null)[] = FORGE_ENDINGS;
  return task.state === 'cancelled' && reasons.includes(task.reason);
}

export function isAccepted(task: Task): boolean {
  if (endedOnForge(task)) return ACCEPTED.includes(task.reason ?? '');
  return task.result?.verdict === 'approve';
}

function isWaiting(task: Task): boolean {
  return ['held', 'delayed', 'ready'].includes(task.state);
}

/** A word about an earlier round says nothing about this one. */
function decisionOn(issue: Issue, review: Task): 'approved' | 'changes_requested' | null {
  const { decision, decidedAt, state } = issue.pull ?? {};
  if (decision === undefined || decidedAt === undefined || decidedAt === null) return null;
  return state === 'open' && decidedAt + SECOND_MS > review.createdAt ? decision : null;
}

/** How people ended this task on the forge; null: they did not, or an agent has it. */
export function endingOf(issue: Issue, task: Task, lifeBeganAt: number): ForgeEnding | null {
  const { pull } = issue;
  if (pull === null || task.kind === 'implement' || !isWaiting(task)) return null;
  if (pull.state !== 'open') {
    // One that ended before this life of the issue began belongs to an earlier one.
    if (pull.endedAt === null || pull.endedAt + SECOND_MS <= lifeBeganAt) return null;
    return pull.state === 'merged' ? 'pull_merged' : 'pull_closed';
  }
  if (task.kind !== 'review') return null;
  const decision = decisionOn(issue, task);
  if (decision === null) return null;
  return decision === 'approved' ? 'approved_on_forge' : 'changes_requested_on_forge';
}

/** The review whose request for changes, made by people, still waits for its fix. */
export function reviewToFix(issue: Issue, tasks: readonly Task[]): Task | null {
  const review = tasks.findLast((task) => task.kind === 'review');
  if (review === undefined || issue.state === 'closed') return null;
  if (tasks.some((task) => task.kind === 'fix' && task.round >= review.round)) return null;
  // The word of a person stands above an agent's approval.
  const open = isWaiting(review) || (review.state === 'done' && isAccepted(review));
  return open && decisionOn(issue, review) === 'changes_requested' ? review : null;
}

/** The task that closing the pull request ended, where one is open again: the review begins a new round. */
export function reviewToRepeat(issue: Issue, tasks: readonly Task[]): Task | null {
  if (issue.subject !== 'issue' || issue.state === 'closed' || issue.pull?.state !== 'open')
    return null;
  const last = tasks.findLast((task) => task.kind !== 'implement') ?? null;
  return last?.state === 'cancelled' && last.reason === 'pull_closed' ? last : null;
}

/** The labels that an ending, a fix or a new round asks for; undefined: none of these happened. */
export function ledgerAfter(
  endings: readonly ForgeEnding[],
  fix: Task | null,
  repeat: Task | null,
): readonly string[] | undefined {
  if (repeat !== null) return [NEEDS_REVIEW];
  if (endings.some((ending) => ACCEPTED.includes(ending))) return [APPROVED];
  return fix !== null || endings.length > 0 ? waitingLedger('fix') : undefined;
}
