// Rows as SQLite has them, and the core's words for them.

import type { Issue, StoredIssue } from '../../core/issue.ts';
import type { Write } from '../../core/store.ts';
import type {
  Attempt,
  AttemptOutcome,
  Lease,
  Task,
  TaskKind,
  TaskResult,
  TaskState,
} from '../../core/task.ts';

export interface TaskRow {
  seq: number;
  id: string;
  issue_id: number;
  repository: string;
  number: number;
  kind: TaskKind;
  round: number;
  state: TaskState;
  reason: string | null;
  priority: number;
  pinned: number;
  attempts: number;
  fence: number;
  enqueued_at: number | null;
  ready_at: number | null;
  timed: number;
  lease_agent: string | null;
  lease_token: string | null;
  lease_seconds: number | null;
  leased_at: number | null;
  lease_expires_at: number | null;
  lease_request: string | null;
  authors: string;
  only_agent: string | null;
  opens_at: number | null;
  branch: string;
  pr_number: number | null;
  review_comments: string;
  result: string | null;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
  bucket: string | null;
  score: number | null;
  answered_fence: number | null;
}

/** A task whose lease columns are filled, as the schema guarantees for `leased`. */
export type LeasedRow = TaskRow & {
  lease_agent: string;
  lease_token: string;
  lease_seconds: number;
  leased_at: number;
  lease_expires_at: number;
};

export function isLeased(row: TaskRow): row is LeasedRow {
  return row.lease_token !== null;
}

/** A lease past its deadline is lost, also before the sweep has come by. */
export function isLive(row: TaskRow, now: number): row is LeasedRow {
  return isLeased(row) && row.lease_expires_at > now;
}

/** Its agent was told of the lease. */
export function isAnswered(row: LeasedRow): boolean {
  return row.answered_fence === row.fence;
}

export function toLease(row: LeasedRow): Lease {
  return {
    agentId: row.lease_agent,
    token: row.lease_token,
    fence: row.fence,
    seconds: row.lease_seconds,
    leasedAt: row.leased_at,
    expiresAt: row.lease_expires_at,
    requestId: row.lease_request,
  };
}

export function toTask(row: TaskRow): Task {
  return {
    id: row.id,
    repository: row.repository,
    number: row.number,
    kind: row.kind,
    round: row.round,
    state: row.state,
    reason: row.reason,
    priority: row.priority,
    attempts: row.attempts,
    fence: row.fence,
    enqueuedAt: row.enqueued_at,
    readyAt: row.ready_at,
    lease: isLeased(row) ? toLease(row) : null,
    authors: strings(row.authors),
    onlyAgent: row.only_agent,
    opensAt: row.opens_at,
    branch: row.branch,
    prNumber: row.pr_number,
    reviewComments: strings(row.review_comments),
    result: row.result === null ? null : (JSON.parse(row.result) as TaskResult),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
  };
}

export interface IssueRow {
  id: number;
  seen_at: number;
  match_labels: string;
  wanted: string;
  written: string;
  written_at: number | null;
  picture: string;
}

export function toIssue(row: IssueRow): StoredIssue {
  return {
    ...(JSON.parse(row.picture) as Issue),
    wanted: strings(row.wanted),
    written: strings(row.written),
    writtenAt: row.written_at,
    seenAt: row.seen_at,
  };
}

export interface AttemptRow {
  agent_id: string;
  fence: number;
  branch: string | null;
  started_at: number;
  ended_at: number | null;
  outcome: AttemptOutcome | null;
  note: string | null;
  progress: string;
}

export function toAttempt(row: AttemptRow): Attempt {
  return {
    agentId: row.agent_id,
    fence: row.fence,
    branch: row.branch,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    outcome: row.outcome,
    note: row.note,
    progress: strings(row.progress),
  };
}

export interface WriteRow {
  id: string;
  type: Write['type'];
  repository: string;
  number: number;
  task_id: string | null;
  fence: number | null;
  branch: string | null;
  event: string | null;
  version: number;
  locked_version: number | null;
  attempts: number;
  available_at: number;
}

export function toWrite(row: WriteRow): Write {
  return {
    id: row.id,
    type: row.type,
    repository: row.repository,
    number: row.number,
    taskId: row.task_id,
    fence: row.fence,
    branch: row.branch,
    event: row.event,
    version: row.version,
    attempts: row.attempts,
  };
}

export function strings(json: string): string[] {
  return JSON.parse(json) as string[];
}
