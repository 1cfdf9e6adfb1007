// Rows as they stand in Redis: a short first line that a step can read, then the text of core's codec. A claim puts
// a line on top of a task's row, and one on top of its issue's ledger; here they are unfolded, by the rules of core.

import { createHash } from 'node:crypto';
import { leaseTo, ledgerOfLease, takeWritesOf } from '../../../core/decide/claim.ts';
import type { Issue } from '../../../core/issue.ts';
import {
  decodeIssue,
  decodeLedger,
  decodeTask,
  encodeIssue,
  encodeLedger,
  encodeTask,
} from '../../../core/rows/codec.ts';
import type { IssueRow } from '../../../core/rows/issue-row.ts';
import { type IssueRef, type LedgerRow, noLedger } from '../../../core/rows/ledger-row.ts';
import type { LeasedRow, TaskRow } from '../../../core/rows/task-row.ts';
import { parseTaskId } from '../../../core/task.ts';

/** A task with where it is filed, and when its issue was made (what is younger than a loss is proved free). */
export interface FiledTask {
  readonly text: string;
  readonly row: TaskRow;
  readonly bucket: string;
  readonly born: number;
}

export interface IssueHead {
  readonly text: string;
  /** `seenAt` is kept apart, so that looking at an issue changes nothing that others compare. */
  readonly row: IssueRow;
  /** How many of its tasks are in an open state. */
  readonly open: number;
  /** Fingerprint of what the forge showed. */
  readonly picture: string;
  /** Ids of its tasks, in the order they were made. */
  readonly tasks: readonly string[];
}

export interface Ledger {
  readonly text: string;
  readonly row: LedgerRow;
}

/** Names of rows: a task's id; for an issue its head, its ledger, and when it was last seen. */
export const issueName = ({ repository, number }: IssueRef): string =>
  `${repository.replace('/', '~')}~${number}`;
export const headName = (ref: IssueRef): string => `!${issueName(ref)}`;
export const ledgerName = (ref: IssueRef): string => `#${issueName(ref)}`;
export const seenName = (ref: IssueRef): string => `?${issueName(ref)}`;
/** The number of the last fact that the projection has derived from. */
export const PROJECTED = ':projected';

export function issueOfName(name: string): IssueRef {
  const at = name.lastIndexOf('~');
  return { repository: name.slice(0, at).replace('~', '/'), number: Number(name.slice(at + 1)) };
}

export const fingerprintOf = (picture: Issue): string =>
  createHash('sha1').update(JSON.stringify(picture)).digest('base64url').slice(0, 16);

export function encodeFiled(row: TaskRow, bucket: string, born: number, lock: string): FiledTask {
  const body = encodeTask(row);
  const initial = body.charAt(0);
  const first = `${initial}${row.fence} ${bucket} ${row.attempts} ${born} ${lock} ${JSON.stringify(row.branch)}`;
  return { text: `${first}\n${body}`, row, bucket, born };
}

interface LeaseLine {
  readonly agentId: string;
  readonly token: string;
  readonly fence: number;
  readonly leaseSeconds: number;
  readonly leasedAt: number;
  readonly expiresAt: number;
  readonly requestId: string | null;
}

/**
 * What a step compares a row with. Each claim puts a line on top that no other has (its token, its fence), and whoever
 * writes the row again takes it away: the line alone says that nothing under it has changed.
 */
export function expectedText(text: string): string {
  return /^[LB]/.test(text) ? text.slice(0, text.indexOf('\n') + 1) : text;
}

/** `L<expires> <token> <agent> <fence> <seconds> <leasedAt> <request as JSON>` */
export function readLeaseLine(line: string): LeaseLine {
  const [expires = '', token = '', agentId = '', fence, seconds, leasedAt, ...request] =
    line.split(' ');
  return {
    agentId,
    token,
    fence: Number(fence),
    leaseSeconds: Number(seconds),
    leasedAt: Number(leasedAt),
    expiresAt: Number(expires.slice(1)),
    requestId: JSON.parse(request.join(' ')) as string | null,
  };
}

/** The fence may be higher than core's own: an instance may have seen more than Redis still knows. */
function withLease(row: TaskRow, line: LeaseLine): LeasedRow {
  const leased = leaseTo(row, line, line.leasedAt);
  return { ...leased, fence: line.fence, lease: { ...leased.lease, fence: line.fence } };
}

export function decodeFiled(id: string, text: string): FiledTask {
  const end = text.indexOf('\n');
  const first = text.slice(0, end);
  const rest = text.slice(end + 1);
  if (first.startsWith('L')) {
    const before = decodeFiled(id, rest);
    return { ...before, text, row: withLease(before.row, readLeaseLine(first)) };
  }
  const [, bucket = '0', , born] = first.split(' ');
  return { text, row: decodeTask(id, rest), bucket, born: Number(born) };
}

/** `B<leasedAt> <fence> <lockMs> <id> <agent> <branch as JSON>` */
function withLeaseOf(before: LedgerRow, line: string): LedgerRow {
  const [at = '', fence, lockMs, id = '', agentId, ...name] = line.split(' ');
  const now = Number(at.slice(1));
  const kind = parseTaskId(id)?.kind ?? 'implement';
  // What these two look at: the rest of the row is the task's own business.
  const branch = JSON.parse(name.join(' ')) as string;
  const row = { id, kind, fence: Number(fence), branch, lease: { agentId } } as LeasedRow;
  const wanted = ledgerOfLease(before, row, now);
  return takeWritesOf(row, wanted, Number(lockMs), now).ledger;
}

export function decodeLedgerText(ref: IssueRef, text: string): Ledger {
  if (text === '') return { text, row: noLedger(ref) };
  if (!text.startsWith('B')) return { text, row: decodeLedger(ref, text) };
  const end = text.indexOf('\n');
  const before = decodeLedgerText(ref, text.slice(end + 1));
  return { text, row: withLeaseOf(before.row, text.slice(0, end)) };
}

export function encodeLedgerText(row: LedgerRow): Ledger {
  return { text: encodeLedger(row), row };
}

export function encodeHead(
  row: IssueRow,
  open: number,
  picture: string,
  tasks: readonly string[],
): IssueHead {
  const first = [open, picture, ...tasks].join(' ');
  const text = `${first}\n${encodeIssue({ ...row, seenAt: 0 })}`;
  return { text, row, open, picture, tasks };
}

export function decodeHead(ref: IssueRef, text: string): IssueHead {
  const end = text.indexOf('\n');
  const [open, picture = '', ...tasks] = text.slice(0, end).split(' ');
  return { text, row: decodeIssue(ref, text.slice(end + 1)), open: Number(open), picture, tasks };
}
