// Files tasks: makes them, and finds the bucket and score of one that becomes ready.

import type { DatabaseSync } from 'node:sqlite';
import { bucketKey } from '../../core/match.ts';
import { nextEnqueueAt, score } from '../../core/priority.ts';
import type { TaskState } from '../../core/task.ts';
import { strings, type TaskRow } from './rows.ts';
import { all, first, loadStatements, set } from './statements.ts';

type Reservation = Pick<TaskRow, 'enqueued_at' | 'only_agent' | 'opens_at'>;
type Filing = Reservation & Pick<TaskRow, 'bucket' | 'score'>;
type Fileable = Reservation &
  Pick<TaskRow, 'issue_id' | 'repository' | 'kind' | 'priority' | 'authors'>;

interface NewTask
  extends Pick<
    TaskRow,
    | 'id'
    | 'issue_id'
    | 'repository'
    | 'number'
    | 'kind'
    | 'round'
    | 'priority'
    | 'branch'
    | 'pr_number'
  > {
  readonly state: TaskState;
  readonly reason: string | null;
  readonly readyAt: number | null;
  readonly authors: readonly string[];
  readonly onlyAgent: string | null;
  readonly opensAt: number | null;
  readonly reviewComments: readonly string[];
}

export interface Shelf {
  find(id: string): TaskRow | undefined;
  get(id: string): TaskRow;
  make(task: NewTask, now: number): void;
  /** How a task in this state is filed; a place in the queue that it has is kept. */
  file(task: Fileable, state: TaskState, now: number): Filing;
  /** Files a ready task anew after its labels changed. */
  refile(task: TaskRow, now: number): void;
}

export function createShelf(db: DatabaseSync): Shelf {
  const sql = loadStatements(db, 'task', [
    'find',
    'make',
    'relevant',
    'lastEnqueued',
    'enqueue',
    'refile',
  ]);
  const find = (id: string): TaskRow | undefined => first<TaskRow>(sql.find, { id });

  function relevantLabels(issueId: number): string[] {
    return all<{ label: string }>(sql.relevant, { issue_id: issueId }).map((row) => row.label);
  }

  /** Strictly rising over all queues, so that a task may change its priority and never ties. */
  function enqueue(now: number): number {
    const last = first<{ value: number }>(sql.lastEnqueued)?.value ?? 0;
    const at = nextEnqueueAt(now, last);
    sql.enqueue.run({ at });
    return at;
  }

  function file(task: Fileable, state: TaskState, now: number): Filing {
    const opened = task.opens_at !== null && task.opens_at <= now;
    const only_agent = opened ? null : task.only_agent;
    const opens_at = opened ? null : task.opens_at;
    if (state !== 'ready') {
      return { bucket: null, score: null, enqueued_at: task.enqueued_at, only_agent, opens_at };
    }
    const enqueued_at = task.enqueued_at ?? enqueue(now);
    const bucket = bucketKey({
      repository: task.repository,
      kind: task.kind,
      priority: task.priority,
      authors: strings(task.authors),
      only: only_agent,
      labels: relevantLabels(task.issue_id),
    });
    return { bucket, score: score(task.priority, enqueued_at), enqueued_at, only_agent, opens_at };
  }

  return {
    find,
    file,
    get(id) {
      const row = find(id);
      if (row === undefined) throw new Error(`Task ${id} vanished within its own step.`);
      return row;
    },
    make(task, now) {
      const { readyAt, authors, onlyAgent, opensAt, reviewComments, ...columns } = task;
      const bare = {
        ...columns,
        authors: JSON.stringify(authors),
        only_agent: onlyAgent,
        opens_at: opensAt,
        enqueued_at: null,
      };
      sql.make.run({
        ...bare,
        ready_at: readyAt,
        review_comments: JSON.stringify(reviewComments),
        now,
        ...file(bare, task.state, now),
      });
    },
    refile(task, now) {
      const filing = file(task, 'ready', now);
      if (filing.bucket !== task.bucket) {
        set(sql.refile, { id: task.id, now, ...filing });
      }
    },
  };
}
