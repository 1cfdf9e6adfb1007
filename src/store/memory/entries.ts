// What is in memory of tasks and issues, and the text it is kept as: the work on an issue is its ledger, and a line for
// each of its tasks with its number, the numbers of its facts and what its id says beside the issue. One text, because
// what changes together is written together.

import {
  decodeIssue,
  decodeLedger,
  decodeTask,
  encodeLedger,
  encodeTask,
  isOpenText,
} from '../../core/rows/codec.ts';
import type { IssueRow } from '../../core/rows/issue-row.ts';
import type { IssueRef, LedgerRow } from '../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../core/rows/task-row.ts';
import { OPEN_STATES, taskId } from '../../core/task.ts';
import type { KeptIssue } from './archive.ts';
import type { Timed } from './deadlines.ts';
import type { Lane } from './lane.ts';

export interface TaskEntry extends Timed<TaskEntry> {
  readonly seq: number;
  readonly id: string;
  readonly issue: IssueEntry;
  row: TaskRow;
  /** Numbers of its facts, rising; replaced, never changed. */
  facts: readonly number[];
  /** The bucket it stands in while it is ready. */
  lane: Lane<TaskEntry> | null;
  /** As it is kept, once it has ended. */
  text: string | null;
}

/** A task that has ended: hardly ever looked at again. */
export interface EndedTask {
  readonly seq: number;
  readonly id: string;
  readonly row: null;
  readonly text: string;
}

export interface IssueEntry extends Timed<IssueEntry> {
  readonly seq: number;
  row: IssueRow;
  ledger: LedgerRow;
  /** All its tasks, in the order in which they were made. */
  readonly tasks: (TaskEntry | EndedTask)[];
  /** True while its labels count as used. */
  busy: boolean;
  /** True while it is at hand: among the issues of the memory. */
  lives: boolean;
  /** As the archive has it. */
  kept: IssueRow | null;
}

/** `facts`: numbers of its facts so far. */
export function taskEntry(
  { seq, id }: Pick<TaskEntry, 'seq' | 'id'>,
  issue: IssueEntry,
  row: TaskRow,
  facts: readonly number[] = [],
): TaskEntry {
  return { seq, id, issue, row, facts, lane: null, text: null, timer: null };
}

/** `kept`: the row as the archive has it; null: it has none yet. */
export function issueEntry(
  seq: number,
  row: IssueRow,
  ledger: LedgerRow,
  kept: IssueRow | null,
): IssueEntry {
  return { seq, row, ledger, tasks: [], busy: false, lives: false, kept, timer: null };
}

export const isOpenRow = (row: Pick<TaskRow, 'state'>): boolean => OPEN_STATES.includes(row.state);

export const isOpenTask = (task: TaskEntry | EndedTask): task is TaskEntry =>
  task.row !== null && isOpenRow(task.row);

function textOf(task: TaskEntry | EndedTask): string {
  if (task.row === null) return task.text;
  if (task.text !== null) return task.text;
  const { seq, row, facts } = task;
  // Joined, so that what stays of an ended task is one flat string: those put together by `+` are kept in pieces.
  const text = [seq, facts.join(), `${row.kind}.${row.round}`, encodeTask(row)].join(' ');
  if (!isOpenRow(row)) task.text = text;
  return text;
}

export function encodeWork({ ledger, tasks }: IssueEntry): string {
  let text = encodeLedger(ledger);
  for (const task of tasks) text += `\n${textOf(task)}`;
  return text;
}

/** What the ids of an issue's tasks begin with. */
function idsOf({ repository, number }: IssueRef): string {
  const id = taskId({ repository, number, kind: 'fix', round: 1 });
  return id.slice(0, id.lastIndexOf('~') + 1);
}

function partsOf(text: string): [seq: number, facts: string, name: string, row: string] {
  const first = text.indexOf(' ');
  const second = text.indexOf(' ', first + 1);
  const third = text.indexOf(' ', second + 1);
  const [facts, name] = [text.slice(first + 1, second), text.slice(second + 1, third)];
  return [Number(text.slice(0, first)), facts, name, text.slice(third + 1)];
}

/** The task as it was when it ended; no part of its issue until it is put there. */
export function revive(ended: EndedTask, issue: IssueEntry): TaskEntry {
  const [, facts, , row] = partsOf(ended.text);
  const numbers = facts === '' ? [] : facts.split(',').map(Number);
  return taskEntry(ended, issue, decodeTask(ended.id, row), numbers);
}

export function decodeWork(kept: KeptIssue): IssueEntry {
  const [ledger = '', ...texts] = kept.work.split('\n');
  const row = decodeIssue(kept, kept.row);
  const issue = issueEntry(kept.seq, row, decodeLedger(kept, ledger), row);
  const start = idsOf(kept);
  for (const text of texts) {
    const [seq, , name, state] = partsOf(text);
    const ended: EndedTask = { seq, id: start + name, row: null, text };
    issue.tasks.push(isOpenText(state) ? revive(ended, issue) : ended);
  }
  return issue;
}

/** All tasks of an issue, whether they have ended or not. */
export const entriesOf = (issue: IssueEntry): TaskEntry[] =>
  issue.tasks.map((task) => (task.row === null ? revive(task, issue) : task));

// V8 gives a field that has only ever held 0 no room for an instant: the first lease would outdate the shape of every
// row in memory, and each would be moved to the new one when it is next touched. So a row with large numbers comes
// first, and is kept.
const shapes: IssueEntry[] = [];
shapes.push(
  decodeWork({
    seq: 0,
    repository: 'o/r',
    number: 1,
    row: '[0,0.5,0.5,[],[],[]]',
    work: '[[],[],0.5,0.5,[[0,null,0.5,null,null,0.5,0.5,0,0.5,null]]]\n0  fix.1 r0.5 [0,0,0.5,0.5,0.5,0.5,"",0,0,0]',
  }),
);
