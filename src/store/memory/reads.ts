// Reads: what people and the broker look at. None of them changes anything.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { BantoError } from '../../core/errors.ts';
import { HISTORY_SHOWN, historyPage } from '../../core/history.ts';
import { pausedName } from '../../core/paused.ts';
import { toStoredIssue } from '../../core/rows/issue-row.ts';
import { attemptsOf, isLive, toTask } from '../../core/rows/task-row.ts';
import type {
  AgentRecord,
  MirroredIssue,
  QueueCount,
  TaskFilter,
  TaskReads,
} from '../../core/store.ts';
import { OPEN_STATES, TASK_KINDS, TASK_STATES } from '../../core/task.ts';
import type { Archive, KeptTask } from './archive.ts';
import type { IssueEntry } from './entries.ts';
import type { Steps } from './group-commit.ts';
import type { Memory } from './memory.ts';

/** So many tasks are looked at in one turn of the event loop. */
const SLICE = 2000;

type KnownIssue = Pick<IssueEntry, 'seq' | 'row' | 'ledger'>;

export function createReads({ read, lastFact }: Steps, archive: Archive): TaskReads {
  function issueOf(memory: Memory, task: KeptTask): KnownIssue {
    const living = memory.issues.get(task.row);
    const issue = living ?? archive.issueNumbered(task.issueSeq);
    if (issue === undefined) throw new Error(`The issue of the task ${task.row.id} is missing.`);
    return issue;
  }

  function mirrored({ seq, row, ledger }: KnownIssue): MirroredIssue {
    return {
      issue: toStoredIssue(archive.picture(seq), row, ledger),
      matchLabels: row.matchLabels,
      tasks: archive.tasksOf(row).map((task) => toTask(task.row)),
    };
  }

  function matches(memory: Memory, task: KeptTask, filter: TaskFilter): boolean {
    const { row } = task;
    if (filter.kind !== undefined && row.kind !== filter.kind) return false;
    if (filter.repository !== undefined && row.repository !== filter.repository) return false;
    const { agent, label } = filter;
    if (agent !== undefined) {
      const had = row.past.some(({ agentId }) => agentId === agent);
      if (!had && row.lease?.agentId !== agent) return false;
    }
    return label === undefined || issueOf(memory, task).row.labels.includes(label.toLowerCase());
  }

  /** The next tasks in order of number; those that live are in memory. */
  function pageAfter(memory: Memory, after: number, filter: TaskFilter): KeptTask[] {
    const { state = null } = filter;
    if (state === null || !OPEN_STATES.includes(state)) {
      return archive.tasksAfter(after, SLICE, state);
    }
    return [...memory.tasks.values()]
      .filter(({ seq, row }) => seq > after && row.state === state)
      .sort((a, b) => a.seq - b.seq)
      .slice(0, SLICE)
      .map(({ seq, issue, row, facts }) => ({ seq, issueSeq: issue.seq, row, facts }));
  }

  async function tasks(filter: TaskFilter): ReturnType<TaskReads['tasks']> {
    let after = readCursor(filter.cursor);
    const found: KeptTask[] = [];
    while (found.length <= filter.limit) {
      const page = await read((_now, memory) => {
        const next = pageAfter(memory, after, filter);
        found.push(...next.filter((task) => matches(memory, task, filter)));
        return next;
      });
      if (page.length < SLICE) break;
      after = page.at(-1)?.seq ?? after;
      await nextTurn();
    }
    const shown = found.slice(0, filter.limit);
    const more = found.length > filter.limit;
    return {
      tasks: shown.map(({ row }) => toTask(row)),
      nextCursor: more ? String(shown.at(-1)?.seq ?? 0) : null,
    };
  }

  function agentsNow(memory: Memory, now: number): AgentRecord[] {
    return [...memory.agents.values()]
      .sort((a, b) => (a.agentId < b.agentId ? -1 : 1))
      .map((agent) => {
        const held = memory.heldBy(agent.agentId).map(({ row }) => row);
        const leases = held
          .filter((row) => isLive(row, now))
          .sort((a, b) => a.lease.leasedAt - b.lease.leasedAt);
        const seconds = leases.map(({ lease }) => lease.seconds);
        return {
          ...agent,
          holds: leases.map(({ id }) => id),
          leaseSeconds: seconds.length === 0 ? null : Math.min(...seconds),
        };
      });
  }

  return {
    registry: () =>
      read((_now, { buckets, settings }) => ({
        ...buckets.registry(),
        paused: [...settings]
          .flatMap(([name, value]) => (value === true ? (pausedName(name) ?? []) : []))
          .sort(),
      })),
    peek: (names, limit) => read((_now, { buckets }) => buckets.peek(names, limit)),
    task: (id, historyCursor) =>
      read((_now, memory) => {
        const before =
          historyCursor === undefined ? Number.POSITIVE_INFINITY : readCursor(historyCursor);
        const living = memory.tasks.get(id);
        const task =
          living === undefined ? archive.task(id) : { ...living, issueSeq: living.issue.seq };
        if (task === undefined) return null;
        const { seq, row, ledger } = issueOf(memory, task);
        return {
          task: toTask(task.row),
          issue: toStoredIssue(archive.picture(seq), row, ledger),
          matchLabels: row.matchLabels,
          attempts: attemptsOf(task.row),
          ...historyPage(
            archive.factsNumbered(
              task.facts.filter((seq) => seq < before).slice(-HISTORY_SHOWN - 1),
            ),
          ),
        };
      }),
    tasks,
    issuesNumbered: (repository, numbers) =>
      read((_now, memory) =>
        numbers.flatMap((number) => {
          const ref = { repository, number };
          const issue = memory.issues.get(ref) ?? archive.issue(ref);
          return issue === undefined ? [] : mirrored(issue);
        }),
      ),
    openIssues: (repository, after, limit) =>
      read((_now, memory) => {
        const found: MirroredIssue[] = [];
        for (const number of memory.numbers.above(repository, after)) {
          if (found.length >= limit) break;
          const issue = memory.issues.get({ repository, number });
          if (issue === undefined) continue;
          // One that is closed and only has a write to be made is not open.
          if (issue.row.state === 'open' || issue.open.size > 0) found.push(mirrored(issue));
        }
        return found;
      }),
    dependents: (repository, number) =>
      read((_now, { numbers }) => numbers.waitingFor(repository, number)),
    holding: (agentIds) =>
      read((_now, memory) => new Set(agentIds.filter((id) => memory.heldBy(id).length > 0))),
    agents: () => read((now, memory) => agentsNow(memory, now)),
    queue: (delayedLimit) =>
      read((_now, memory) => ({
        counts: [...memory.counts(), ...archive.endedCounts()].map(plain).sort(inOrder),
        oldestReadyAt: memory.buckets.oldestReadyAt(),
        delayed: memory.due.delayed
          .first(delayedLimit)
          .map(({ id, at }) => ({ taskId: id, readyAt: at })),
        outbox: memory.outbox(),
      })),
    stats: (period, limit) => read(() => archive.stats(period, limit)),
    facts: (afterSeq, limit) => read(() => archive.facts(afterSeq, limit)),
    lastSeq: () => read(() => lastFact()),
  };
}

const plain = ({ state, kind, priority, count }: QueueCount): QueueCount => ({
  state,
  kind,
  priority,
  count,
});

function inOrder(a: QueueCount, b: QueueCount): number {
  const states = TASK_STATES.indexOf(a.state) - TASK_STATES.indexOf(b.state);
  const kinds = TASK_KINDS.indexOf(a.kind) - TASK_KINDS.indexOf(b.kind);
  return states || kinds || b.priority - a.priority;
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,15}$/.test(cursor)) {
    throw new BantoError('invalid_request', 'The cursor is not one that this list gave out.');
  }
  return Number(cursor);
}
