// How every transition is decided: found rows, an input and the time lead to new rows, facts and an answer.
// Pure. A store reads what a verb needs, asks it, and applies the decision if what was read still holds.

import type { FactBody } from '../facts.ts';
import type { Issue } from '../issue.ts';
import type { AgentNote } from '../rows/agent-row.ts';
import type { IssueRow } from '../rows/issue-row.ts';
import type { IssueRef, LedgerRow } from '../rows/ledger-row.ts';
import type { TaskRow } from '../rows/task-row.ts';
import { parseTaskId } from '../task.ts';

/** What a verb looks at. A store reads just these rows, and compares just these when it applies. */
export interface Needs {
  readonly tasks: readonly string[];
  /** Its head and its ledger row. */
  readonly issue: IssueRef | null;
}

export interface Found {
  task(id: string): TaskRow | undefined;
  readonly issue: IssueRow | undefined;
  readonly ledger: LedgerRow;
}

/** The instant of a step, by the store's clock. */
export interface Moment {
  readonly now: number;
  /** The next place in line: an instant, strictly rising over all queues of the store. */
  nextPlace(): number;
}

/** What is left out does not change. */
export interface Decision<Answer> {
  readonly tasks?: readonly TaskRow[];
  /** The issue as the forge shows it now, with its head. */
  readonly issue?: { readonly row: IssueRow; readonly picture: Issue };
  readonly ledger?: LedgerRow;
  readonly agents?: readonly AgentNote[];
  readonly facts?: readonly FactBody[];
  /** Applied only while the store's clock has not reached this: the deadline of the lease it stands on. */
  readonly until?: number;
  readonly answer: Answer;
}

export interface Verb<Input, Answer> {
  readonly name: string;
  needs(input: Input): Needs;
  decide(found: Found, input: Input, at: Moment): Decision<Answer>;
}

/** True: there is nothing to apply, only to answer. */
export function changesNothing(decision: Decision<unknown>): boolean {
  const { tasks, issue, ledger, agents, facts } = decision;
  return (
    (tasks === undefined || tasks.length === 0) &&
    issue === undefined &&
    ledger === undefined &&
    (agents === undefined || agents.length === 0) &&
    (facts === undefined || facts.length === 0)
  );
}

/** The needs of a verb on one task; others by name. The id says which issue it belongs to. */
export function needsTask(taskId: string, ...others: string[]): Needs {
  const name = parseTaskId(taskId);
  return {
    tasks: [taskId, ...others],
    issue: name === null ? null : { repository: name.repository, number: name.number },
  };
}
