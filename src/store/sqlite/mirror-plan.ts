// One plan of a mirrored issue, applied: what `planMeets` decides is written and recorded.

import type { StatementSync } from 'node:sqlite';
import { BantoError } from '../../core/errors.ts';
import type { TaskPlan } from '../../core/store.ts';
import { parseTaskId } from '../../core/task.ts';
import type { CancelTask } from './cancel.ts';
import type { Step } from './commit.ts';
import type { Kit } from './kit.ts';
import { planFromNothing, planMeets, type Turn } from './plan-meets.ts';
import type { TaskRow } from './rows.ts';
import { set } from './statements.ts';

export interface PlanStep {
  make(issueId: number, plan: TaskPlan, step: Step): void;
  meet(found: TaskRow, plan: TaskPlan, reopened: boolean, step: Step): void;
}

export function createPlanStep(
  { shelf }: Kit,
  sql: Record<'plan' | 'planLeased', StatementSync>,
  cancelTask: CancelTask,
): PlanStep {
  function make(issueId: number, plan: TaskPlan, step: Step): void {
    const turn = planFromNothing(plan.want, step.now);
    if (turn === null) return;
    const name = parseTaskId(plan.id);
    if (name === null) throw new BantoError('invalid_request', `${plan.id} names no task.`);
    const { state, reason, readyAt } = turn;
    const reserved = plan.authorFirstMs > 0 ? (plan.authors.at(-1) ?? null) : null;
    shelf.make(
      {
        id: plan.id,
        issue_id: issueId,
        ...name,
        state,
        reason,
        readyAt,
        priority: plan.priority,
        authors: plan.authors,
        onlyAgent: reserved,
        opensAt: reserved === null ? null : (readyAt ?? step.now) + plan.authorFirstMs,
        branch: plan.branch,
        pr_number: plan.prNumber,
        reviewComments: plan.reviewComments,
      },
      step.now,
    );
    const { id: taskId, priority } = plan;
    step.append({ type: 'accepted', taskId, state, kind: name.kind, priority, reason });
  }

  /** What a plan brings beside the state. A pull request that only an agent reported is not forgotten. */
  function taken(found: TaskRow, plan: TaskPlan) {
    return {
      priority: found.pinned === 1 ? found.priority : plan.priority,
      branch: found.state === 'leased' ? found.branch : plan.branch,
      pr_number: plan.prNumber ?? found.pr_number,
    };
  }

  function write(found: TaskRow, plan: TaskPlan, turn: Turn | null, step: Step): void {
    const { now } = step;
    const { priority, branch, pr_number } = taken(found, plan);
    // Only a reopened issue leads out of `cancelled`: the task begins anew, its fence stays.
    const anew = turn !== null && found.state === 'cancelled';
    const state = turn?.state ?? found.state;
    set(sql.plan, {
      id: found.id,
      state,
      reason: turn === null ? found.reason : turn.reason,
      ready_at: turn === null ? found.ready_at : turn.readyAt,
      timed: (turn?.timed ?? found.timed === 1) ? 1 : 0,
      priority,
      branch,
      pr_number,
      attempts: anew ? 0 : found.attempts,
      created_at: anew ? now : found.created_at,
      ended_at: anew ? null : found.ended_at,
      review_comments: anew ? JSON.stringify(plan.reviewComments) : found.review_comments,
      now,
      ...shelf.file(
        { ...found, priority, enqueued_at: anew ? null : found.enqueued_at },
        state,
        now,
      ),
    });
  }

  function takeOver(found: TaskRow, plan: TaskPlan, turn: Turn | null, step: Step): void {
    const { priority, branch, pr_number } = taken(found, plan);
    const moved = priority !== found.priority;
    const differs = moved || branch !== found.branch || pr_number !== found.pr_number;
    if (turn === null && !differs) return;
    if (found.state === 'leased') {
      set(sql.planLeased, { id: found.id, priority, pr_number, now: step.now });
    } else {
      write(found, plan, turn, step);
    }
    if (moved) step.append({ type: 'prioritized', taskId: found.id, state: found.state, priority });
  }

  return {
    make,
    meet(found, plan, reopened, step) {
      const decided = planMeets(found, plan.want, step.now, reopened);
      const turn = decided === 'cancel' ? null : decided;
      takeOver(found, plan, turn, step);
      if (turn !== null) recordTurn(found, turn, step);
      if (decided === 'cancel' && plan.want.state === 'cancelled') {
        cancelTask(shelf.get(found.id), plan.want.reason, step);
      }
    },
  };
}

function recordTurn(found: TaskRow, turn: Turn, step: Step): void {
  const head = { taskId: found.id, state: turn.state };
  switch (turn.state) {
    case 'ready': {
      const reason = found.state === 'cancelled' ? 'reopened' : null;
      step.append({ type: 'ready', ...head, reason });
      return;
    }
    case 'delayed':
      step.append({ type: 'delayed', ...head, reason: turn.reason, readyAt: turn.readyAt ?? 0 });
      return;
    case 'held':
      step.append({ type: 'held', ...head, reason: turn.reason ?? '' });
  }
}
