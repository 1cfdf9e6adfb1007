// Reads: what people and the broker look at. None of them keeps Redis busy for long: lists go in pages.

import { BantoError } from '../../core/errors.ts';
import { HISTORY_SHOWN, historyPage } from '../../core/history.ts';
import { toStoredIssue } from '../../core/rows/issue-row.ts';
import type { IssueRef } from '../../core/rows/ledger-row.ts';
import { attemptsOf, isLive, toTask } from '../../core/rows/task-row.ts';
import type {
  AgentRecord,
  MirroredIssue,
  QueueCount,
  QueueView,
  TaskFilter,
  TaskReads,
} from '../../core/store.ts';
import {
  parseTaskId,
  TASK_KINDS,
  TASK_STATES,
  type TaskKind,
  type TaskState,
} from '../../core/task.ts';
import type { Agents } from './agents.ts';
import type { Journal } from './journal.ts';
import type { Keys } from './keys.ts';
import type { Link } from './link.ts';
import type { Pictures } from './pictures.ts';
import type { Rows } from './rows.ts';
import {
  decodeHead,
  decodeLedgerText,
  type FiledTask,
  headName,
  type IssueHead,
  issueOfName,
  ledgerName,
  seenName,
} from './texts.ts';

const PAGE = 200;

export interface Reading {
  readonly link: Link;
  readonly keys: Keys;
  readonly rows: Rows;
  readonly pictures: Pictures;
  readonly journal: Journal;
  readonly agents: Agents;
  readonly now: () => Promise<number>;
}

interface KnownIssue {
  readonly head: IssueHead;
  readonly stored: MirroredIssue['issue'];
}

export function createReads(env: Reading): Omit<TaskReads, 'registry' | 'peek' | 'holding'> {
  const { link, keys, rows, pictures, journal, now } = env;
  const { at } = keys;

  async function heads(refs: readonly IssueRef[]): Promise<(IssueHead | null)[]> {
    const texts = await rows.read(refs.map(headName));
    return refs.map((ref, index) => {
      const text = texts[index] ?? '';
      return text === '' ? null : decodeHead(ref, text);
    });
  }

  async function issues(refs: readonly IssueRef[]): Promise<KnownIssue[]> {
    const names = refs.flatMap((ref) => [headName(ref), ledgerName(ref), seenName(ref)]);
    const texts = await rows.read(names);
    const found = await Promise.all(
      refs.map(async (ref, index): Promise<KnownIssue | null> => {
        const [text = '', ledger = '', seenAt] = texts.slice(3 * index, 3 * index + 3);
        if (text === '') return null;
        const head = decodeHead(ref, text);
        const row = { ...head.row, seenAt: Number(seenAt) };
        const picture = await pictures.get(ref, head.picture);
        return { head, stored: toStoredIssue(picture, row, decodeLedgerText(ref, ledger).row) };
      }),
    );
    return found.filter((issue) => issue !== null);
  }

  async function mirrored(refs: readonly IssueRef[]): Promise<MirroredIssue[]> {
    const found = await issues(refs);
    const tasks = await rows.tasks(
      found.flatMap(({ head }) => head.tasks),
      true,
    );
    return found.map(({ head, stored }) => ({
      issue: stored,
      matchLabels: head.row.matchLabels,
      tasks: head.tasks.flatMap((id) => {
        const task = tasks.get(id);
        return task === undefined ? [] : [toTask(task.row)];
      }),
    }));
  }

  /** The shortest list that holds everything the filter asks for, by the order tasks were made in. */
  function listFor({ state, agent }: TaskFilter): string {
    if (agent !== undefined) return `${at.process_tasks}${agent}`;
    return state === undefined ? at.tasks_all : `${at.tasks_state}${state}`;
  }

  function suits({ row }: FiledTask, head: IssueHead | null, filter: TaskFilter): boolean {
    const { agent, label } = filter;
    if (filter.state !== undefined && row.state !== filter.state) return false;
    if (filter.kind !== undefined && row.kind !== filter.kind) return false;
    if (filter.repository !== undefined && row.repository !== filter.repository) return false;
    if (label !== undefined && head?.row.labels.includes(label.toLowerCase()) !== true)
      return false;
    if (agent === undefined) return true;
    return row.lease?.agentId === agent || row.past.some(({ agentId }) => agentId === agent);
  }

  async function tasks(filter: TaskFilter): ReturnType<TaskReads['tasks']> {
    const { limit } = filter;
    let after = readCursor(filter.cursor);
    await journal.foldAll();
    const found: { task: FiledTask; seq: number }[] = [];
    for (;;) {
      const page = ['WITHSCORES', 'LIMIT', 0, PAGE] as const;
      const flat = await link.send('ZRANGEBYSCORE', listFor(filter), `(${after}`, '+inf', ...page);
      const entries = (flat as string[]).flatMap((id, index, all) =>
        index % 2 === 0 ? [{ id, seq: Number(all[index + 1]) }] : [],
      );
      const read = await rows.tasks(
        entries.map(({ id }) => id),
        true,
      );
      const wanted = entries.flatMap(({ id, seq }) => {
        const task = read.get(id);
        return task === undefined ? [] : [{ task, seq }];
      });
      const of =
        filter.label === undefined
          ? wanted.map(() => null)
          : await heads(wanted.map(({ task }) => task.row));
      found.push(...wanted.filter(({ task }, index) => suits(task, of[index] ?? null, filter)));
      after = entries.at(-1)?.seq ?? after;
      if (found.length > limit || entries.length < PAGE) break;
    }
    const shown = found.slice(0, limit);
    return {
      tasks: shown.map(({ task }) => toTask(task.row)),
      nextCursor: found.length > limit ? String(shown.at(-1)?.seq ?? 0) : null,
    };
  }

  async function agents(): Promise<AgentRecord[]> {
    await env.agents.flush();
    const ids = (await link.send('ZRANGE', at.processes_known, 0, -1)) as string[];
    const moment = await now();
    const records = await Promise.all(ids.map((id) => agent(id, moment)));
    return records.sort((one, other) => (one.agentId < other.agentId ? -1 : 1));
  }

  async function agent(id: string, moment: number): Promise<AgentRecord> {
    const fields = ['capabilities', 'first_seen_at', 'last_seen_at', 'lapsed'];
    const [info, held] = (await Promise.all([
      link.send('HMGET', `${at.process_info}${id}`, ...fields),
      link.send('SMEMBERS', `${at.process_holds}${id}`),
    ])) as [(string | null)[], string[]];
    const [capabilities, first, last, lapsed] = info;
    const leases = [...(await rows.tasks(held, true)).values()]
      .map(({ row }) => row)
      .filter((row) => isLive(row, moment))
      .filter(({ lease }) => lease.agentId === id)
      .sort((a, b) => a.lease.leasedAt - b.lease.leasedAt);
    const seconds = leases.map(({ lease }) => lease.seconds);
    return {
      agentId: id,
      capabilities: JSON.parse(capabilities ?? '[]') as string[],
      firstSeenAt: Number(first),
      lastSeenAt: Number(last),
      holds: leases.map((row) => row.id),
      leaseSeconds: seconds.length === 0 ? null : Math.min(...seconds),
      lapsed: lapsed === '1',
    };
  }

  async function counts(): Promise<QueueCount[]> {
    await journal.foldAll();
    const flat = (await link.send('HGETALL', at.queue_counts)) as string[];
    const found = flat.flatMap((name, index): QueueCount[] => {
      if (index % 2 === 1) return [];
      const [state, kind, priority] = name.split(' ') as [TaskState, TaskKind, string];
      const count = Number(flat[index + 1]);
      return count > 0 ? [{ state, kind, priority: Number(priority), count }] : [];
    });
    return found.sort(inOrder);
  }

  async function oldestReadyAt(): Promise<number | null> {
    const queues = [at.queue_high, at.queue_normal, at.queue_low];
    const registered = (await link.send('HVALS', at.queue_buckets)) as string[];
    const buckets = registered.map((number) => `${at.queue_bucket}${number}`);
    void queues;
    const scores = await Promise.all(
      buckets.map(
        async (key) => ((await link.send('ZRANGE', key, 0, 0, 'WITHSCORES')) as string[])[1],
      ),
    );
    const instants = scores.flatMap((score) => (score === undefined ? [] : [Number(score) % 1e13]));
    return instants.length === 0 ? null : Math.min(...instants);
  }

  async function outbox(): Promise<QueueView['outbox']> {
    const sum = { pending: 0, failing: 0 };
    for (let from = 0; ; from += PAGE) {
      const names = (await link.send('ZRANGE', at.outbox_due, from, from + PAGE - 1)) as string[];
      const texts = await rows.read(names.map((name) => `#${name}`));
      for (const [index, name] of names.entries()) {
        const { writes } = decodeLedgerText(issueOfName(name), texts[index] ?? '').row;
        sum.pending += writes.length;
        sum.failing += writes.filter(({ attempts }) => attempts > 0).length;
      }
      if (names.length < PAGE) return sum;
    }
  }

  return {
    tasks,
    agents,
    async task(id, historyCursor) {
      const name = parseTaskId(id);
      if (name === null) return null;
      await journal.foldAll();
      const task = (await rows.tasks([id], true)).get(id);
      const [issue] = await issues([name]);
      if (task === undefined || issue === undefined) return null;
      const before =
        historyCursor === undefined ? Number.POSITIVE_INFINITY : readCursor(historyCursor);
      const numbers = (await link.send('LRANGE', `${at.task_history}${id}`, 0, -1)) as string[];
      const seqs = numbers.map(Number).filter((seq) => seq < before);
      return {
        task: toTask(task.row),
        issue: issue.stored,
        matchLabels: issue.head.row.matchLabels,
        attempts: attemptsOf(task.row),
        ...historyPage(await journal.numbered(seqs.slice(-HISTORY_SHOWN - 1))),
      };
    },
    issuesNumbered: (repository, numbers) =>
      mirrored(numbers.map((number) => ({ repository, number }))),
    async openIssues(repository, after, limit) {
      const page = ['LIMIT', 0, limit] as const;
      const names = await link.send(
        'ZRANGEBYSCORE',
        `${at.issues_open}${repository}`,
        `(${after}`,
        '+inf',
        ...page,
      );
      return mirrored((names as string[]).map(issueOfName));
    },
    async dependents(repository, number) {
      const names = (await link.send(
        'SMEMBERS',
        `${at.issues_dependents}${repository}:${number}`,
      )) as string[];
      const refs = names.map(issueOfName);
      const found = await heads(refs);
      return refs
        .filter((_, index) => found[index]?.row.state === 'open')
        .map((ref) => ref.number)
        .sort((a, b) => a - b);
    },
    async queue(delayedLimit) {
      const waiting = (await link.send(
        'ZRANGE',
        at.queue_delayed,
        0,
        delayedLimit - 1,
        'WITHSCORES',
      )) as string[];
      return {
        counts: await counts(),
        oldestReadyAt: await oldestReadyAt(),
        delayed:
          delayedLimit <= 0
            ? []
            : waiting.flatMap((taskId, index) =>
                index % 2 === 0 ? [{ taskId, readyAt: Number(waiting[index + 1]) }] : [],
              ),
        outbox: await outbox(),
      };
    },
    stats: async (period, limit) => journal.stats(period, limit, await now()),
    facts: journal.after,
    lastSeq: journal.lastSeq,
  };
}

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
