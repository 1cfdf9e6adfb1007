// What is wanted on an issue, and the outbox entries that bring it there: written in the verb's own step.

import type { DatabaseSync } from 'node:sqlite';
import { issueKey } from '../../core/issue.ts';
import type { Write } from '../../core/store.ts';
import { strings, type TaskRow, toWrite, type WriteRow } from './rows.ts';
import { first, loadStatements } from './statements.ts';

interface IssueLedger {
  id: number;
  repository: string;
  number: number;
  wanted: string;
  written: string;
}

/** The lease a write belongs to. */
type Behind = Pick<TaskRow, 'id' | 'fence'>;
type Place = Pick<IssueLedger, 'repository' | 'number'>;

export interface Ledger {
  /** Sets the labels wanted on an issue; where that is a change, its one entry becomes due. */
  want(issueId: number, labels: readonly string[], now: number, lease?: Behind): void;
  /** Takes over labels that somebody else put there: from now on they are removed unless wanted. */
  adopt(issueId: number, labels: readonly string[], now: number): void;
  /** Has the labels written again, unless that is due already. */
  touchLabels(place: Place, now: number): void;
  writeBranch(task: TaskRow, now: number): void;
  writeComment(task: TaskRow, event: string, now: number): void;
  /**
   * Branch and labels of a lease: those the caller now has the lock for, and how many are not done.
   * A null lock only counts.
   */
  take(task: TaskRow, now: number, lockMs: number | null): { writes: Write[]; unwritten: number };
  lock(row: WriteRow, until: number): Write;
  find(id: string): WriteRow | undefined;
}

export function createLedger(db: DatabaseSync): Ledger {
  const sql = loadStatements(db, 'ledger', [
    'issue',
    'want',
    'own',
    'begin',
    'pending',
    'version',
    'enqueue',
    'find',
    'lock',
  ]);

  function enqueue(
    entry: Place & { id: string; type: Write['type']; branch?: string; event?: string },
    now: number,
    lease?: Behind,
  ): void {
    const version = first<{ value: number }>(sql.version)?.value ?? 0;
    sql.enqueue.run({
      id: entry.id,
      type: entry.type,
      repository: entry.repository,
      number: entry.number,
      task_id: lease?.id ?? null,
      fence: lease?.fence ?? null,
      branch: entry.branch ?? null,
      event: entry.event ?? null,
      version,
      now,
    });
  }

  const find = (id: string): WriteRow | undefined => first<WriteRow>(sql.find, { id });

  function lock(row: WriteRow, until: number): Write {
    sql.lock.run({ id: row.id, until });
    if (row.type === 'labels') {
      sql.begin.run({ repository: row.repository, number: row.number });
    }
    return toWrite(row);
  }

  function writeLabels(place: Place, now: number, lease?: Behind): void {
    const { repository, number } = place;
    enqueue({ id: labelsId(place), type: 'labels', repository, number }, now, lease);
  }

  const isPending = (place: Place) => first(sql.pending, { id: labelsId(place) }) !== undefined;

  return {
    find,
    lock,
    touchLabels(place, now) {
      if (!isPending(place)) writeLabels(place, now);
    },
    adopt(issueId, labels, now) {
      const issue = first<IssueLedger>(sql.issue, { id: issueId });
      if (issue === undefined) return;
      const written = [...new Set([...strings(issue.written), ...labels])];
      sql.own.run({ id: issueId, written: JSON.stringify(written) });
      if (!sameLabels(written, strings(issue.wanted)) && !isPending(issue)) writeLabels(issue, now);
    },
    want(issueId, labels, now, lease) {
      const issue = first<IssueLedger>(sql.issue, { id: issueId });
      if (issue === undefined || sameLabels(strings(issue.wanted), labels)) return;
      sql.want.run({ id: issueId, wanted: JSON.stringify(labels) });
      if (!isPending(issue) && sameLabels(strings(issue.written), labels)) return;
      writeLabels(issue, now, lease);
    },
    writeBranch(task, now) {
      const { repository, number, branch } = task;
      enqueue({ id: branchId(task), type: 'branch', repository, number, branch }, now, task);
    },
    writeComment(task, event, now) {
      const { repository, number, id } = task;
      const key = `comment:${id}:${event}`;
      enqueue({ id: key, type: 'comment', repository, number, event }, now, task);
    },
    take(task, now, lockMs) {
      const rows = [find(branchId(task)), find(labelsId(task))].filter((row) => row !== undefined);
      if (lockMs === null) return { writes: [], unwritten: rows.length };
      const free = rows.filter((row) => row.available_at <= now);
      return { writes: free.map((row) => lock(row, now + lockMs)), unwritten: rows.length };
    },
  };
}

function labelsId(place: Place): string {
  return `labels:${issueKey(place.repository, place.number)}`;
}

function branchId(task: TaskRow): string {
  return `branch:${task.id}`;
}

/** Labels compare without case and without order. */
function sameLabels(a: readonly string[], b: readonly string[]): boolean {
  const key = (labels: readonly string[]) =>
    JSON.stringify([...new Set(labels.map((label) => label.toLowerCase()))].sort());
  return key(a) === key(b);
}
