// A task as JSON. A lease's token and request id stay inside: whoever reads them could act as its holder.

import type { ListedTask } from '../../broker/broker.ts';
import { isOpen, type Question } from '../../core/attempt/question.ts';
import { priorityName } from '../../core/priority.ts';
import type { TaskDetail } from '../../core/store.ts';
import type { Attempt, Lease, Task, TaskResult } from '../../core/task.ts';
import type { Usage } from '../../core/usage.ts';
import type {
  AttemptView,
  ListedTaskAnswer,
  TaskAnswer,
  TaskDetailAnswer,
} from '../schema/task.ts';
import { eventView } from './event.ts';
import { instant, instantOrNull } from './instant.ts';
import { usedView } from './used.ts';

function leaseView(lease: Lease): NonNullable<TaskAnswer['lease']> {
  return {
    agent_id: lease.agentId,
    fence: lease.fence,
    seconds: lease.seconds,
    leased_at: instant(lease.leasedAt),
    expires_at: instant(lease.expiresAt),
  };
}

function resultView(result: TaskResult): NonNullable<TaskAnswer['result']> {
  return {
    agent_id: result.agentId,
    summary: result.summary,
    verdict: result.verdict,
    comments: [...result.comments],
    at: instant(result.at),
  };
}

function usageView(usage: Usage): NonNullable<AttemptView['usage']> {
  return {
    model: usage.model,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cached_tokens: usage.cachedTokens,
    cost_usd: usage.costUsd,
    turns: usage.turns,
    session_id: usage.sessionId,
  };
}

function questionView(question: Question, task: Task): TaskAnswer['questions'][number] {
  return {
    question_id: question.id,
    agent_id: question.agentId,
    question: question.question,
    asked_at: instant(question.askedAt),
    answer: question.answer,
    answered_at: instantOrNull(question.answeredAt),
    open: isOpen(question, task.lease?.fence ?? null),
  };
}

export function attemptView(attempt: Attempt): AttemptView {
  return {
    agent_id: attempt.agentId,
    fence: attempt.fence,
    branch_name: attempt.branch,
    started_at: instant(attempt.startedAt),
    ended_at: instantOrNull(attempt.endedAt),
    outcome: attempt.outcome,
    note: attempt.note,
    progress: [...attempt.progress],
    usage: attempt.usage === null ? null : usageView(attempt.usage),
  };
}

export function taskView(task: Task): TaskAnswer {
  return {
    task_id: task.id,
    kind: task.kind,
    round: task.round,
    repository: task.repository,
    issue_id: task.number,
    state: task.state,
    reason: task.reason,
    priority: task.priority,
    priority_name: priorityName(task.priority),
    attempts: task.attempts,
    branch_name: task.branch,
    pr_number: task.prNumber,
    review_comments: [...task.reviewComments],
    authors: [...task.authors],
    only_agent: task.onlyAgent,
    opens_at: instantOrNull(task.opensAt),
    ready_at: instantOrNull(task.readyAt),
    enqueued_at: instantOrNull(task.enqueuedAt),
    lease: task.lease === null ? null : leaseView(task.lease),
    result: task.result === null ? null : resultView(task.result),
    usage: task.used === null ? null : usedView(task.used),
    limits:
      task.limits === null ? null : { cost_usd: task.limits.costUsd, tokens: task.limits.tokens },
    questions: task.questions.map((question) => questionView(question, task)),
    created_at: instant(task.createdAt),
    updated_at: instant(task.updatedAt),
    ended_at: instantOrNull(task.endedAt),
  };
}

export function listedTaskView({ task, issue }: ListedTask): ListedTaskAnswer {
  return {
    ...taskView(task),
    issue_url: issue.url,
    title: issue.title,
    labels: [...issue.labels],
    issue_state: issue.state,
  };
}

export function taskDetailView(detail: TaskDetail): TaskDetailAnswer {
  const { issue, attempts, history, nextHistoryCursor } = detail;
  return {
    ...listedTaskView(detail),
    body: issue.body,
    earlier_attempts: attempts.map(attemptView),
    history: history.map(eventView),
    next_history_cursor: nextHistoryCursor,
  };
}
