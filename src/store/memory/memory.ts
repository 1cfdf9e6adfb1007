// Everything that lives, and the lists it stands in. Where a row stands follows from the row, so that a change is
// taken back by putting the old row there again.

import { type Deadline, deadlineOf } from '../../core/decide/filing.ts';
import type { AgentRow } from '../../core/rows/agent-row.ts';
import { decodeAgent } from '../../core/rows/codec.ts';
import { type IssueRow, livesOn, sameTexts } from '../../core/rows/issue-row.ts';
import {
  countWrites,
  dueWrites,
  firstWriteAt,
  type LedgerRow,
} from '../../core/rows/ledger-row.ts';
import { shownCounts } from '../../core/rows/task-list.ts';
import type { TaskRow } from '../../core/rows/task-row.ts';
import type { QueueCount } from '../../core/store.ts';
import { TASK_KINDS, TASK_STATES } from '../../core/task.ts';
import type { Living } from './archive.ts';
import { createDeadlines, type Deadlines } from './deadlines.ts';
import { decodeWork, type IssueEntry, isOpenTask, type TaskEntry } from './entries.ts';
import { createIssueMap, type IssueMap } from './issue-map.ts';
import { createNumbers, type Numbers } from './numbers.ts';
import { type Buckets, createBuckets } from './registry.ts';

const [KINDS, STATES] = [TASK_KINDS.length, TASK_STATES.length];

const standsAlike = (a: IssueRow, b: IssueRow): boolean =>
  a.state === b.state && sameTexts(a.dependsOn.map(String), b.dependsOn.map(String));

export interface Memory {
  readonly issues: Pick<IssueMap<IssueEntry>, 'get' | 'has' | 'values'>;
  readonly agents: Map<string, AgentRow>;
  readonly settings: Map<string, unknown>;
  readonly buckets: Buckets;
  /** What time alone changes, by the list it stands in; a leased task whose lease lapses, and so on. */
  readonly due: Readonly<Record<Deadline, Deadlines<TaskEntry>>>;
  /** Ids of writes that may be taken, oldest first. */
  dueWrites(now: number, limit: number): { ids: string[]; nextAt: number | null };
  readonly numbers: Numbers;
  /** Tasks of this agent with a lease, live or lapsed. */
  heldBy(agentId: string): readonly TaskEntry[];
  counts(): QueueCount[];
  /** A task that has ended is gone, or back. */
  countEnded(row: TaskRow, by: number): void;
  outbox(): { pending: number; failing: number };
  addTask(task: TaskEntry): void;
  putTask(task: TaskEntry, row: TaskRow, now: number): void;
  /** It was never there. */
  dropTask(task: TaskEntry, now: number): void;
  putIssue(issue: IssueEntry, row: IssueRow, now: number): void;
  putLedger(issue: IssueEntry, ledger: LedgerRow): void;
  /** After a step: whether its labels count, and whether it has to be at hand. */
  keepOrDrop(issue: IssueEntry): void;
  refile(task: TaskEntry, now: number): void;
}

/** `ledgerOf`: what becomes of the ledgers that are kept. */
export function createMemory(
  living: Living,
  ledgerOf: (kept: LedgerRow) => LedgerRow = (kept) => kept,
): Memory {
  const issues = createIssueMap<IssueEntry>();
  const agents = new Map<string, AgentRow>();
  const settings = new Map<string, unknown>(living.settings);
  const holds = new Map<string, TaskEntry[]>();
  const counts = new Map<number, QueueCount & { count: number }>();
  const buckets = createBuckets(living.counters.registryVersion, living.learned);
  const numbers = createNumbers();
  const outbox = { pending: 0, failing: 0 };

  const deadline = (what: Deadline) =>
    createDeadlines<TaskEntry>((task) => {
      const now = deadlineOf(task.row);
      return now?.what === what ? now.at : null;
    });
  const due = {
    lease: deadline('lease'),
    delayed: deadline('delayed'),
    opening: deadline('opening'),
  };
  /** Issues by the first of their writes. */
  const outboxDue = createDeadlines<IssueEntry>((issue) =>
    issue.lives ? firstWriteAt(issue.ledger) : null,
  );

  function countTask(row: Pick<TaskRow, 'state' | 'kind' | 'priority'>, by: number): void {
    const { state, kind, priority } = row;
    const key = (priority * KINDS + TASK_KINDS.indexOf(kind)) * STATES + TASK_STATES.indexOf(state);
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
    countTask(row, -1);
    if (task.lane !== null) buckets.unfile(task, now);
    if (row.lease !== null) unhold(row.lease.agentId, task);
  }

  function stand(task: TaskEntry): void {
    const { row } = task;
    countTask(row, 1);
    if (row.state === 'ready') buckets.file(task);
    if (row.lease !== null) hold(row.lease.agentId, task);
    const next = deadlineOf(row);
    if (next !== null) due[next.what].watch(task, next.at);
  }

  function count(ledger: LedgerRow, by: number): void {
    const { pending, failing } = countWrites(ledger);
    outbox.pending += by * pending;
    outbox.failing += by * failing;
  }

  function watchWrites(issue: IssueEntry): void {
    const at = firstWriteAt(issue.ledger);
    if (at !== null) outboxDue.watch(issue, at);
  }

  function keepOrDrop(issue: IssueEntry): void {
    const busy = issue.tasks.some(isOpenTask);
    if (busy !== issue.busy) {
      issue.busy = busy;
      if (busy) buckets.use(issue);
      else buckets.disuse(issue);
    }
    const lives = livesOn(issue.row, issue.ledger, busy);
    if (lives === issue.lives) return;
    issue.lives = lives;
    if (lives) {
      issues.set(issue.row, issue);
      numbers.add(issue.row);
      watchWrites(issue);
    } else {
      issues.delete(issue.row);
      numbers.remove(issue.row);
    }
  }

  function refile(task: TaskEntry, now: number): void {
    if (task.lane === null) return;
    buckets.unfile(task, now);
    buckets.file(task);
  }

  function fill(): void {
    for (const count of living.counters.ended) countTask(count, count.count);
    for (const kept of living.issues) {
      const issue = decodeWork(kept);
      issue.ledger = ledgerOf(issue.ledger);
      count(issue.ledger, 1);
      for (const task of issue.tasks) if (task.row !== null) stand(task);
      keepOrDrop(issue);
    }
    for (const [id, text] of living.agents) agents.set(id, decodeAgent(id, text));
  }

  fill();
  return {
    issues,
    agents,
    settings,
    buckets,
    due,
    dueWrites(now, limit) {
      const issues = outboxDue.due(now, limit);
      const ledgers = issues.keys.map(({ ledger }) => ledger);
      return dueWrites(ledgers, now, limit, issues.nextAt);
    },
    numbers,
    keepOrDrop,
    refile,
    heldBy: (agentId) => holds.get(agentId) ?? [],
    counts: () => shownCounts(Array.from(counts.values(), (one) => ({ ...one }))),
    outbox: () => ({ ...outbox }),
    countEnded: countTask,
    addTask: stand,
    putTask(task, row, now) {
      leave(task, now);
      task.row = row;
      task.text = null;
      stand(task);
      // A lease that is renewed stays where it is.
      if (row.lease === null) due.lease.drop(task);
    },
    dropTask(task, now) {
      leave(task, now);
      for (const list of Object.values(due)) list.drop(task);
    },
    putIssue(issue, row, now) {
      const before = issue.row;
      const relabelled = !sameTexts(before.matchLabels, row.matchLabels);
      const listed = issue.lives && !standsAlike(before, row);
      if (listed) numbers.remove(before);
      if (relabelled && issue.busy) buckets.disuse(issue);
      issue.row = row;
      if (listed) numbers.add(row);
      if (!relabelled) return;
      if (issue.busy) buckets.use(issue);
      for (const task of issue.tasks) if (task.row !== null) refile(task, now);
    },
    putLedger(issue, ledger) {
      count(issue.ledger, -1);
      issue.ledger = ledger;
      count(ledger, 1);
      watchWrites(issue);
    },
  };
}
