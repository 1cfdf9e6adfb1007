// Answers of the API as tests need them, in the shapes of the doors' schemas.

import type { AgentAnswer } from '../../src/doors/schema/agents.ts';
import type { ReadyAnswer } from '../../src/doors/schema/ops.ts';
import type { QueueAnswer } from '../../src/doors/schema/queue.ts';
import type { AssignmentAnswer } from '../../src/doors/schema/request-task.ts';
import type {
  ListedTaskAnswer,
  TaskAnswer,
  TaskDetailAnswer,
} from '../../src/doors/schema/task.ts';

export const AT = '2026-11-15T20:00:00.000Z';

export function taskAnswer(over: Partial<TaskAnswer> = {}): TaskAnswer {
  return {
    task_id: 'shop~7~implement.1',
    kind: 'implement',
    round: 1,
    repository: 'shop',
    issue_id: 7,
    state: 'ready',
    reason: null,
    priority: 50,
    priority_name: 'normal',
    attempts: 0,
    branch_name: 'feature/issue-7',
    pr_number: null,
    review_comments: [],
    authors: [],
    only_agent: null,
    opens_at: null,
    ready_at: null,
    enqueued_at: AT,
    lease: null,
    result: null,
    usage: null,
    limits: null,
    questions: [],
    created_at: AT,
    updated_at: AT,
    ended_at: null,
    ...over,
  };
}

export function leasedTask(over: Partial<ListedTaskAnswer> = {}): ListedTaskAnswer {
  return {
    ...taskAnswer(),
    issue_url: 'http://x/7',
    title: 'Fix the login',
    labels: ['backend'],
    issue_state: 'open',
    state: 'leased',
    lease: {
      agent_id: 'a1',
      fence: 9,
      seconds: 600,
      leased_at: AT,
      expires_at: '2026-11-15T20:10:00.000Z',
    },
    ...over,
  };
}

export function detailAnswer(over: Partial<TaskDetailAnswer> = {}): TaskDetailAnswer {
  return {
    ...leasedTask(),
    body: '## Deliverables\n\n- it works\n',
    earlier_attempts: [],
    history: [],
    next_history_cursor: null,
    ...over,
  };
}

export function assignmentAnswer(over: Partial<AssignmentAnswer> = {}): AssignmentAnswer {
  return {
    issue_id: 7,
    issue_url: 'http://x/7',
    title: 'Fix the login',
    body: '## Deliverables\n\n- it works\n',
    labels: ['backend'],
    branch_name: 'feature/issue-7',
    task_id: 'shop~7~implement.1',
    kind: 'implement',
    repository: 'shop',
    priority: 50,
    attempt: 1,
    pr_number: null,
    review_comments: [],
    handoff: null,
    prompt: 'Please fix the login.',
    ledger: 'written',
    completed_task_id: null,
    lease: { token: 'tok-1', fence: 9, expires_at: AT, seconds: 600 },
    ...over,
  };
}

export function queueAnswer(over: Partial<QueueAnswer> = {}): QueueAnswer {
  return {
    by_state: { held: 1, delayed: 1, ready: 2, leased: 1, done: 5, dead: 0, cancelled: 0 },
    by_priority: { high: 1, normal: 1, low: 0 },
    counts: [],
    oldest_ready_at: AT,
    oldest_age_seconds: 90,
    delayed: [{ task_id: 'shop~3~review.1', ready_at: '2026-11-15T20:05:00.000Z' }],
    waiting: 2,
    forge_budget: null,
    outbox: { pending: 3, failing: 1 },
    ...over,
  };
}

export function agentAnswer(over: Partial<AgentAnswer> = {}): AgentAnswer {
  return {
    agent_id: 'a1',
    capabilities: ['backend', 'go'],
    first_seen_at: AT,
    last_seen_at: AT,
    holds: ['shop~7~implement.1'],
    waiting: false,
    status: 'active',
    ...over,
  };
}

export const READY: ReadyAnswer = {
  ready: true,
  store: { ok: true, error: null },
  forge: { ok: true, error: null },
  mirrored: true,
};
