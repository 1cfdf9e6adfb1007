// The work on an issue as one text: its ledger, and a line for each of its tasks with its number, the numbers of its
// facts and what its id says beside the issue. One text, because what changes together is written together.

import {
  decodeIssue,
  decodeLedger,
  decodeTask,
  encodeLedger,
  encodeTask,
  isOpenText,
} from '../../core/rows/codec.ts';
import type { IssueRef } from '../../core/rows/ledger-row.ts';
import { taskId } from '../../core/task.ts';
import type { KeptIssue } from './archive.ts';
import { type EndedTask, type IssueEntry, isOpenRow, type TaskEntry } from './entries.ts';

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
export function revive({ seq, id, text }: EndedTask, issue: IssueEntry): TaskEntry {
  const [, facts, , row] = partsOf(text);
  const numbers = facts === '' ? [] : facts.split(',').map(Number);
  return {
    seq,
    id,
    issue,
    row: decodeTask(id, row),
    facts: numbers,
    lane: null,
    text: null,
    timer: null,
  };
}

export function decodeWork(kept: KeptIssue): IssueEntry {
  const [ledger = '', ...texts] = kept.work.split('\n');
  const row = decodeIssue(kept, kept.row);
  const issue: IssueEntry = {
    seq: kept.seq,
    row,
    ledger: decodeLedger(kept, ledger),
    tasks: [],
    busy: false,
    lives: false,
    kept: row,
    timer: null,
  };
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
