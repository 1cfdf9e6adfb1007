// What people are to see on one issue, and every write that is still to be made there: one row for each issue.

import { issueKey } from '../issue.ts';
import type { Write } from '../store.ts';
import { parseTaskId } from '../task.ts';

/** An entry of the outbox. */
export interface WriteRow {
  readonly type: Write['type'];
  /** The lease it belongs to, where there is one; a branch and a comment always name their task. */
  readonly taskId: string | null;
  readonly fence: number | null;
  readonly branch: string | null;
  readonly event: string | null;
  readonly version: number;
  /** The version that somebody is writing now. */
  readonly lockedVersion: number | null;
  readonly attempts: number;
  /** When it may be taken; while it is locked, when the lock ends. */
  readonly availableAt: number;
  readonly error: string | null;
  readonly late: LateWrite | null;
}

/** Somebody had an entry and never said what became of it: what they write may still arrive. */
export interface LateWrite {
  readonly until: number;
  /** The version that they had; 0 where there were several. */
  readonly version: number;
}

export interface LedgerRow {
  readonly repository: string;
  readonly number: number;
  readonly wanted: readonly string[];
  /** What Banto put there, or may have. */
  readonly written: readonly string[];
  readonly writtenAt: number | null;
  /** The last version given to a write of this issue; it only rises. */
  readonly version: number;
  readonly writes: readonly WriteRow[];
}

export interface IssueRef {
  readonly repository: string;
  readonly number: number;
}

export function noLedger({ repository, number }: IssueRef): LedgerRow {
  const nothing: readonly string[] = [];
  return {
    repository,
    number,
    wanted: nothing,
    written: nothing,
    writtenAt: null,
    version: 0,
    writes: [],
  };
}

/** When the first of its writes may be taken; null: there is nothing to write. */
export function firstWriteAt({ writes }: Pick<LedgerRow, 'writes'>): number | null {
  let first: number | null = null;
  for (const { availableAt } of writes) {
    if (first === null || availableAt < first) first = availableAt;
  }
  return first;
}

/** How many writes wait, and how many of them have failed before. */
export function countWrites({ writes }: Pick<LedgerRow, 'writes'>): {
  pending: number;
  failing: number;
} {
  let failing = 0;
  for (const { attempts } of writes) if (attempts > 0) failing += 1;
  return { pending: writes.length, failing };
}

/** Ids say which issue and which entry of it is meant, so that nothing has to be looked up by id. */
export function writeId(ref: IssueRef, write: Pick<WriteRow, 'type' | 'taskId' | 'event'>): string {
  switch (write.type) {
    case 'labels':
      return `labels:${issueKey(ref.repository, ref.number)}`;
    case 'branch':
    case 'pull':
      return `${write.type}:${write.taskId}`;
    case 'comment':
      return `comment:${write.taskId}:${write.event}`;
  }
}

/** The issue that a write belongs to; null: no such id was ever given out. */
export function issueOfWrite(id: string): IssueRef | null {
  const rest = id.slice(id.indexOf(':') + 1);
  if (id.startsWith('labels:')) {
    const at = rest.lastIndexOf('#');
    const number = Number(rest.slice(at + 1));
    return at > 0 && Number.isInteger(number) ? { repository: rest.slice(0, at), number } : null;
  }
  const name = parseTaskId(id.startsWith('comment:') ? rest.slice(0, rest.lastIndexOf(':')) : rest);
  return name === null ? null : { repository: name.repository, number: name.number };
}

/**
 * Of these ledgers: ids of writes that may be taken by then, oldest first, and when the next one may that is not among
 * them. `othersAt`: when the first of all other ledgers has one.
 */
export function dueWrites(
  ledgers: Iterable<LedgerRow>,
  until: number,
  limit: number,
  othersAt: number | null,
): { readonly ids: string[]; readonly nextAt: number | null } {
  const due: { readonly id: string; readonly at: number }[] = [];
  let nextAt = othersAt ?? Number.POSITIVE_INFINITY;
  for (const ledger of ledgers) {
    for (const write of ledger.writes) {
      const at = write.availableAt;
      if (at > until) nextAt = Math.min(nextAt, at);
      else due.push({ id: writeId(ledger, write), at });
    }
  }
  due.sort((a, b) => a.at - b.at);
  nextAt = Math.min(nextAt, due[limit]?.at ?? nextAt);
  const ids = due.slice(0, limit).map(({ id }) => id);
  return { ids, nextAt: Number.isFinite(nextAt) ? nextAt : null };
}

export function toWrite(ledger: LedgerRow, row: WriteRow): Write {
  const { type, taskId, fence, branch, event, version, attempts } = row;
  const { repository, number } = ledger;
  const id = writeId(ledger, row);
  return { id, type, repository, number, taskId, fence, branch, event, version, attempts };
}
