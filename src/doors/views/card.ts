// A task as a board shows it.

import type { ListedTask } from '../../broker/broker.ts';
import { isOpen } from '../../core/attempt/question.ts';
import type { Activity } from '../../core/reporting/activity.ts';
import type { Task } from '../../core/task.ts';
import { usdOf } from '../../core/usage.ts';
import type { Card } from '../schema/cards.ts';
import { instant, instantOrNull } from './instant.ts';

/** Where the facts no longer say it, the record's own instants come close. */
function since({ state, lease, enqueuedAt, endedAt, updatedAt }: Task): number {
  if (state === 'leased') return lease?.leasedAt ?? updatedAt;
  if (state === 'ready') return enqueuedAt ?? updatedAt;
  return endedAt ?? updatedAt;
}

function questionView({ questions, lease }: Task): Card['question'] {
  const open = questions.find((question) => isOpen(question, lease?.fence ?? null));
  if (open === undefined) return null;
  return { question_id: open.id, question: open.question, asked_at: instant(open.askedAt) };
}

export function cardView({ task, issue }: ListedTask, activity: Activity): Card {
  const span = activity.openLease(task.id);
  const { lease, result } = task;
  return {
    task_id: task.id,
    repository: task.repository,
    issue_id: task.number,
    issue_url: issue.url,
    issue_state: issue.state,
    kind: task.kind,
    round: task.round,
    state: task.state,
    reason: task.reason,
    priority: task.priority,
    attempts: task.attempts,
    title: issue.title,
    labels: [...issue.labels],
    branch_name: task.branch,
    pr_number: task.prNumber,
    only_agent: task.onlyAgent,
    ready_at: instantOrNull(task.readyAt),
    since: instant(activity.stateSince(task.id, task.state) ?? since(task)),
    lease:
      lease === null
        ? null
        : {
            agent_id: lease.agentId,
            seconds: lease.seconds,
            leased_at: instant(lease.leasedAt),
            expires_at: instant(lease.expiresAt),
            note: span?.note ?? null,
            note_at: instantOrNull(span?.noteAt ?? null),
          },
    question: questionView(task),
    cost_usd: task.used === null ? null : usdOf(task.used.costMicroUsd),
    done_by: result?.agentId ?? null,
    verdict: result?.verdict ?? null,
  };
}
