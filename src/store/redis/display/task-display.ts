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
  task(row: TaskRow): ListChange[];
  /** Its issue, by the task that changed last. */
  issue(row: TaskRow, leased: boolean): ListChange[];
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
  ): ListChange[] {
    const before = shown.get(key);
    if (ends) shown.delete(key);
    else shown.set(key, values);
    const command: [string, ...string[]] = ['HSET', key];
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at] as string;
      if (before?.[at] !== value) command.push(names[at] as string, value);
    }
    return command.length === 2 ? [] : [command];
  }

  function result({ id, result }: TaskRow): ListChange[] {
    if (result === null) return [];
    const { agentId, summary, verdict, comments, at: instant } = result;
    const key = `${at.task_result}${id}`;
    const json = [summary, verdict, comments].map((value) => JSON.stringify(value));
    return [
      ...hash(key, RESULT, [agentId, ...json, String(instant)], true),
      ['EXPIRE', key, String(ttls.task_result)],
    ];
  }

  /** A review was found once, and is never found again. */
  function delay({ id, kind, state, prNumber, createdAt }: TaskRow): ListChange[] {
    const waits = state === 'delayed' || state === 'held';
    if (kind !== 'review' || !(waits || state === 'ready')) return [];
    const key = `${at.review_delay}${identifiers.filedName(id).delay}`;
    const status = waits ? 'PENDING' : 'READY_FOR_ASSIGNMENT';
    return [
      ['HSETNX', key, 'found_at', new Date(createdAt).toISOString()],
      ['HSET', key, 'pr_number', text(prNumber), 'status', status],
      ['EXPIRE', key, String(ttls.review_delay)],
    ];
  }

  return {
    task(row) {
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
      const info = hash(`${at.task_info}${row.id}`, TASK, values, row.endedAt !== null);
      return [...info, ...result(row), ...delay(row)];
    },
    issue(row, leased) {
      const id = identifiers.issueId(row.repository, row.number);
      const holder = row.lease?.agentId ?? '';
      const values = [row.state, holder, text(row.attempts), row.id, text(row.updatedAt)];
      return [
        ...hash(`${at.issue_status}${id}`, ISSUE, values, row.endedAt !== null),
        [leased ? 'SADD' : 'SREM', at.issues_processing, id],
      ];
    },
    forget: shown.clear,
  };
}
