// Mirror: one issue as the forge shows it, and what it asks of its tasks.

import { answeredOf, type Question } from '../attempt/question.ts';
import { BantoError } from '../errors.ts';
import type { FactBody } from '../facts.ts';
import type { IssueRow } from '../rows/issue-row.ts';
import type { TaskRow } from '../rows/task-row.ts';
import type { MirrorEntry, TaskPlan } from '../store.ts';
import { parseTaskId } from '../task.ts';
import { cancelTask } from './cancel.ts';
import { enter } from './ending.ts';
import { newTask } from './new-task.ts';
import { holdAfterLease, planFromNothing, planMeets, type Turn } from './plan-meets.ts';
import type { Found, Moment, Verb } from './verb.ts';
import { adopt, ledgerIfChanged, want } from './wants.ts';

interface Planned {
  readonly row: TaskRow;
  readonly facts: readonly FactBody[];
}

function make(plan: TaskPlan, questions: readonly Question[], at: Moment): Planned | null {
  const turn = planFromNothing(plan.want, at.now);
  if (turn === null) return null;
  const name = parseTaskId(plan.id);
  if (name === null) throw new BantoError('invalid_request', `${plan.id} names no task.`);
  const { state, reason, readyAt } = turn;
  const { id, priority, authors, authorFirstMs, branch, prNumber, reviewComments } = plan;
  const about = { priority, authors, authorFirstMs, branch, prNumber, reviewComments, questions };
  const reservedFrom = readyAt ?? at.now;
  const row = newTask({ id, ...name, state, reason, readyAt, reservedFrom, ...about }, at);
  const told = { taskId: id, state, kind: name.kind } as const;
  return { row, facts: [{ type: 'accepted', ...told, priority, reason }] };
}

/** What a plan brings beside the state. A pull request that only an agent reported is not forgotten. */
function takeOver(
  found: TaskRow,
  plan: TaskPlan,
): Pick<TaskRow, 'priority' | 'branch' | 'prNumber' | 'holdAfter'> {
  return {
    holdAfter: found.state === 'leased' ? holdAfterLease(plan.want) : null,
    priority: found.pinned ? found.priority : plan.priority,
    branch: found.state === 'leased' ? found.branch : plan.branch,
    prNumber: plan.prNumber ?? found.prNumber,
  };
}

function turnTo(found: TaskRow, plan: TaskPlan, turn: Turn, at: Moment): TaskRow {
  const { state, reason, readyAt, timed } = turn;
  // Only a reopened issue leads out of `cancelled`: the task begins again, its fence stays.
  const begun: TaskRow =
    found.state === 'cancelled'
      ? {
          ...found,
          attempts: 0,
          enqueuedAt: null,
          createdAt: at.now,
          endedAt: null,
          reviewComments: plan.reviewComments,
        }
      : found;
  return { ...enter(begun, state, reason, at), readyAt, timed };
}

function turnFact(found: TaskRow, turn: Turn): FactBody {
  const { state, reason, readyAt } = turn;
  const taskId = found.id;
  switch (state) {
    case 'ready': {
      const because = found.state === 'cancelled' ? 'reopened' : null;
      return { type: 'ready', taskId, state, reason: because };
    }
    case 'delayed':
      return { type: 'delayed', taskId, state, reason, readyAt: readyAt ?? 0 };
    case 'held':
      return { type: 'held', taskId, state, reason: reason ?? '' };
  }
}

/** Null: the plan changes nothing. */
export function meet(
  found: TaskRow,
  plan: TaskPlan,
  reopened: boolean,
  at: Moment,
): Planned | null {
  const { now } = at;
  const decided = planMeets(found, plan.want, now, reopened);
  const turn = decided === 'cancel' ? null : decided;
  const taken = takeOver(found, plan);
  const moved = taken.priority !== found.priority;
  const differs =
    moved ||
    taken.branch !== found.branch ||
    taken.prNumber !== found.prNumber ||
    taken.holdAfter !== found.holdAfter;
  if (decided === null && !differs) return null;
  const facts: FactBody[] = [];
  let row: TaskRow = { ...found, ...taken, updatedAt: now };
  if (moved) {
    const { id: taskId, state } = found;
    facts.push({ type: 'prioritized', taskId, state, priority: taken.priority });
  }
  if (turn !== null) {
    row = turnTo(row, plan, turn, at);
    facts.push(turnFact(found, turn));
  }
  if (decided === 'cancel' && plan.want.state === 'cancelled') {
    const cancelled = cancelTask(row, plan.want.reason, now);
    row = cancelled.row;
    facts.push(cancelled.fact);
  }
  return { row, facts };
}

function rowOf({ issue, matchLabels, dependsOn }: MirrorEntry, now: number): IssueRow {
  const { repository, number, state, updatedAt } = issue;
  const labels = [...new Set([...issue.labels.map((l) => l.toLowerCase()), ...matchLabels])];
  return { repository, number, state, updatedAt, seenAt: now, matchLabels, labels, dependsOn };
}

/** Each task has what was answered in those before it: the longest list is the whole one. */
function answeredBefore(found: Found, { plans }: MirrorEntry): readonly Question[] {
  return plans
    .map(({ id }) => answeredOf(found.task(id)?.questions ?? []))
    .reduce((longest, one) => (one.length > longest.length ? one : longest), []);
}

function planned(found: Found, entry: MirrorEntry, at: Moment): Planned[] {
  const reopened = found.issue?.state === 'closed' && entry.issue.state === 'open';
  const all = new Map<string, Planned>();
  for (const plan of entry.plans) {
    // Two plans for one task: the second meets what the first has made of it.
    const earlier = all.get(plan.id);
    const before = earlier?.row ?? found.task(plan.id);
    const made = () => (plan.create ? make(plan, answeredBefore(found, entry), at) : null);
    const next = before === undefined ? made() : meet(before, plan, reopened, at);
    if (next === null) continue;
    all.set(plan.id, { row: next.row, facts: [...(earlier?.facts ?? []), ...next.facts] });
  }
  return [...all.values()];
}

export const mirror: Verb<MirrorEntry, void> = {
  name: 'mirror',
  needs: ({ issue, plans }) => ({
    tasks: plans.map(({ id }) => id),
    issue: { repository: issue.repository, number: issue.number },
  }),
  decide(found, entry, at) {
    const { now } = at;
    const { issue } = entry;
    // Older than what is stored: ignored altogether.
    if (found.issue !== undefined && issue.updatedAt < found.issue.updatedAt) {
      return { answer: undefined };
    }
    const tasks = planned(found, entry, at);
    let { ledger } = found;
    if (entry.adopt !== undefined) ledger = adopt(ledger, entry.adopt, now);
    if (entry.ledger !== undefined) ledger = want(ledger, entry.ledger, now);
    return {
      tasks: tasks.map(({ row }) => row),
      issue: { row: rowOf(entry, now), picture: issue },
      ...ledgerIfChanged(found.ledger, ledger),
      facts: tasks.flatMap(({ facts }) => facts),
      answer: undefined,
    };
  },
};
