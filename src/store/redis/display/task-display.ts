// What people see of tasks and issues in Redis, beside the rows that Banto goes by.

import type { TaskRow } from '../../../core/rows/task-row.ts';
import type { Identifiers, Keys } from '../keys.ts';
import { type ListChange } from '../rows/step-arguments.ts';
import type { Ttls } from '../ttl.ts';

type Value = string | number | null;

const TASK: readonly (readonly [name: string, of: (row: TaskRow) => Value])[] = [
  ['state', (row) => row.state],
  ['reason', (row) => row.reason],
  ['kind', (row) => row.kind],
  ['round', (row) => row.round],
  ['priority', (row) => row.priority],
  ['attempts', (row) => row.attempts],
  ['fence', (row) => row.fence],
  ['agent', (row) => row.lease?.agentId ?? null],
  ['ready_at', (row) => row.readyAt],
  ['branch', (row) => row.branch],
  ['pr_number', (row) => row.prNumber],
  ['created_at', (row) => row.createdAt],
];

const text = (value: Value): string => (value === null ? '' : String(value));

export interface Display {
  /** What differs from the row that is shown; null: nothing is, undefined: that is not known. */
  task(row: TaskRow, before: TaskRow | null | undefined, lists: ListChange[]): void;
  /** Its issue, by the task that changed last. */
  issue(row: TaskRow, leased: boolean, lists: ListChange[]): void;
}

export function createDisplay({ at }: Keys, identifiers: Identifiers, ttls: Ttls): Display {
  function result({ id, result }: TaskRow, lists: ListChange[]): void {
    if (result === null) return;
    const { agentId, summary, verdict, comments, at: instant } = result;
    const key = `${at.task_result}${id}`;
    const said = ['summary', JSON.stringify(summary), 'verdict', JSON.stringify(verdict)];
    const more = ['comments', JSON.stringify(comments), 'at', String(instant)];
    lists.push(['HSET', key, 'agent', agentId, ...said, ...more]);
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
    task(row, before, lists) {
      const key = `${at.task_info}${row.id}`;
      const command: [string, ...string[]] = ['HSET', key, 'updated_at', text(row.updatedAt)];
      for (const [name, of] of TASK) {
        const value = of(row);
        if (!before || of(before) !== value) command.push(name, text(value));
      }
      // A lease may be renewed without a fact: then what is shown of both is older than the row before.
      if (!before || before.lease !== null || row.lease !== null) {
        command.push('expires_at', text(row.lease?.expiresAt ?? null));
      }
      lists.push(command);
      if (!before || before.result !== row.result) result(row, lists);
      delay(row, lists);
    },
    issue(row, leased, lists) {
      const id = identifiers.issueId(row.repository, row.number);
      const is = ['state', row.state, 'holder', row.lease?.agentId ?? ''];
      const how = ['attempts', text(row.attempts), 'task', row.id];
      const key = `${at.issue_status}${id}`;
      lists.push(['HSET', key, ...is, ...how, 'updated_at', text(row.updatedAt)]);
      lists.push([leased ? 'SADD' : 'SREM', at.issues_processing, id]);
    },
  };
}
