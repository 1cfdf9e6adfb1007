// Reads: what people and the broker look at. None of them keeps Redis busy for long: lists go in pages.

import { BantoError } from '../../core/errors.ts';
import { HISTORY_SHOWN, historyPage } from '../../core/history.ts';
import type {
  AgentRecord,
  MirroredIssue,
  QueueCount,
  TaskFilter,
  TaskReads,
} from '../../core/store.ts';
import type { Task, TaskKind, TaskState } from '../../core/task.ts';
import type { Journal } from './journal.ts';
import type { Identifiers, Keys } from './keys.ts';
import type { Link } from './link.ts';
import {
  type Fields,
  type Row,
  strings,
  toAttempts,
  toEntry,
  toFields,
  toIssue,
  toRow,
  toTask,
} from './rows.ts';

const PAGE = 200;

type Reads = Omit<TaskReads, 'registry' | 'peek' | 'holding'>;
interface Found {
  /** The hash as it is: attempts stand beside the record. */
  readonly row: Row;
  readonly fields: Fields;
  readonly task: Task;
  readonly labels: readonly string[];
}

export function createReads(
  link: Link,
  keys: Keys,
  identifiers: Identifiers,
  journal: Journal,
  now: () => Promise<number>,
): Reads {
  const { at } = keys;

  async function readTasks(ids: readonly string[]): Promise<Found[]> {
    if (ids.length === 0) return [];
    const reply = (await link.read('reads.tasks', ...ids)) as [string[], string[], string][];
    return reply.map(([task, result, labels]) => {
      const row = toRow(task);
      const fields = toFields(row.get('record'));
      return { row, fields, task: toTask(fields, toRow(result)), labels: strings(labels) };
    });
  }

  /** The shortest list that holds everything the filter asks for, by the order tasks were made in. */
  function listFor({ state, agent }: TaskFilter): string {
    if (agent !== undefined) return `${at.process_tasks}${agent}`;
    return state === undefined ? at.tasks_all : `${at.tasks_state}${state}`;
  }

  function suits({ task, row, labels }: Found, filter: TaskFilter): boolean {
    if (filter.state !== undefined && task.state !== filter.state) return false;
    if (filter.kind !== undefined && task.kind !== filter.kind) return false;
    if (filter.repository !== undefined && task.repository !== filter.repository) return false;
    if (filter.label !== undefined && !labels.includes(filter.label.toLowerCase())) return false;
    const { agent } = filter;
    return agent === undefined || toAttempts(row).some(({ agentId }) => agentId === agent);
  }

  async function tasks(filter: TaskFilter): ReturnType<TaskReads['tasks']> {
    const { limit } = filter;
    let after = readCursor(filter.cursor);
    await journal.foldAll();
    const found: Found[] = [];
    for (;;) {
      const page = ['LIMIT', 0, PAGE] as const;
      // A list may name tasks that are gone by now: the scores say where the page ends.
      const reply = await link.send(
        'ZRANGEBYSCORE',
        listFor(filter),
        `(${after}`,
        '+inf',
        'WITHSCORES',
        ...page,
      );
      const scores = toRow(reply);
      const read = await readTasks([...scores.keys()]);
      found.push(...read.filter((one) => suits(one, filter)));
      after = Number([...scores.values()].at(-1) ?? after);
      if (found.length > limit || scores.size < PAGE) break;
    }
    const shown = found.slice(0, limit);
    const last = shown.at(-1)?.fields['seq'] ?? '0';
    return {
      tasks: shown.map(({ task }) => task),
      nextCursor: found.length > limit ? last : null,
    };
  }

  async function readIssues(ids: readonly string[]): Promise<MirroredIssue[]> {
    if (ids.length === 0) return [];
    type Reply = [string, string[], [string, string[]][]][];
    const reply = (await link.read('reads.issues', ...ids)) as Reply;
    return reply.map(([status, metadata, tasks]) => {
      const known = toRow(metadata);
      return {
        issue: toIssue(toFields(status), known.get('picture') ?? '{}'),
        matchLabels: strings(known.get('match_labels')),
        tasks: tasks.map(([task, result]) => toTask(toFields(task), toRow(result))),
      };
    });
  }

  async function agents(): Promise<AgentRecord[]> {
    const ids = (await link.send('ZRANGE', at.processes_known, 0, -1)) as string[];
    const moment = await now();
    const records = await Promise.all(
      ids.map(async (id) =>
        toAgent(toRow(await link.send('HGETALL', `${at.process_info}${id}`)), moment),
      ),
    );
    return records.sort((one, other) => (one.agentId < other.agentId ? -1 : 1));
  }

  async function toAgent(row: Row, moment: number): Promise<AgentRecord> {
    const held = (row.get('holds') ?? '').split(' ').filter((id) => id !== '');
    const leases = (await readTasks(held)).flatMap(({ task }) => {
      const { lease } = task;
      const live =
        lease !== null && lease.expiresAt > moment && lease.agentId === row.get('agent_id');
      return live ? [{ id: task.id, lease }] : [];
    });
    return {
      agentId: row.get('agent_id') ?? '',
      capabilities: strings(row.get('capabilities')),
      firstSeenAt: Number(row.get('first_seen_at')),
      lastSeenAt: Number(row.get('last_seen_at')),
      holds: leases.map(({ id }) => id),
      leaseSeconds:
        leases.length === 0 ? null : Math.min(...leases.map(({ lease }) => lease.seconds)),
      lapsed: row.get('lapsed') === '1',
    };
  }

  async function oldestReadyAt(): Promise<number | null> {
    const registered = toRow(await link.send('HGETALL', at.queue_buckets));
    const heads = await Promise.all(
      [...registered.values()].map(
        async (number) =>
          (await link.send('ZRANGE', `${at.queue_bucket}${number}`, 0, 0)) as string[],
      ),
    );
    const instants = (await readTasks(heads.flat())).flatMap(({ task }) => task.enqueuedAt ?? []);
    return instants.length === 0 ? null : Math.min(...instants);
  }

  async function counts(): Promise<QueueCount[]> {
    await journal.foldAll();
    const row = toRow(await link.send('HGETALL', at.queue_counts));
    return [...row].flatMap(([name, value]): QueueCount[] => {
      const [state, kind, priority] = name.split(' ') as [TaskState, TaskKind, string];
      const count = Number(value);
      return count > 0 ? [{ state, kind, priority: Number(priority), count }] : [];
    });
  }

  return {
    tasks,
    agents,
    async task(id, historyCursor) {
      type Reply = [string[], string[], string, string[], [string, string[]][]] | null;
      const reply = (await link.read(
        'reads.task',
        id,
        historyCursor === undefined ? '' : String(readCursor(historyCursor)),
        String(HISTORY_SHOWN + 1),
      )) as Reply;
      if (reply === null) return null;
      const [task, result, status, metadata, facts] = reply;
      const row = toRow(task);
      const known = toRow(metadata);
      return {
        task: toTask(toFields(row.get('record')), toRow(result)),
        issue: toIssue(toFields(status), known.get('picture') ?? '{}'),
        matchLabels: strings(known.get('match_labels')),
        attempts: toAttempts(row),
        ...historyPage(facts.map((entry) => toEntry(entry).fact)),
      };
    },
    issuesNumbered: (repository, numbers) =>
      readIssues(numbers.map((number) => identifiers.issueId(repository, number))),
    async openIssues(repository, after, limit) {
      const list = `${at.issues_open}${repository}`;
      const page = ['LIMIT', 0, limit] as const;
      return readIssues(
        (await link.send('ZRANGEBYSCORE', list, `(${after}`, '+inf', ...page)) as string[],
      );
    },
    async dependents(repository, number) {
      const list = `${at.issues_dependents}${repository}:${number}`;
      const issues = await readIssues((await link.send('SMEMBERS', list)) as string[]);
      return issues
        .filter(({ issue }) => issue.state === 'open')
        .map(({ issue }) => issue.number)
        .sort((one, other) => one - other);
    },
    async queue(delayedLimit) {
      const delayed =
        delayedLimit <= 0
          ? new Map<string, string>()
          : toRow(await link.send('ZRANGE', at.queue_delayed, 0, delayedLimit - 1, 'WITHSCORES'));
      return {
        counts: await counts(),
        oldestReadyAt: await oldestReadyAt(),
        delayed: [...delayed].map(([taskId, readyAt]) => ({ taskId, readyAt: Number(readyAt) })),
        outbox: {
          pending: Number(await link.send('ZCARD', at.outbox_due)),
          failing: Number(await link.send('SCARD', at.outbox_failing)),
        },
      };
    },
    stats: async (period, limit) => journal.stats(period, limit, await now()),
    facts: (afterSeq, limit) => journal.after(afterSeq, limit),
    lastSeq: () => journal.lastSeq(),
  };
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,15}$/.test(cursor)) {
    throw new BantoError('invalid_request', 'The cursor is not one that this list gave out.');
  }
  return Number(cursor);
}
