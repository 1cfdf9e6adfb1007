// The work on an issue as it stands in Redis: one text, because what changes together is compared and set together.
// Its lines: a lease for each claim that came last; the version; the issue; its ledger; its tasks. A claim puts its line
// on top, and whoever reads it unfolds it by the rules of core.

import { createHash } from 'node:crypto';
import {
  leaseTo,
  ledgerOfLease,
  type TakenWrites,
  takeWritesOf,
} from '../../../core/decide/claim.ts';
import type { Issue } from '../../../core/issue.ts';
import {
  decodeIssue,
  decodeLedger,
  decodeTask,
  encodeIssue,
  encodeLedger,
  encodeTask,
  isOpenText,
} from '../../../core/rows/codec.ts';
import type { IssueRow } from '../../../core/rows/issue-row.ts';
import { type IssueRef, type LedgerRow, noLedger } from '../../../core/rows/ledger-row.ts';
import type { LeasedRow, TaskRow } from '../../../core/rows/task-row.ts';
import { OPEN_STATES, type TaskName } from '../../../core/task.ts';

/** A task with the number of the bucket that it is, or was last, filed in. */
export interface FiledTask {
  readonly id: string;
  readonly row: TaskRow;
  readonly bucket: string;
  readonly open: boolean;
  /** As it stands in the text; null: it stands there otherwise, under a lease. */
  readonly line: string | null;
}

export interface Work extends IssueRef {
  readonly name: string;
  /** Its first line: nobody writes the same one again, so that it stands for all of the text. '' where there is none. */
  readonly stamp: string;
  readonly version: number;
  /** Fingerprint of what the forge showed. */
  readonly picture: string;
  /** When the issue was made: what is younger than a loss of data is proved free. */
  readonly born: number;
  /** '' where it was never mirrored. `seenAt` is kept apart, so that looking at an issue changes nothing. */
  readonly issueText: string;
  readonly ledger: LedgerRow;
  /** Null: it stands there otherwise, under a lease. */
  readonly ledgerText: string | null;
  /** In the order they were made. */
  readonly tasks: readonly FiledTask[];
}

/** Names of rows: the work on an issue, and when it was last seen. */
export const issueName = ({ repository, number }: IssueRef): string =>
  `${repository.replace('/', '~')}~${number}`;
export const seenName = (name: string): string => `?${name}`;

export const nameOfTask = (id: string): string => id.slice(0, id.lastIndexOf('~'));

export function issueOfName(name: string): IssueRef {
  const at = name.lastIndexOf('~');
  return { repository: name.slice(0, at).replace('~', '/'), number: Number(name.slice(at + 1)) };
}

export const fingerprintOf = (picture: Issue): string =>
  createHash('sha1').update(JSON.stringify(picture)).digest('base64url').slice(0, 16);

export const findTask = ({ tasks }: Work, id: string): FiledTask | undefined =>
  tasks.find((task) => task.id === id);

/** Taken apart when it is asked for: most steps do not look at it. */
export const issueOf = (work: Work): IssueRow | undefined =>
  work.issueText === '' ? undefined : decodeIssue(work, work.issueText);

export const isOpenWork = ({ tasks }: Work): boolean => tasks.some(({ open }) => open);

interface LeaseLine {
  /** What comes after the issue in the task's id. */
  readonly name: string;
  readonly agentId: string;
  readonly token: string;
  readonly fence: number;
  readonly leaseSeconds: number;
  readonly leasedAt: number;
  readonly expiresAt: number;
  readonly lockMs: number;
  readonly requestId: string | null;
}

/** `L<task> <expires> <token> <agent> <fence> <seconds> <leasedAt> <lockMs> <request as JSON>` */
export function readLeaseLine(line: string): LeaseLine {
  const [name = '', expires, token = '', agentId = '', fence, seconds, leasedAt, lockMs, ...more] =
    line.split(' ');
  return {
    name: name.slice(1),
    agentId,
    token,
    fence: Number(fence),
    leaseSeconds: Number(seconds),
    leasedAt: Number(leasedAt),
    expiresAt: Number(expires),
    lockMs: Number(lockMs),
    requestId: JSON.parse(more.join(' ')) as string | null,
  };
}

/** `<task> <bucket> <lock> <attempts> <text of core>` */
const lineOf = (row: TaskRow, bucket: string, lock: string): string =>
  `${row.kind}.${row.round} ${bucket} ${lock} ${row.attempts} ${encodeTask(row)}`;

export function fileTask(row: TaskRow, bucket: string, lock: string): FiledTask {
  const line = lineOf(row, bucket, lock);
  return { id: row.id, row, bucket, open: OPEN_STATES.includes(row.state), line };
}

/** The fourth space ends what is Redis' own. */
function textIn(line: string): string {
  let at = -1;
  for (let space = 0; space < 4; space += 1) at = line.indexOf(' ', at + 1);
  return line.slice(at + 1);
}

/** Most tasks of an issue have ended, and are not looked at: a row is taken apart when it is asked for. */
function readTask(issue: string, line: string): FiledTask {
  const end = line.indexOf(' ');
  const id = `${issue}~${line.slice(0, end)}`;
  const text = textIn(line);
  let row: TaskRow | null = null;
  return {
    id,
    bucket: line.slice(end + 1, line.indexOf(' ', end + 1)),
    open: isOpenText(text),
    line,
    get row() {
      row ??= decodeTask(id, text);
      return row;
    },
  };
}

/** The fence may be higher than core's own: an instance may have seen more than Redis still knows. */
function withLease(row: TaskRow, line: LeaseLine): LeasedRow {
  const leased = leaseTo(row, line, line.leasedAt);
  return { ...leased, fence: line.fence, lease: { ...leased.lease, fence: line.fence } };
}

export interface Unfolded {
  readonly work: Work;
  readonly before: TaskRow;
  readonly row: LeasedRow;
  readonly taken: TakenWrites;
}

/** Work with the line of a claim on it: what core decides for that claim. Null: it has no such task. */
function unfold(work: Work, text: string): Unfolded | null {
  const line = readLeaseLine(text);
  const { leasedAt, lockMs } = line;
  const task = findTask(work, `${work.name}~${line.name}`);
  if (task === undefined) return null;
  const row = withLease(task.row, line);
  const taken = takeWritesOf(row, ledgerOfLease(work.ledger, row, leasedAt), lockMs, leasedAt);
  const leased: FiledTask = { id: task.id, row, bucket: task.bucket, open: true, line: null };
  return {
    before: task.row,
    row,
    taken,
    work: {
      ...work,
      stamp: `${text}\n`,
      ledger: taken.ledger,
      ledgerText: null,
      tasks: work.tasks.map((one) => (one === task ? leased : one)),
    },
  };
}

/** The work after a claim, whose line comes first. */
export function decodeLeased(name: string, text: string): Unfolded {
  const end = text.indexOf('\n');
  const unfolded = unfold(decodeWork(name, text.slice(end + 1)), text.slice(0, end));
  if (unfolded === null) throw new Error(`The row of ${name} has a lease without its task.`);
  return unfolded;
}

export function decodeWork(name: string, text: string): Work {
  if (text.startsWith('L')) return decodeLeased(name, text).work;
  const { repository, number } = issueOfName(name);
  const [stamp = '', issueText = '', ledgerText = '', ...tasks] = text.split('\n');
  const [version = '', picture = '', born] = stamp.split(' ');
  return {
    repository,
    number,
    name,
    stamp: stamp === '' ? '' : `${stamp}\n`,
    version: Number(version.slice(1)),
    picture,
    born: Number(born ?? 0),
    issueText,
    ledger:
      ledgerText === ''
        ? noLedger({ repository, number })
        : decodeLedger({ repository, number }, ledgerText),
    ledgerText,
    tasks: tasks.map((line) => readTask(name, line)),
  };
}

/** What is left out stays as it is. */
export interface WorkChange {
  readonly issue?:
    | { readonly row: IssueRow; readonly picture: string; readonly born: number }
    | undefined;
  readonly ledger?: LedgerRow;
  readonly tasks?: readonly FiledTask[];
}

/** The next version of it, and its text. `lockOf`: the name of a task's lock. */
export function nextWork(
  before: Work,
  { issue, ledger = before.ledger, tasks = before.tasks }: WorkChange,
  now: number,
  lockOf: (task: TaskName) => string,
): { readonly work: Work; readonly text: string } {
  const { repository, number, name } = before;
  const version = Math.max(before.version + 1, now);
  const picture = issue?.picture ?? before.picture;
  const born = issue?.born ?? before.born;
  const stamp = `v${version} ${picture} ${born}\n`;
  const issueText =
    issue === undefined ? before.issueText : encodeIssue({ ...issue.row, seenAt: 0 });
  const kept = ledger === before.ledger ? before.ledgerText : null;
  const ledgerText = kept ?? encodeLedger(ledger);
  const filed = tasks.map((task) =>
    task.line === null ? fileTask(task.row, task.bucket, lockOf(task.row)) : task,
  );
  let text = `${stamp}${issueText}\n${ledgerText}`;
  for (const { line } of filed) text += `\n${line}`;
  const work: Work = {
    repository,
    number,
    name,
    stamp,
    version,
    picture,
    born,
    issueText,
    ledger,
    ledgerText,
    tasks: filed,
  };
  return { work, text };
}
