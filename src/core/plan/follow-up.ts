// What a finished task leads to. The id alone says kind and round, so nothing has to be read first.

import { APPROVED, deadLedger, NEEDS_REVIEW, waitingLedger } from '../ledger.ts';
import { PRIORITIES } from '../priority.ts';
import type { Policy } from '../settings.ts';
import type { FollowUp } from '../store.ts';
import { roundInLife, type TaskName, taskId, type Verdict } from '../task.ts';

export interface Outcome {
  readonly followUp: FollowUp | null;
  readonly ledger: readonly string[];
}

export function outcomeOf(
  name: TaskName,
  verdict: Verdict | null,
  comments: readonly string[],
  policy: Policy,
  /** False on a forge with pull requests while none is known: people must link one first. */
  reviewable: boolean,
): Outcome {
  if (name.kind !== 'review') {
    return {
      followUp: reviewAt(name, reviewRound(name), policy, reviewable),
      ledger: [NEEDS_REVIEW],
    };
  }
  if (verdict === 'approve') return { followUp: null, ledger: [APPROVED] };
  const exhausted = roundInLife(name.round) >= policy.maxReviewRounds;
  const fix: FollowUp = {
    id: taskId({ ...name, kind: 'fix' }),
    state: exhausted ? 'dead' : 'ready',
    reason: exhausted ? 'too_many_review_rounds' : null,
    delayMs: 0,
    priority: PRIORITIES.high,
    authorFirstMs: policy.authorFirstSeconds * 1000,
    reviewComments: comments,
  };
  return {
    followUp: fix,
    ledger: exhausted ? deadLedger('fix') : waitingLedger('fix'),
  };
}

/** The review that follows a task; null: none does. */
export function reviewAfter(name: TaskName): string | null {
  if (name.kind === 'review') return null;
  const { repository, number } = name;
  return taskId({ repository, number, kind: 'review', round: reviewRound(name) });
}

const reviewRound = ({ kind, round }: TaskName): number => (kind === 'fix' ? round + 1 : round);

function reviewAt(name: TaskName, round: number, policy: Policy, reviewable: boolean): FollowUp {
  return {
    id: taskId({ ...name, kind: 'review', round }),
    state: reviewable ? 'delayed' : 'held',
    reason: reviewable ? 'review_delay' : 'no_pull_request',
    delayMs: policy.reviewDelaySeconds * 1000,
    priority: PRIORITIES.high,
    authorFirstMs: 0,
    reviewComments: [],
  };
}
