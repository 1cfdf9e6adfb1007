// Where rows stand: the lists that follow from a task, an issue and a ledger. Pure. A change says what leaves and what
// enters; the sweep compares the same with what is there.

import { bucketOfRow, deadlineOf, scoreOfRow } from '../../../core/decide/filing.ts';
import { priorityName } from '../../../core/priority.ts';
import { type IssueRow, sameTexts } from '../../../core/rows/issue-row.ts';
import type { LedgerRow } from '../../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../../core/rows/task-row.ts';
import { OPEN_STATES } from '../../../core/task.ts';
import type { Identifiers, Keys } from '../keys.ts';
import type { Filing } from './buckets.ts';
import { holdName } from './holds.ts';
import { type FiledTask, type IssueHead, issueName } from './row-codec.ts';
import { type ListChange } from './step-arguments.ts';

export const isOpenRow = (row: TaskRow): boolean => OPEN_STATES.includes(row.state);

export interface Indexes {
  /** The bucket a ready task belongs into; null: it is not ready. */
  bucketOf(row: TaskRow, issue: IssueRow | undefined, filing: Filing): string | null;
  /** The sorted sets a task stands in, with its score in each. */
  places(task: FiledTask): Map<string, number>;
  moveTask(before: FiledTask | undefined, after: FiledTask): ListChange[];
  moveIssue(
    before: IssueHead | undefined,
    after: IssueHead,
    seenAt: number,
    isLearned: (label: string) => boolean,
  ): ListChange[];
  moveLedger(before: LedgerRow, after: LedgerRow): ListChange[];
}

const dueAt = (ledger: LedgerRow): number | null =>
  ledger.writes.length === 0
    ? null
    : Math.min(...ledger.writes.map(({ availableAt }) => availableAt));

export function createIndexes(keys: Keys, identifiers: Identifiers): Indexes {
  const { at } = keys;
  const DEADLINES = { lease: at.leases, delayed: at.queue_delayed, opening: at.queue_opening };

  function places({ row, bucket }: FiledTask): Map<string, number> {
    const found = new Map<string, number>();
    if (row.state === 'ready') {
      found.set(`${at.queue_bucket}${bucket}`, scoreOfRow(row));
      found.set(at[`queue_${priorityName(row.priority)}`], scoreOfRow(row));
    }
    const deadline = deadlineOf(row);
    if (deadline !== null) found.set(DEADLINES[deadline.what], deadline.at);
    return found;
  }

  function moveLease(before: TaskRow | undefined, after: TaskRow): ListChange[] {
    const old = before?.lease ?? null;
    const next = after.lease;
    const key = `${at.lock_issue}${identifiers.filedName(after.id).lock}`;
    if (old !== null && next === null) {
      return [
        ['LOCK', key, `${old.agentId} ${old.token}`, ''],
        ['ZREM', at.process_holds, holdName(old.agentId, after.id)],
      ];
    }
    if (next === null || old?.expiresAt === next.expiresAt) return [];
    const value = `${next.agentId} ${next.token}`;
    return [['LOCK', key, value, String(next.seconds * 1000)]];
  }

  const listed = ({ row, open }: IssueHead): boolean => row.state === 'open' || open > 0;

  /** Uses are counted of labels that nobody has learned: they say what is still to be learned. */
  function moveUses(
    before: IssueHead | undefined,
    after: IssueHead,
    isLearned: (label: string) => boolean,
  ): ListChange[] {
    const had = before !== undefined && before.open > 0 ? before.row.matchLabels : [];
    const has = after.open > 0 ? after.row.matchLabels : [];
    const uses = (some: readonly string[], others: readonly string[], by: string) =>
      some
        .filter((label) => !others.includes(label) && !isLearned(label))
        .map((label): ListChange => ['USE', label, by]);
    return [...uses(has, had, '1'), ...uses(had, has, '-1')];
  }

  function moveMembers(
    had: readonly string[],
    has: readonly string[],
    key: (value: string) => string,
    member: string,
  ): ListChange[] {
    if (sameTexts(had, has)) return [];
    return [
      ...has
        .filter((one) => !had.includes(one))
        .map((one): ListChange => ['SADD', key(one), member]),
      ...had
        .filter((one) => !has.includes(one))
        .map((one): ListChange => ['SREM', key(one), member]),
    ];
  }

  return {
    places,
    bucketOf: (row, issue, filing) =>
      row.state === 'ready' ? bucketOfRow(row, issue?.matchLabels ?? [], filing.isRelevant) : null,
    moveTask(before, after) {
      const had = before === undefined ? new Map<string, number>() : places(before);
      const has = places(after);
      const { id } = after.row;
      const lists: ListChange[] = [];
      for (const key of had.keys()) if (!has.has(key)) lists.push(['ZREM', key, id]);
      for (const [key, score] of has) {
        if (had.get(key) !== score) lists.push(['ZADD', key, String(score), id]);
      }
      return [...lists, ...moveLease(before?.row, after.row)];
    },
    moveIssue(before, after, seenAt, isLearned) {
      const { row } = after;
      const name = issueName(row);
      const open = `${at.issues_open}${row.repository}`;
      const lists = moveUses(before, after, isLearned);
      if (before === undefined || listed(before) !== listed(after)) {
        if (listed(after)) {
          lists.push(['ZADD', open, String(row.number), name], ['ZREM', at.issues_closed, name]);
        } else {
          lists.push(['ZREM', open, name], ['ZADD', at.issues_closed, String(seenAt), name]);
        }
      }
      const dependsOn = (head: IssueHead | undefined) => head?.row.dependsOn.map(String) ?? [];
      const waits = (number: string) => `${at.issues_dependents}${row.repository}:${number}`;
      const carries = (label: string) => `${at.labels_issues}${label}`;
      return [
        ...lists,
        ...moveMembers(dependsOn(before), dependsOn(after), waits, name),
        ...moveMembers(before?.row.matchLabels ?? [], row.matchLabels, carries, name),
      ];
    },
    moveLedger(before, after) {
      const name = issueName(after);
      const next = dueAt(after);
      if (next !== null) {
        return dueAt(before) === next ? [] : [['ZADD', at.outbox_due, String(next), name]];
      }
      return before.writes.length === 0 ? [] : [['ZREM', at.outbox_due, name]];
    },
  };
}
