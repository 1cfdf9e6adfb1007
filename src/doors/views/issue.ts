// An issue of the backlog as JSON.

import type { BacklogIssue } from '../../broker/broker.ts';
import type { IssueAnswer } from '../schema/issues.ts';

export function issueView({ issue, task }: BacklogIssue): IssueAnswer {
  return {
    number: issue.number,
    repository: issue.repository,
    title: issue.title,
    body: issue.body,
    url: issue.url,
    labels: [...issue.labels],
    state: issue.state,
    priority: issue.priority,
    blocked_by: [...issue.blockedBy],
    problem: issue.problem,
    task: task === null ? null : { task_id: task.id, state: task.state, reason: task.reason },
  };
}
