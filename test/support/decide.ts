// Rows and moments for the tests of decisions: everything a verb needs, as plain values.

import type { Decision, Found, Moment, Verb } from '../../src/core/decide/verb.ts';
import type { IssueRow } from '../../src/core/rows/issue-row.ts';
import { type LedgerRow, noLedger } from '../../src/core/rows/ledger-row.ts';
import type { LeaseRow, PastLease, TaskRow } from '../../src/core/rows/task-row.ts';
import { parseTaskId } from '../../src/core/task.ts';

export const NOW = 1_000_000;
export const ISSUE = { repository: 'octo/park', number: 7 };
export const TASK = 'octo~park~7~implement.1';

export const lease = (over: Partial<LeaseRow> = {}): LeaseRow => ({
  agentId: 'a1',
  token: 't1',
  fence: 5,
  seconds: 60,
  leasedAt: NOW - 10_000,
  expiresAt: NOW + 50_000,
  requestId: null,
  answered: true,
  progress: [],
  usage: null,
  pausedUntil: null,
  ...over,
});

export const past = (over: Partial<PastLease> = {}): PastLease => ({
  agentId: 'a1',
  fence: 5,
  branch: 'topic',
  startedAt: 1,
  endedAt: 2,
  outcome: 'completed',
  note: null,
  progress: [],
  token: 't1',
  report: null,
  usage: null,
  tree: null,
  ...over,
});

export function task(over: Partial<TaskRow> = {}): TaskRow {
  const id = over.id ?? TASK;
  const name = parseTaskId(id);
  if (name === null) throw new Error(id);
  return {
    id,
    ...name,
    state: 'ready',
    reason: null,
    priority: 50,
    attempts: 0,
    fence: 5,
    enqueuedAt: 500,
    readyAt: null,
    lease: null,
    authors: [],
    onlyAgent: null,
    opensAt: null,
    branch: 'topic',
    prNumber: null,
    reviewComments: [],
    result: null,
    createdAt: 400,
    updatedAt: 400,
    endedAt: null,
    pinned: false,
    timed: false,
    overspent: false,
    stuck: false,
    holdAfter: null,
    used: null,
    limits: null,
    questions: [],
    past: [],
    ...over,
  };
}

export const leased = (over: Partial<TaskRow> = {}): TaskRow =>
  task({ state: 'leased', lease: lease(), ...over });

export const issue = (over: Partial<IssueRow> = {}): IssueRow => ({
  ...ISSUE,
  state: 'open',
  updatedAt: 100,
  seenAt: 100,
  matchLabels: ['python'],
  labels: ['python'],
  dependsOn: [],
  ...over,
});

export const ledger = (over: Partial<LedgerRow> = {}): LedgerRow => ({
  ...noLedger(ISSUE),
  ...over,
});

/** Places in line count up from 2,000,000. */
export function moment(now = NOW): Moment {
  let place = 2_000_000;
  return {
    now,
    nextPlace() {
      place += 1;
      return place;
    },
  };
}

interface Rows {
  readonly tasks?: readonly TaskRow[];
  readonly issue?: IssueRow;
  readonly ledger?: LedgerRow;
  readonly now?: number;
}

export function decide<Input, Answer>(
  verb: Verb<Input, Answer>,
  input: Input,
  { tasks = [], issue: head = issue(), ledger: row = ledger(), now = NOW }: Rows = {},
): Decision<Answer> {
  // A verb sees only what it asked for: a need that it does not name shows itself here.
  const needs = verb.needs(input);
  const found: Found = {
    task: (id) => {
      if (!needs.tasks.includes(id))
        throw new Error(`${verb.name} did not say that it needs ${id}`);
      return tasks.find((one) => one.id === id);
    },
    issue: needs.issue === null ? undefined : head,
    ledger: row,
  };
  return verb.decide(found, input, moment(now));
}
