// Everything that lives, and the lists it stands in. Where a row stands follows from the row, so that a change is
// taken back by putting the old row there again.

import { deadlineOf } from '../../core/decide/filing.ts';
import type { AgentRow } from '../../core/rows/agent-row.ts';
import { type IssueRow, sameTexts } from '../../core/rows/issue-row.ts';
import { issueOfWrite, type LedgerRow, writeId } from '../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../core/rows/task-row.ts';
import type { QueueCount } from '../../core/store.ts';
import { OPEN_STATES } from '../../core/task.ts';
import type { Living } from './archive.ts';
import { createDeadlines, type Deadlines } from './deadlines.ts';
import type { IssueEntry, TaskEntry } from './entries.ts';
import { createIssueMap, type IssueMap } from './issue-map.ts';
import { createNumbers, type Numbers } from './numbers.ts';
import { type Buckets, createBuckets } from './registry.ts';

/** Of an issue that comes from the archive. */
export const FROM_ARCHIVE = { busy: false, ledgerKept: true, ended: null } as const;

export const isOpenRow = (row: TaskRow): boolean => OPEN_STATES.includes(row.state);

/** An issue has to be at hand while it is open, somebody works on it, or something is to be written to it. */
export const livesOn = (issue: IssueEntry): boolean =>
  issue.row.state === 'open' || issue.open.size > 0 || issue.ledger.writes.length > 0;

const standsAlike = (a: IssueRow, b: IssueRow): boolean =>
  a.state === b.state && sameTexts(a.dependsOn.map(String), b.dependsOn.map(String));

export interface Memory {
  readonly tasks: ReadonlyMap<string, TaskEntry>;
  readonly issues: Pick<IssueMap<IssueEntry>, 'get' | 'has' | 'values'>;
  readonly agents: Map<string, AgentRow>;
  readonly settings: Map<string, unknown>;
  readonly buckets: Buckets;
  readonly due: Readonly<Record<'lease' | 'delayed' | 'opening' | 'write', Deadlines>>;
  readonly numbers: Numbers;
  /** Tasks of this agent with a lease, live or lapsed. */
  heldBy(agentId: string): readonly TaskEntry[];
  counts(): QueueCount[];
  outbox(): { pending: number; failing: number };
  addTask(task: TaskEntry): void;
  putTask(task: TaskEntry, row: TaskRow, now: number): void;
  /** It was never there. */
  dropTask(task: TaskEntry, now: number): void;
  putIssue(issue: IssueEntry, row: IssueRow, now: number): void;
  putLedger(issue: IssueEntry, ledger: LedgerRow): void;
  /** After a step: whether its labels count, and whether it has to be at hand. */
  settleIssue(issue: IssueEntry): void;
  refile(task: TaskEntry, now: number): void;
}

export function createMemory(living: Living): Memory {
  const tasks = new Map<string, TaskEntry>();
  const issues = createIssueMap<IssueEntry>();
  const agents = new Map<string, AgentRow>();
  const settings = new Map<string, unknown>(living.settings);
  const holds = new Map<string, TaskEntry[]>();
  const counts = new Map<string, QueueCount & { count: number }>();
  const buckets = createBuckets(living.counters.registryVersion, living.learned);
  const numbers = createNumbers();
  const outbox = { pending: 0, failing: 0 };

  const deadline = (what: 'lease' | 'delayed' | 'opening') =>
    createDeadlines((id) => {
      const row = tasks.get(id)?.row;
      const now = row === undefined ? null : deadlineOf(row);
      return now?.what === what ? now.at : null;
    });
  const due = {
    lease: deadline('lease'),
    delayed: deadline('delayed'),
    opening: deadline('opening'),
    write: createDeadlines((id) => {
      const ref = issueOfWrite(id);
      const ledger = ref === null ? undefined : issues.get(ref)?.ledger;
      const write = ledger?.writes.find((entry) => writeId(ledger, entry) === id);
      return write?.availableAt ?? null;
    }),
  };

  function countTask(row: TaskRow, by: number): void {
    const { state, kind, priority } = row;
    const key = `${state} ${kind} ${priority}`;
    const found = counts.get(key);
    if (found === undefined) counts.set(key, { state, kind, priority, count: by });
    else found.count += by;
  }

  function hold(agentId: string, task: TaskEntry): void {
    const held = holds.get(agentId);
    if (held === undefined) holds.set(agentId, [task]);
    else held.push(task);
  }

  function unhold(agentId: string, task: TaskEntry): void {
    const held = holds.get(agentId) ?? [];
    if (held.length <= 1) holds.delete(agentId);
    else held.splice(held.indexOf(task), 1);
  }

  function leave(task: TaskEntry, now: number): void {
    const { row } = task;
    if (isOpenRow(row)) countTask(row, -1);
    if (task.lane !== null) buckets.unfile(task, now);
    if (row.lease !== null) unhold(row.lease.agentId, task);
  }

  function stand(task: TaskEntry): void {
    const { row } = task;
    if (!isOpenRow(row)) {
      tasks.delete(row.id);
      task.issue.open.delete(row.id);
      task.issue.ended?.add(row.id);
      return;
    }
    tasks.set(row.id, task);
    task.issue.open.set(row.id, task);
    countTask(row, 1);
    if (row.state === 'ready') buckets.file(task);
    if (row.lease !== null) hold(row.lease.agentId, task);
    const next = deadlineOf(row);
    if (next !== null) due[next.what].watch(row.id, next.at);
  }

  function countWrites(ledger: LedgerRow, by: number): void {
    outbox.pending += by * ledger.writes.length;
    for (const write of ledger.writes) if (write.attempts > 0) outbox.failing += by;
  }

  function watchWrites(ledger: LedgerRow, before: LedgerRow | null): void {
    for (const write of ledger.writes) {
      if (before?.writes.includes(write) === true) continue;
      due.write.watch(writeId(ledger, write), write.availableAt);
    }
  }

  function settleIssue(issue: IssueEntry): void {
    const busy = issue.open.size > 0;
    if (busy !== issue.busy) {
      issue.busy = busy;
      if (busy) buckets.use(issue);
      else buckets.disuse(issue);
    }
    if (livesOn(issue)) {
      if (issues.has(issue.row)) return;
      issues.set(issue.row, issue);
      numbers.add(issue.row);
    } else if (issues.delete(issue.row)) numbers.remove(issue.row);
  }

  function refile(task: TaskEntry, now: number): void {
    if (task.lane === null) return;
    buckets.unfile(task, now);
    buckets.file(task);
  }

  function fill(): void {
    const bySeq = new Map<number, IssueEntry>();
    for (const { seq, row, ledger } of living.issues) {
      const entry = { seq, row, ledger, open: new Map(), ...FROM_ARCHIVE, kept: row };
      bySeq.set(seq, entry);
      countWrites(ledger, 1);
      watchWrites(ledger, null);
    }
    for (const { seq, issueSeq, row, facts } of living.tasks) {
      const issue = bySeq.get(issueSeq);
      if (issue === undefined) throw new Error(`The issue of the task ${row.id} is missing.`);
      stand({ seq, issue, row, facts, lane: null, kept: row.state });
    }
    for (const issue of bySeq.values()) settleIssue(issue);
    for (const agent of living.agents) agents.set(agent.agentId, agent);
  }

  fill();
  return {
    tasks,
    issues,
    agents,
    settings,
    buckets,
    due,
    numbers,
    settleIssue,
    refile,
    heldBy: (agentId) => holds.get(agentId) ?? [],
    counts: () => [...counts.values()].filter(({ count }) => count > 0),
    outbox: () => ({ ...outbox }),
    addTask: stand,
    putTask(task, row, now) {
      leave(task, now);
      task.row = row;
      stand(task);
    },
    dropTask(task, now) {
      leave(task, now);
      tasks.delete(task.row.id);
      task.issue.open.delete(task.row.id);
    },
    putIssue(issue, row, now) {
      const before = issue.row;
      const relabelled = !sameTexts(before.matchLabels, row.matchLabels);
      const listed = issues.has(row) && !standsAlike(before, row);
      if (listed) numbers.remove(before);
      if (relabelled && issue.busy) buckets.disuse(issue);
      issue.row = row;
      if (listed) numbers.add(row);
      if (!relabelled) return;
      if (issue.busy) buckets.use(issue);
      for (const task of issue.open.values()) refile(task, now);
    },
    putLedger(issue, ledger) {
      const before = issue.ledger;
      countWrites(before, -1);
      issue.ledger = ledger;
      countWrites(ledger, 1);
      watchWrites(ledger, before);
    },
  };
}
