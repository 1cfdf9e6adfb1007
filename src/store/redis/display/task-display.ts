// What people see of tasks and issues in Redis, beside the rows that Banto goes by. Only what differs from what was
// shown before is written.

import type { TaskRow } from '../../../core/rows/task-row.ts';
import type { Identifiers, Keys } from '../keys.ts';
import { createCache } from '../rows/cache.ts';
import { type ListChange } from '../rows/step-arguments.ts';
import type { Ttls } from '../ttl.ts';

const REMEMBERED = 20_000;

const TASK = [
  'state',
  'reason',
  'kind',
  'round',
  'priority',
  'attempts',
  'fence',
  'agent',
  'expires_at',
  'ready_at',
  'branch',
  'pr_number',
  'created_at',
  'updated_at',
] as const;
const RESULT = ['agent', 'summary', 'verdict', 'comments', 'at'] as const;
const ISSUE = ['state', 'holder', 'attempts', 'task', 'updated_at'] as const;

const text = (value: string | number | null): string => (value === null ? '' : String(value));

export interface Display {
  task(row: TaskRow, lists: ListChange[]): void;
  /** Its issue, by the task that changed last. */
  issue(row: TaskRow, leased: boolean, lists: ListChange[]): void;
  /** Somebody else has shown something: what is there is not known any more. */
  forget(): void;
}

export function createDisplay({ at }: Keys, identifiers: Identifiers, ttls: Ttls): Display {
  const shown = createCache<readonly string[]>(REMEMBERED);

  /** `ends`: it will hardly change any more. */
  function hash(
    key: string,
    names: readonly string[],
    values: readonly string[],
    ends: boolean,
    lists: ListChange[],
  ): void {
    const before = shown.get(key);
    if (ends) shown.delete(key);
    else shown.set(key, values);
    const command: [string, ...string[]] = ['HSET', key];
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at] as string;
      if (before?.[at] !== value) command.push(names[at] as string, value);
    }
    if (command.length > 2) lists.push(command);
  }

  function result({ id, result }: TaskRow, lists: ListChange[]): void {
    if (result === null) return;
    const { agentId, summary, verdict, comments, at: instant } = result;
    const key = `${at.task_result}${id}`;
    const json = [summary, verdict, comments].map((value) => JSON.stringify(value));
    hash(key, RESULT, [agentId, ...json, String(instant)], true, lists);
    lists.push(['EXPIRE', key, String(ttls.task_result)]);
  }

  /** A review was found once, and is never found again. */
  function delay(row: TaskRow, lists: ListChange[]): void {
    const waits = row.state === 'delayed' || row.state === 'held';
    if (row.kind !== 'review' || !(waits || row.state === 'ready')) return;
    const key = `${at.review_delay}${identifiers.delay(row)}`;
    const status = waits ? 'PENDING' : 'READY_FOR_ASSIGNMENT';
    lists.push(
      ['HSETNX', key, 'found_at', new Date(row.createdAt).toISOString()],
      ['HSET', key, 'pr_number', text(row.prNumber), 'status', status],
      ['EXPIRE', key, String(ttls.review_delay)],
    );
  }

  return {
    task(row, lists) {
      const values = [
        row.state,
        text(row.reason),
        row.kind,
        text(row.round),
        text(row.priority),
        text(row.attempts),
        text(row.fence),
        text(row.lease?.agentId ?? null),
        text(row.lease?.expiresAt ?? null),
        text(row.readyAt),
        row.branch,
        text(row.prNumber),
        text(row.createdAt),
        text(row.updatedAt),
      ];
      hash(`${at.task_info}${row.id}`, TASK, values, row.endedAt !== null, lists);
      result(row, lists);
      delay(row, lists);
    },
    issue(row, leased, lists) {
      const id = identifiers.issueId(row.repository, row.number);
      const holder = row.lease?.agentId ?? '';
      const values = [row.state, holder, text(row.attempts), row.id, text(row.updatedAt)];
      hash(`${at.issue_status}${id}`, ISSUE, values, row.endedAt !== null, lists);
      lists.push([leased ? 'SADD' : 'SREM', at.issues_processing, id]);
    },
    forget: shown.clear,
  };
}
