// What every verb is made with: the parts of one open database.

import type { DatabaseSync } from 'node:sqlite';
import type { Attempt } from '../../core/task.ts';
import type { Committer } from './commit.ts';
import type { Journal } from './journal.ts';
import { createLeases, type Leases } from './leases.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { type AttemptRow, type IssueRow, type TaskRow, toAttempt } from './rows.ts';
import { createShelf, type Shelf } from './shelf.ts';
import { all, first, loadStatements } from './statements.ts';

interface Issues {
  find(id: number): IssueRow;
  numbered(repository: string, number: number): IssueRow | undefined;
  open(repository: string, after: number, limit: number): IssueRow[];
  tasks(issueId: number): TaskRow[];
  dependents(repository: string, number: number): number[];
}

export interface Kit extends Pick<Committer, 'write' | 'read'> {
  readonly db: DatabaseSync;
  readonly journal: Journal;
  readonly shelf: Shelf;
  readonly ledger: Ledger;
  readonly leases: Leases;
  readonly issues: Issues;
  attempts(taskId: string): Attempt[];
}

export function createKit(db: DatabaseSync, journal: Journal, committer: Committer): Kit {
  const attempts = loadStatements(db, 'attempt', [
    'list',
    'byToken',
    'byFence',
    'last',
    'begin',
    'forget',
    'end',
  ]);
  const shelf = createShelf(db);
  const ledger = createLedger(db);
  return {
    db,
    journal,
    shelf,
    ledger,
    leases: createLeases(db, attempts, shelf, ledger),
    issues: createIssues(db),
    attempts: (taskId) => all<AttemptRow>(attempts.list, { task_id: taskId }).map(toAttempt),
    write: committer.write,
    read: committer.read,
  };
}

function createIssues(db: DatabaseSync): Issues {
  const sql = loadStatements(db, 'issue', ['find', 'numbered', 'open', 'tasks', 'dependents']);
  return {
    find(id) {
      const row = first<IssueRow>(sql.find, { id });
      if (row === undefined) throw new Error(`Issue row ${id} is missing.`);
      return row;
    },
    numbered: (repository, number) => first<IssueRow>(sql.numbered, { repository, number }),
    open: (repository, after, limit) => all<IssueRow>(sql.open, { repository, after, limit }),
    tasks: (issueId) => all<TaskRow>(sql.tasks, { issue_id: issueId }),
    dependents: (repository, number) =>
      all<{ number: number }>(sql.dependents, { repository, number }).map((row) => row.number),
  };
}
