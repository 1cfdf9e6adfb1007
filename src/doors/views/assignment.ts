// The answer to request-task: the only place where a lease's token is shown.

import type { Assignment } from '../../broker/broker.ts';
import type { AssignmentAnswer } from '../schema/request-task.ts';
import { instant } from './instant.ts';
import { attemptView } from './task.ts';

export function assignmentView(
  assignment: Assignment,
  completedTaskId: string | null = null,
): AssignmentAnswer {
  const { task, issue, lease, handoff, prompt, ledger } = assignment;
  return {
    issue_id: issue.number,
    issue_url: issue.url,
    title: issue.title,
    body: issue.body,
    labels: [...issue.labels],
    branch_name: task.branch,
    task_id: task.id,
    kind: task.kind,
    repository: task.repository,
    priority: task.priority,
    attempt: task.attempts + 1,
    pr_number: task.prNumber,
    review_comments: [...task.reviewComments],
    handoff: handoff === null ? null : handoff.map(attemptView),
    prompt,
    ledger,
    completed_task_id: completedTaskId,
    lease: {
      token: lease.token,
      fence: lease.fence,
      expires_at: instant(lease.expiresAt),
      seconds: lease.seconds,
    },
  };
}
