// Reads: what people and the broker look at. None of them changes anything.

import type { StatementSync } from 'node:sqlite';
import { BantoError } from '../../core/errors.ts';
import { HISTORY_SHOWN, historyPage } from '../../core/history.ts';
import { pausedName } from '../../core/paused.ts';
import type {
  AgentRecord,
  MirroredIssue,
  QueueCount,
  TaskFilter,
  TaskReads,
} from '../../core/store.ts';
import type { Kit } from './kit.ts';
import { type IssueRow, strings, type TaskRow, toIssue, toTask } from './rows.ts';
import { all, first, loadStatements, type Values } from './statements.ts';

const NEWEST = Number.MAX_SAFE_INTEGER;

interface AgentRow {
  agent_id: string;
  capabilities: string;
  first_seen_at: number;
  last_seen_at: number;
  lapsed: number;
  holds: string;
  lease_seconds: number | null;
}

export function createReads(kit: Kit): TaskReads {
  const { read, issues, journal, shelf } = kit;
  const registry = loadStatements(kit.db, 'registry', [
    'version',
    'buckets',
    'unlearned',
    'paused',
    'ready',
    'scores',
  ]);
  const sql = loadStatements(kit.db, 'reads', [
    'tasks',
    'tasksInState',
    'tasksWithLabel',
    'tasksOfAgent',
    'agents',
    'holding',
    'counts',
    'oldestReady',
    'delayed',
    'outbox',
  ]);

  function mirrored(row: IssueRow): MirroredIssue {
    return {
      issue: toIssue(row),
      matchLabels: strings(row.match_labels),
      tasks: issues.tasks(row.id).map(toTask),
    };
  }

  /** Each filter that narrows well has a statement that begins with its index. */
  function select(filter: TaskFilter): { statement: StatementSync; values: Values } {
    const kind = filter.kind ?? null;
    const repository = filter.repository ?? null;
    const agent = filter.agent ?? null;
    const label = filter.label?.toLowerCase() ?? null;
    const values = { kind, repository, after: readCursor(filter.cursor), limit: filter.limit + 1 };
    if (filter.state !== undefined) {
      const { state } = filter;
      return { statement: sql.tasksInState, values: { ...values, state, label, agent } };
    }
    if (label !== null)
      return { statement: sql.tasksWithLabel, values: { ...values, label, agent } };
    if (agent !== null) return { statement: sql.tasksOfAgent, values: { ...values, agent } };
    return { statement: sql.tasks, values };
  }

  return {
    registry: () =>
      read(() => ({
        version: first<{ value: number }>(registry.version)?.value ?? 0,
        buckets: all<{ key: string }>(registry.buckets).map((row) => row.key),
        unlearned: all<{ label: string }>(registry.unlearned).map((row) => row.label),
        paused: all<{ name: string }>(registry.paused).flatMap(
          ({ name }) => pausedName(name) ?? [],
        ),
      })),
    peek: (buckets, limit) =>
      read(() =>
        buckets.map((bucket) => ({
          bucket,
          ready: first<{ ready: number }>(registry.ready, { key: bucket })?.ready ?? 0,
          scores: all<{ score: number }>(registry.scores, { bucket, limit }).map(
            (row) => row.score,
          ),
        })),
      ),
    task: (id, historyCursor) =>
      read(() => {
        const before = historyCursor === undefined ? NEWEST : readCursor(historyCursor);
        const row = shelf.find(id);
        if (row === undefined) return null;
        const issue = issues.find(row.issue_id);
        return {
          task: toTask(row),
          issue: toIssue(issue),
          matchLabels: strings(issue.match_labels),
          attempts: kit.attempts(id),
          ...historyPage(journal.ofTask(id, before, HISTORY_SHOWN + 1)),
        };
      }),
    tasks: (filter) =>
      read(() => {
        const { statement, values } = select(filter);
        const rows = all<TaskRow>(statement, values);
        const page = rows.slice(0, filter.limit);
        const more = rows.length > filter.limit;
        return {
          tasks: page.map(toTask),
          nextCursor: more ? String(page.at(-1)?.seq ?? 0) : null,
        };
      }),
    issuesNumbered: (repository, numbers) =>
      read(() =>
        numbers.flatMap((number) => {
          const row = issues.numbered(repository, number);
          return row === undefined ? [] : mirrored(row);
        }),
      ),
    openIssues: (repository, after, limit) =>
      read(() => issues.open(repository, after, limit).map(mirrored)),
    dependents: (repository, number) => read(() => issues.dependents(repository, number)),
    agents: () => read((now) => all<AgentRow>(sql.agents, { now }).map(toAgent)),
    holding: (agentIds) =>
      read(
        () =>
          new Set(agentIds.filter((agent_id) => first(sql.holding, { agent_id }) !== undefined)),
      ),
    queue: (limit) =>
      read(() => {
        const outbox = new Map(
          all<{ name: string; value: number }>(sql.outbox).map((row) => [row.name, row.value]),
        );
        return {
          counts: all<QueueCount>(sql.counts).map((row) => ({ ...row })),
          oldestReadyAt: first<{ at: number | null }>(sql.oldestReady)?.at ?? null,
          delayed: all<{ id: string; ready_at: number }>(sql.delayed, { limit }).map((row) => ({
            taskId: row.id,
            readyAt: row.ready_at,
          })),
          outbox: {
            pending: outbox.get('outbox_pending') ?? 0,
            failing: outbox.get('outbox_failing') ?? 0,
          },
        };
      }),
    stats: (period, limit) => read(() => journal.stats(period, limit)),
    facts: (afterSeq, limit) => read(() => journal.after(afterSeq, limit)),
    lastSeq: () => read(() => journal.lastSeq()),
  };
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,15}$/.test(cursor)) {
    throw new BantoError('invalid_request', 'The cursor is not one that this list gave out.');
  }
  return Number(cursor);
}

function toAgent(row: AgentRow): AgentRecord {
  return {
    agentId: row.agent_id,
    capabilities: strings(row.capabilities),
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
    holds: strings(row.holds),
    leaseSeconds: row.lease_seconds,
    lapsed: row.lapsed === 1,
  };
}
