// Facts as they stand in the stream: one entry for each step, `0-<number of its last fact>`, with the instant and
// then two texts for each fact. A lease is written down as the line it put on its task.

import { leasedFact } from '../../../core/decide/claim.ts';
import type { Fact, FactBody } from '../../../core/facts.ts';
import { enqueuedAtOfScore, priorityOfScore } from '../../../core/priority.ts';
import type { TaskRow } from '../../../core/rows/task-row.ts';
import { parseTaskId, type TaskState } from '../../../core/task.ts';
import { readLeaseLine } from './work.ts';

/** How a fact changed what is counted: `from to before after`, states and priorities; '' where nothing did. */
export interface FactLine {
  readonly shift: string;
  readonly body: string;
  readonly fact: FactBody;
  readonly moved: Shift | null;
}

export interface CountedFact {
  readonly fact: Fact;
  readonly shift: Shift | null;
  /** Where this instance did it itself: what the fact left. */
  readonly left?: Left | undefined;
  /** The same fact as JSON, without its number and instant. */
  readonly body?: string;
}

export interface Left {
  readonly row: TaskRow;
  /** As it was before; null: there was none, undefined: that is not known. */
  readonly before?: TaskRow | null | undefined;
  /** Some task of its issue is leased. */
  readonly leased: boolean;
}

export interface Shift {
  readonly from: TaskState | 'none';
  readonly to: TaskState;
  readonly before: number;
  readonly after: number;
}

export function factLine(fact: FactBody, shift: Shift | null = null): FactLine {
  const said = shift === null ? '' : `${shift.from} ${shift.to} ${shift.before} ${shift.after}`;
  return { shift: said, body: JSON.stringify(fact), fact, moved: shift };
}

/** The facts of a change, the first of each task with how that task moved. */
export function factLines(
  facts: readonly FactBody[],
  moves: ReadonlyMap<string, Shift>,
): FactLine[] {
  const left = new Map(moves);
  return facts.map((fact) => {
    if (!('taskId' in fact)) return factLine(fact);
    const shift = left.get(fact.taskId) ?? null;
    left.delete(fact.taskId);
    return factLine(fact, shift);
  });
}

export const leaseShift = (priority: number): Shift => ({
  from: 'ready',
  to: 'leased',
  before: priority,
  after: priority,
});

/** `L <score> <attempts>` and `<issue>\n<line>`. */
function readLease(key: string, value: string): { fact: FactBody; shift: Shift } {
  const [, score, attempts] = key.split(' ');
  const end = value.indexOf('\n');
  const { name, leaseSeconds: seconds, lockMs: _, ...lease } = readLeaseLine(value.slice(end + 1));
  const id = `${value.slice(0, end)}~${name}`;
  const enqueuedAt = enqueuedAtOfScore(Number(score));
  // The task as far as its fact looks at it.
  const row = { id, ...parseTaskId(id), attempts: Number(attempts), enqueuedAt } as TaskRow;
  const fresh = { answered: false, progress: [], usage: null, pausedUntil: null };
  const leased = { ...row, lease: { ...lease, seconds, ...fresh } };
  return { fact: leasedFact(leased), shift: leaseShift(priorityOfScore(Number(score))) };
}

/** All facts of an entry, in order. */
export function readEntry([id, fields]: [string, string[]]): CountedFact[] {
  const at = Number(fields[1]);
  const count = (fields.length - 2) / 2;
  const first = Number(id.slice(2)) - count + 1;
  return Array.from({ length: count }, (_, index) => {
    const key = fields[2 + 2 * index] ?? '';
    const value = fields[3 + 2 * index] ?? '';
    const seq = first + index;
    if (key.startsWith('L ')) {
      const { fact, shift } = readLease(key, value);
      return { fact: { seq, at, ...fact }, shift };
    }
    const body = JSON.parse(value) as FactBody;
    if (key === '') return { fact: { seq, at, ...body }, shift: null };
    const [from, to, before, after] = key.split(' ') as [TaskState, TaskState, string, string];
    const shift = { from, to, before: Number(before), after: Number(after) };
    return { fact: { seq, at, ...body }, shift };
  });
}
