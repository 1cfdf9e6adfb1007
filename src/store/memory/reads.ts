// Reads: what people and the broker look at. None of them changes anything.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { HISTORY_SHOWN, historyPage } from '../../core/attempt/history.ts';
import { pausedName } from '../../core/pairing/paused.ts';
import { agentRecord } from '../../core/rows/agent-row.ts';
import { isListed, toStoredIssue } from '../../core/rows/issue-row.ts';
import type { IssueRef } from '../../core/rows/ledger-row.ts';
import { readCursor, suits } from '../../core/rows/task-list.ts';
import { attemptsOf, toTask } from '../../core/rows/task-row.ts';
import type { AgentRecord, MirroredIssue, TaskFilter, TaskReads } from '../../core/store.ts';
import { OPEN_STATES, parseTaskId } from '../../core/task.ts';
import type { Archive } from './archive.ts';
import {
  decodeWork,
  entriesOf,
  type IssueEntry,
  isOpenTask,
  revive,
  type TaskEntry,
} from './entries.ts';
import type { Steps } from './group-commit.ts';
import type { Memory } from './memory.ts';

/** So many tasks are looked at in one turn of the event loop. */
const SLICE = 2000;

export function createReads({ read, lastFact }: Steps, archive: Archive): TaskReads {
  function issueOf(memory: Memory, ref: IssueRef): IssueEntry | undefined {
    const living = memory.issues.get(ref);
    if (living !== undefined) return living;
    const kept = archive.issue(ref);
    return kept === undefined ? undefined : decodeWork(kept);
  }

  function known(memory: Memory, repository: string, numbers: readonly number[]): IssueEntry[] {
    return numbers.flatMap((number) => issueOf(memory, { repository, number }) ?? []);
  }

  const stored = ({ seq, row, ledger }: IssueEntry) =>
    toStoredIssue(archive.picture(seq), row, ledger);

  function mirrored(issue: IssueEntry): MirroredIssue {
    return {
      issue: stored(issue),
      matchLabels: issue.row.matchLabels,
      tasks: entriesOf(issue).map(({ row }) => toTask(row)),
    };
  }

  /** The next tasks in order of number; those that live are in memory. */
  function pageAfter(memory: Memory, after: number, { state }: TaskFilter): TaskEntry[] {
    if (state === undefined || !OPEN_STATES.includes(state)) {
      return archive.tasksAfter(after, SLICE).flatMap(({ seq, issue }) => {
        const of = memory.issues.get(issue) ?? decodeWork(issue);
        const task = of.tasks.find((one) => one.seq === seq);
        return task === undefined ? [] : task.row === null ? revive(task, of) : task;
      });
    }
    return memory.issues
      .values()
      .flatMap(({ tasks }) => tasks.filter(isOpenTask))
      .filter(({ seq, row }) => seq > after && row.state === state)
      .sort((a, b) => a.seq - b.seq)
      .slice(0, SLICE);
  }

  async function tasks(filter: TaskFilter): ReturnType<TaskReads['tasks']> {
    let after = readCursor(filter.cursor) ?? 0;
    const found: TaskEntry[] = [];
    while (found.length <= filter.limit) {
      const page = await read((_now, memory) => {
        const next = pageAfter(memory, after, filter);
        found.push(...next.filter(({ row, issue }) => suits(row, issue.row.labels, filter)));
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
        return agentRecord(agent, held, now);
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
    filled: () => read((_now, { buckets }) => buckets.filled()),
    peek: (names, limit) => read((_now, { buckets }) => buckets.peek(names, limit)),
    task: (id, historyCursor) =>
      read((_now, memory) => {
        const before = readCursor(historyCursor) ?? Number.POSITIVE_INFINITY;
        const name = parseTaskId(id);
        const issue = name === null ? undefined : issueOf(memory, name);
        const found = issue?.tasks.find((one) => one.id === id);
        if (issue === undefined || found === undefined) return null;
        const task = found.row === null ? revive(found, issue) : found;
        return {
          task: toTask(task.row),
          issue: stored(issue),
          matchLabels: issue.row.matchLabels,
          attempts: attemptsOf(task.row),
          ...historyPage(
            archive.factsNumbered(
              task.facts.filter((seq) => seq < before).slice(-HISTORY_SHOWN - 1),
            ),
          ),
        };
      }),
    tasks,
    firstReady: (limit) =>
      read((_now, { buckets }) => buckets.first(limit).map(({ row }) => toTask(row))),
    issueTexts: (repository, numbers) =>
      read((_now, memory) => known(memory, repository, numbers).map(stored)),
    issuesNumbered: (repository, numbers) =>
      read((_now, memory) => known(memory, repository, numbers).map(mirrored)),
    openIssues: (repository, after, limit) =>
      read((_now, memory) => {
        const found: MirroredIssue[] = [];
        for (const number of memory.numbers.above(repository, after)) {
          if (found.length >= limit) break;
          const issue = memory.issues.get({ repository, number });
          if (issue === undefined) continue;
          // One that is closed and only has a write to be made is not open.
          if (isListed(issue.row, issue.busy)) found.push(mirrored(issue));
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
        counts: memory.counts(),
        oldestReadyAt: memory.buckets.oldestReadyAt(),
        delayed: memory.due.delayed
          .first(delayedLimit)
          .map(({ key, at }) => ({ taskId: key.row.id, readyAt: at })),
        outbox: memory.outbox(),
      })),
    stats: (period, limit) => read(() => archive.stats(period, limit)),
    facts: (afterSeq, limit) => read(() => archive.facts(afterSeq, limit)),
    lastSeq: () => read(() => lastFact()),
  };
}
