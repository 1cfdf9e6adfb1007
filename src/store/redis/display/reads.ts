// Reads: what people and the broker look at. None of them keeps Redis busy for long: lists go in pages.

import { HISTORY_SHOWN, historyPage } from '../../../core/attempt/history.ts';
import { enqueuedAtOfScore } from '../../../core/priority.ts';
import { agentRecord } from '../../../core/rows/agent-row.ts';
import { toStoredIssue } from '../../../core/rows/issue-row.ts';
import { countWrites, type IssueRef } from '../../../core/rows/ledger-row.ts';
import { readCursor, shownCounts, suits } from '../../../core/rows/task-list.ts';
import { attemptsOf, type TaskRow, toTask } from '../../../core/rows/task-row.ts';
import type {
  AgentRecord,
  MirroredIssue,
  QueueCount,
  QueueView,
  TaskFilter,
  TaskReads,
} from '../../../core/store.ts';
import { parseTaskId, type TaskKind, type TaskState } from '../../../core/task.ts';
import type { Parts } from '../parts.ts';
import { heldBy } from '../rows/holds.ts';
import { findTask, issueName, issueOf, issueOfName, seenName, type Work } from '../rows/work.ts';
import type { Agents } from './agents.ts';
import type { FactLog } from './fact-log.ts';
import type { Projection } from './projection.ts';
import { createStats } from './stats.ts';

const PAGE = 200;

interface Reading extends Parts {
  readonly log: FactLog;
  readonly projection: Projection;
  readonly agents: Agents;
}

interface KnownIssue {
  readonly work: Work;
  readonly stored: MirroredIssue['issue'];
}

export function createReads(
  env: Reading,
): Omit<TaskReads, 'registry' | 'filled' | 'peek' | 'holding'> {
  const { link, keys, works, snapshots, log, projection, now } = env;
  const { at } = keys;
  const readStats = createStats(link, keys);

  async function issues(refs: readonly IssueRef[]): Promise<KnownIssue[]> {
    const [all, seen] = await Promise.all([
      works.get(refs),
      works.read(refs.map((ref) => seenName(issueName(ref)))),
    ]);
    const found = await Promise.all(
      all.map(async (work, index): Promise<KnownIssue | null> => {
        if (work.issueText === '') return null;
        const picture = await snapshots.get(work.name, work.picture);
        const seenAt = Number(seen[index]);
        return { work, stored: toStoredIssue(picture, { seenAt }, work.ledger) };
      }),
    );
    return found.filter((issue) => issue !== null);
  }

  /** Those that are there, in this order. */
  async function tasksNamed(ids: readonly string[]): Promise<TaskRow[]> {
    return [...(await works.tasks(ids)).values()].map(({ row }) => row);
  }

  async function mirrored(refs: readonly IssueRef[]): Promise<MirroredIssue[]> {
    return (await issues(refs)).map(({ work, stored }) => ({
      issue: stored,
      matchLabels: issueOf(work)?.matchLabels ?? [],
      tasks: work.tasks.map(({ row }) => toTask(row)),
    }));
  }

  /** The shortest list that holds everything the filter asks for, by the order tasks were made in. */
  function listFor({ state, agent }: TaskFilter): string {
    if (agent !== undefined) return `${at.process_tasks}${agent}`;
    return state === undefined ? at.tasks_all : `${at.tasks_state}${state}`;
  }

  async function tasks(filter: TaskFilter): ReturnType<TaskReads['tasks']> {
    const { limit, label } = filter;
    const list = listFor(filter);
    let after = String(readCursor(filter.cursor) ?? 0);
    await projection.catchUp();
    const found: { row: TaskRow; seq: string }[] = [];
    for (;;) {
      const page = ['WITHSCORES', 'LIMIT', 0, PAGE] as const;
      const entries = await link.pairs('ZRANGEBYSCORE', list, `(${after}`, '+inf', ...page);
      const seqs = new Map(entries);
      for (const [id, { task, work }] of await works.found([...seqs.keys()])) {
        const labels = label === undefined ? [] : (issueOf(work)?.labels ?? []);
        const { row } = task;
        if (suits(row, labels, filter)) found.push({ row, seq: seqs.get(id) ?? '0' });
      }
      after = entries.at(-1)?.[1] ?? after;
      if (found.length > limit || entries.length < PAGE) break;
    }
    const shown = found.slice(0, limit);
    return {
      tasks: shown.map(({ row }) => toTask(row)),
      nextCursor: found.length > limit ? (shown.at(-1)?.seq ?? '0') : null,
    };
  }

  async function firstReady(limit: number): ReturnType<TaskReads['firstReady']> {
    const ids: string[] = [];
    for (const queue of [at.queue_high, at.queue_normal, at.queue_low]) {
      const room = limit - ids.length;
      if (room > 0) ids.push(...(await link.send<string[]>('ZRANGE', queue, 0, room - 1)));
    }
    return (await tasksNamed(ids)).filter(({ state }) => state === 'ready').map(toTask);
  }

  async function agent(id: string, moment: number): Promise<AgentRecord> {
    const fields = ['capabilities', 'first_seen_at', 'last_seen_at', 'lapsed'];
    const [info, held] = await Promise.all([
      link.send<(string | null)[]>('HMGET', `${at.process_info}${id}`, ...fields),
      heldBy(link, keys, id),
    ]);
    const [capabilities, first, last, lapsed] = info;
    const own = (await tasksNamed(held)).filter(({ lease }) => lease?.agentId === id);
    const row = {
      agentId: id,
      capabilities: JSON.parse(capabilities ?? '[]') as string[],
      firstSeenAt: Number(first),
      lastSeenAt: Number(last),
      lapsed: lapsed === '1',
    };
    return agentRecord(row, own, moment);
  }

  async function counts(): Promise<QueueCount[]> {
    await projection.catchUp();
    const found = (await link.pairs('HGETALL', at.queue_counts)).map(([name, count]) => {
      const [state, kind, priority] = name.split(' ') as [TaskState, TaskKind, string];
      return { state, kind, priority: Number(priority), count: Number(count) };
    });
    return shownCounts(found);
  }

  /** From the heads of the buckets: a score ends with the instant. */
  async function oldestReadyAt(): Promise<number | null> {
    const heads = await link.pairs('ZRANGE', at.queue_heads, 0, -1, 'WITHSCORES');
    const instants = heads.map(([, score]) => enqueuedAtOfScore(Number(score)));
    return instants.length === 0 ? null : Math.min(...instants);
  }

  async function outbox(): Promise<QueueView['outbox']> {
    const sum = { pending: 0, failing: 0 };
    for (let from = 0; ; from += PAGE) {
      const names = await link.send<string[]>('ZRANGE', at.outbox_due, from, from + PAGE - 1);
      for (const { ledger } of await works.get(names.map(issueOfName))) {
        const { pending, failing } = countWrites(ledger);
        sum.pending += pending;
        sum.failing += failing;
      }
      if (names.length < PAGE) return sum;
    }
  }

  const refsOf = (repository: string, numbers: readonly number[]): IssueRef[] =>
    numbers.map((number) => ({ repository, number }));

  return {
    tasks,
    firstReady,
    async task(id, historyCursor) {
      const before = readCursor(historyCursor) ?? Number.POSITIVE_INFINITY;
      const name = parseTaskId(id);
      if (name === null) return null;
      await projection.catchUp();
      const [issue] = await issues([name]);
      const row = issue === undefined ? undefined : findTask(issue.work, id)?.row;
      if (row === undefined || issue === undefined) return null;
      const numbers = await link.send<string[]>('LRANGE', `${at.task_history}${id}`, 0, -1);
      const seqs = numbers.map(Number).filter((seq) => seq < before);
      return {
        task: toTask(row),
        issue: issue.stored,
        matchLabels: issueOf(issue.work)?.matchLabels ?? [],
        attempts: attemptsOf(row),
        ...historyPage(await log.numbered(seqs.slice(-HISTORY_SHOWN - 1))),
      };
    },
    issueTexts: async (repository, numbers) =>
      (await issues(refsOf(repository, numbers))).map(({ stored }) => stored),
    issuesNumbered: (repository, numbers) => mirrored(refsOf(repository, numbers)),
    async openIssues(repository, after, limit) {
      const list = `${at.issues_open}${repository}`;
      const range = [`(${after}`, '+inf', 'LIMIT', 0, limit] as const;
      const names = await link.send<string[]>('ZRANGEBYSCORE', list, ...range);
      return mirrored(names.map(issueOfName));
    },
    async dependents(repository, number) {
      const list = `${at.issues_dependents}${repository}:${number}`;
      const refs = (await link.send<string[]>('SMEMBERS', list)).map(issueOfName);
      return (await works.get(refs))
        .filter((work) => issueOf(work)?.state === 'open')
        .map((work) => work.number)
        .sort((a, b) => a - b);
    },
    async agents() {
      await env.agents.flush();
      const ids = await link.send<string[]>('ZRANGE', at.processes_known, 0, -1);
      const moment = await now();
      return Promise.all(ids.sort().map((id) => agent(id, moment)));
    },
    async queue(delayedLimit) {
      const range = [0, delayedLimit - 1, 'WITHSCORES'] as const;
      const waiting =
        delayedLimit <= 0 ? [] : await link.pairs('ZRANGE', at.queue_delayed, ...range);
      return {
        counts: await counts(),
        oldestReadyAt: await oldestReadyAt(),
        delayed: waiting.map(([taskId, readyAt]) => ({ taskId, readyAt: Number(readyAt) })),
        outbox: await outbox(),
      };
    },
    async stats(period, limit) {
      await projection.catchUp();
      return readStats(period, limit, await now());
    },
    facts: log.after,
    lastSeq: log.lastSeq,
  };
}
