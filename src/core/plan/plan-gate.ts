// What speaks against offering an issue, whatever the kind of its task. Pure, as the plan it belongs to.

import type { Issue } from '../issue.ts';
import { dependenciesFromBody } from '../issue-text/body.ts';
import { IN_PROGRESS, isLedgerLabel } from '../ledger.ts';
import type { Policy } from '../settings.ts';
import type { MirroredIssue, TaskPlan } from '../store.ts';

export interface PlanContext {
  readonly policy: Policy;
  readonly hasPullRequests: boolean;
  /** A number may come back as another issue. */
  readonly numbersReturn?: boolean;
  readonly defaultBranch: string;
  /** Why the branch that an issue asks for is not used, by its number; missing: it may be. */
  readonly wishProblems?: ReadonlyMap<number, string>;
  /** Which of the numbers the issue waits for are open. */
  readonly isOpen: (number: number) => boolean;
  /** False until everything was listed once: a dependency that is not known yet may be open. */
  readonly listed: boolean;
  /** Names that, as a label, say who works on an issue: agents' ids that are nobody's capability. */
  readonly agents: ReadonlySet<string>;
  readonly now: number;
}

export type Want = TaskPlan['want'];

/** The forge's clock and ours differ a little: a picture this young may be older than our own write. */
const OWN_WRITE_SLACK_MS = 2000;
/** So long after our write, what the forge shows is what there is. */
const LISTING_LAG_MS = 60_000;

export const held = (reason: string, graceMs: number | null = null): Want => ({
  state: 'held',
  reason,
  graceMs,
});

export function has(issue: Issue, label: string): boolean {
  return issue.labels.some((name) => name.toLowerCase() === label);
}

/** Every number that the issue says it waits for, itself included where it does. */
export function namedDependencies(issue: Issue): number[] {
  const fromBody = dependenciesFromBody(issue.body, issue.repository);
  return [...new Set([...issue.blockedBy, ...fromBody])].sort((a, b) => a - b);
}

export function dependenciesOf(issue: Issue): number[] {
  return namedDependencies(issue).filter((number) => number !== issue.number);
}

/**
 * A ledger label that somebody else put there. What Banto wrote, or may just have written, says nothing:
 * the store knows better.
 */
export function showsForeign(issue: Issue, known: MirroredIssue | null, label: string): boolean {
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

/**
 * The same for a picture that was read just now. The date of its last change is our own write's, for as long as nobody
 * else changes it: but a listing does not lag behind for ever.
 */
export function listingMayPredateOwnWrite(
  issue: Issue,
  known: MirroredIssue,
  now: number,
): boolean {
  const { writtenAt } = known.issue;
  if (writtenAt === null || now - writtenAt >= LISTING_LAG_MS) return false;
  return mayPredateOwnWrite(issue, known);
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

function closedReason({ subject, pull }: Issue): string {
  if (subject !== 'pull_request' || pull === null) return 'issue_closed';
  return pull.state === 'open' ? 'pull_linked' : `pull_${pull.state}`;
}

/** The rules that hold for every kind; null: nothing speaks against it. */
export function gate(issue: Issue, known: MirroredIssue | null, context: PlanContext): Want | null {
  if (issue.state === 'closed') return { state: 'cancelled', reason: closedReason(issue) };
  if (issue.problem !== null) return held(`malformed:${issue.problem}`);
  if (issue.hold !== undefined) return held(issue.hold);
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
