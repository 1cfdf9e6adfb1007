// What is wanted on an issue, and the entries of its outbox that bring it there. Pure: a ledger row in, one out.

import { nextFence } from '../attempt/lease.ts';
import type { LateWrite, LedgerRow, WriteRow } from '../rows/ledger-row.ts';
import type { TaskRow } from '../rows/task-row.ts';

/** The lease that a write belongs to. */
type Behind = Pick<TaskRow, 'id' | 'fence'>;
type Entry = Pick<WriteRow, 'type' | 'taskId' | 'event'>;

export const isSameWrite = (a: Entry, b: Entry): boolean =>
  a.type === b.type && (a.type === 'labels' || (a.taskId === b.taskId && a.event === b.event));

export function findWrite(ledger: LedgerRow, entry: Entry): WriteRow | undefined {
  return ledger.writes.find((write) => isSameWrite(write, entry));
}

export const LABELS: Entry = { type: 'labels', taskId: null, event: null };
export const branchOf = (task: Pick<TaskRow, 'id'>): Entry => ({
  type: 'branch',
  taskId: task.id,
  event: null,
});

export function replaceWrite(ledger: LedgerRow, write: WriteRow): LedgerRow {
  const writes = ledger.writes.map((other) => (isSameWrite(other, write) ? write : other));
  return { ...ledger, writes };
}

/**
 * A later step on the same entry merges with it: new version, due at once. A lock stays, so that the write
 * that is under way ends first.
 */
function enqueue(
  ledger: LedgerRow,
  entry: Entry & { readonly branch: string | null },
  fence: number | null,
  now: number,
): LedgerRow {
  const version = nextFence(ledger.version, now);
  const before = findWrite(ledger, entry);
  if (before === undefined) {
    const write: WriteRow = {
      type: entry.type,
      taskId: entry.taskId,
      fence,
      branch: entry.branch,
      event: entry.event,
      version,
      lockedVersion: null,
      attempts: 0,
      availableAt: now,
      error: null,
      late: null,
    };
    return { ...ledger, version, writes: [...ledger.writes, write] };
  }
  const locked = before.lockedVersion !== null && before.availableAt > now;
  const availableAt = locked ? before.availableAt : now;
  const { taskId, branch } = entry;
  const write = { ...before, taskId, fence, branch, version, availableAt };
  return replaceWrite({ ...ledger, version }, write);
}

function writeLabels(ledger: LedgerRow, now: number, lease: Behind | null): LedgerRow {
  const entry = { ...LABELS, taskId: lease?.id ?? null, branch: null };
  return enqueue(ledger, entry, lease?.fence ?? null, now);
}

function holdsAll(labels: readonly string[], others: readonly string[]): boolean {
  return others.every(
    (other) =>
      labels.includes(other) || labels.some((label) => label.toLowerCase() === other.toLowerCase()),
  );
}

/** Labels compare without case and without order. */
export function sameLabels(a: readonly string[], b: readonly string[]): boolean {
  return holdsAll(a, b) && holdsAll(b, a);
}

export function join(a: readonly string[], b: readonly string[]): readonly string[] {
  return b.every((label) => a.includes(label)) ? a : [...new Set([...a, ...b])];
}

/** Sets the labels wanted; where the issue may not show them, its one entry becomes due. */
export function want(
  ledger: LedgerRow,
  labels: readonly string[],
  now: number,
  lease: Behind | null = null,
): LedgerRow {
  if (sameLabels(ledger.wanted, labels)) return ledger;
  const next = { ...ledger, wanted: labels };
  const pending = findWrite(ledger, LABELS) !== undefined;
  return !pending && sameLabels(ledger.written, labels) ? next : writeLabels(next, now, lease);
}

/** Takes over labels that somebody else put there: from now on they are removed unless wanted. */
export function adopt(ledger: LedgerRow, labels: readonly string[], now: number): LedgerRow {
  const next = { ...ledger, written: join(ledger.written, labels) };
  const pending = findWrite(ledger, LABELS) !== undefined;
  return pending || sameLabels(next.written, ledger.wanted) ? next : writeLabels(next, now, null);
}

/** Has the labels written again, unless that is due already. */
export function touch(ledger: LedgerRow, now: number): LedgerRow {
  return findWrite(ledger, LABELS) === undefined ? writeLabels(ledger, now, null) : ledger;
}

export function writeBranch(ledger: LedgerRow, task: TaskRow, now: number): LedgerRow {
  return enqueue(ledger, { ...branchOf(task), branch: task.branch }, task.fence, now);
}

/** A pull request is to be opened from the task's branch; its words are in the task's result. */
export function writePull(ledger: LedgerRow, task: TaskRow, now: number): LedgerRow {
  const entry: Entry = { type: 'pull', taskId: task.id, event: null };
  return enqueue(ledger, { ...entry, branch: task.branch }, task.fence, now);
}

export function writeComment(
  ledger: LedgerRow,
  task: Behind,
  event: string,
  now: number,
): LedgerRow {
  const entry: Entry = { type: 'comment', taskId: task.id, event };
  return enqueue(ledger, { ...entry, branch: null }, task.fence, now);
}

/** A lock that ran out, as seen by whoever takes the entry next. */
function lateOf({ lockedVersion, late }: WriteRow, until: number): LateWrite | null {
  if (lockedVersion === null) return late;
  const isOne = late === null || late.version === lockedVersion;
  return { until, version: isOne ? lockedVersion : 0 };
}

/**
 * Locks an entry for whoever carries it out. From here on its labels may stand on the issue, whatever becomes
 * of the writer.
 */
export function lock(ledger: LedgerRow, write: WriteRow, until: number): LedgerRow {
  const late = lateOf(write, until);
  const locked = { ...write, lockedVersion: write.version, availableAt: until, late };
  const next = replaceWrite(ledger, locked);
  if (write.type !== 'labels') return next;
  return { ...next, written: join(next.written, next.wanted) };
}

/** Entries that failed before, and that nobody writes now, are due. */
export function retryFailed(
  ledger: LedgerRow,
  isMeant: (write: WriteRow) => boolean,
  now: number,
): LedgerRow {
  const again = (write: WriteRow) =>
    write.attempts > 0 && write.lockedVersion === null && write.availableAt > now && isMeant(write);
  if (!ledger.writes.some(again)) return ledger;
  const writes = ledger.writes.map((write) =>
    again(write) ? { ...write, availableAt: now } : write,
  );
  return { ...ledger, writes };
}

/** Whoever held a lock is known to be gone: its writes are due now. */
export function abandonLocks(ledger: LedgerRow): LedgerRow {
  if (ledger.writes.every(({ lockedVersion }) => lockedVersion === null)) return ledger;
  const writes = ledger.writes.map((write) =>
    write.lockedVersion === null ? write : { ...write, lockedVersion: null, availableAt: 0 },
  );
  return { ...ledger, writes };
}

/** The ledger where it changed; nothing otherwise. */
export function ledgerIfChanged(before: LedgerRow, after: LedgerRow): { ledger?: LedgerRow } {
  return before === after ? {} : { ledger: after };
}
