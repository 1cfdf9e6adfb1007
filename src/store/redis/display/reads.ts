// Reads: what people and the broker look at. None of them keeps Redis busy for long: lists go in pages.

import { HISTORY_SHOWN, historyPage } from '../../../core/attempt/history.ts';
import { BantoError } from '../../../core/errors.ts';
import { toStoredIssue } from '../../../core/rows/issue-row.ts';
import type { IssueRef } from '../../../core/rows/ledger-row.ts';
import { attemptsOf, isLive, shortestLease, toTask } from '../../../core/rows/task-row.ts';
import type {
  AgentRecord,
  MirroredIssue,
  QueueCount,
  QueueView,
  TaskFilter,
  TaskReads,
} from '../../../core/store.ts';
import {
  parseTaskId,
  TASK_KINDS,
  TASK_STATES,
  type TaskKind,
  type TaskState,
} from '../../../core/task.ts';
import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import { heldBy } from '../rows/holds.ts';
import type { IssueSnapshots } from '../rows/issue-snapshots.ts';
import {
  decodeHead,
  decodeLedgerText,
  type FiledTask,
  headName,
  type IssueHead,
  issueOfName,
  ledgerName,
  seenName,
} from '../rows/row-codec.ts';
import type { Rows } from '../rows/rows.ts';
import type { Agents } from './agents.ts';
import type { FactLog } from './fact-log.ts';
import type { Projection } from './projection.ts';
import { createStats } from './stats.ts';

const PAGE = 200;

export interface Reading {
  readonly link: Link;
  readonly keys: Keys;
  readonly rows: Rows;
  readonly snapshots: IssueSnapshots;
  readonly log: FactLog;
  readonly projection: Projection;
  readonly agents: Agents;
  readonly now: () => Promise<number>;
}

interface KnownIssue {
  readonly head: IssueHead;
  readonly stored: MirroredIssue['issue'];
}

export function createReads(env: Reading): Omit<TaskReads, 'registry' | 'peek' | 'holding'> {
  const { link, keys, rows, snapshots, log, projection, now } = env;
  const { at } = keys;
  const readStats = createStats(link, keys);

  async function issues(refs: readonly IssueRef[]): Promise<KnownIssue[]> {
    const names = refs.flatMap((ref) => [headName(ref), ledgerName(ref), seenName(ref)]);
    const texts = await rows.read(names);
    const found = await Promise.all(
      refs.map(async (ref, index): Promise<KnownIssue | null> => {
        const [text = '', ledger = '', seenAt] = texts.slice(3 * index, 3 * index + 3);
        if (text === '') return null;
        const head = decodeHead(ref, text);
        const row = { ...head.row, seenAt: Number(seenAt) };
        const picture = await snapshots.get(ref, head.picture);
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

  function suits({ row }: FiledTask, head: IssueHead | undefined, filter: TaskFilter): boolean {
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
    await projection.catchUp();
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
        filter.label === undefined ? [] : await rows.heads(wanted.map(({ task }) => task.row));
      found.push(...wanted.filter(({ task }, index) => suits(task, of[index], filter)));
      after = entries.at(-1)?.seq ?? after;
      if (found.length > limit || entries.length < PAGE) break;
    }
    const shown = found.slice(0, limit);
    return {
      tasks: shown.map(({ task }) => toTask(task.row)),
      nextCursor: found.length > limit ? String(shown.at(-1)?.seq ?? 0) : null,
    };
  }

  async function firstReady(limit: number): ReturnType<TaskReads['firstReady']> {
    const ids: string[] = [];
    for (const queue of [at.queue_high, at.queue_normal, at.queue_low]) {
      const room = limit - ids.length;
      if (room <= 0) break;
      ids.push(...((await link.send('ZRANGE', queue, 0, room - 1)) as string[]));
    }
    const read = await rows.tasks(ids, true);
    return ids.flatMap((id) => {
      const row = read.get(id)?.row;
      return row?.state === 'ready' ? [toTask(row)] : [];
    });
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
      heldBy(link, keys, id),
    ])) as [(string | null)[], string[]];
    const [capabilities, first, last, lapsed] = info;
    const leases = [...(await rows.tasks(held, true)).values()]
      .map(({ row }) => row)
      .filter((row) => isLive(row, moment))
      .filter(({ lease }) => lease.agentId === id)
      .sort((a, b) => a.lease.leasedAt - b.lease.leasedAt);
    return {
      agentId: id,
      capabilities: JSON.parse(capabilities ?? '[]') as string[],
      firstSeenAt: Number(first),
      lastSeenAt: Number(last),
      holds: leases.map((row) => row.id),
      leaseSeconds: shortestLease(leases),
      lapsed: lapsed === '1',
    };
  }

  async function counts(): Promise<QueueCount[]> {
    await projection.catchUp();
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
    const registered = (await link.send('HVALS', at.queue_buckets)) as string[];
    const buckets = registered.map((number) => `${at.queue_bucket}${number}`);
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
      await projection.catchUp();
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
        ...historyPage(await log.numbered(seqs.slice(-HISTORY_SHOWN - 1))),
      };
    },
    firstReady,
    issueTexts: async (repository, numbers) =>
      (await issues(numbers.map((number) => ({ repository, number })))).map(({ stored }) => stored),
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
      const found = await rows.heads(refs);
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
    async stats(period, limit) {
      await projection.catchUp();
      return readStats(period, limit, await now());
    },
    facts: log.after,
    lastSeq: log.lastSeq,
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
