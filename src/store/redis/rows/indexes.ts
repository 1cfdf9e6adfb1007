// Where rows stand: the lists that follow from a task, an issue and a ledger. Pure. A change says what leaves and what
// enters; the sweep compares the same with what is there.

import { bucketOfRow, deadlineOf, scoreOfRow } from '../../../core/decide/filing.ts';
import { priorityName } from '../../../core/priority.ts';
import { type IssueRow, isListed, sameTexts } from '../../../core/rows/issue-row.ts';
import { firstWriteAt, type LedgerRow } from '../../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../../core/rows/task-row.ts';
import type { Identifiers, Keys } from '../keys.ts';
import type { Filing } from './buckets.ts';
import type { ListChange } from './step-arguments.ts';
import { type FiledTask, isOpenWork, issueOf, type Work } from './work.ts';

type Placed = Pick<FiledTask, 'row' | 'bucket'>;

export interface Indexes {
  /** The bucket a ready task belongs into; null: it is not ready. */
  bucketOf(row: TaskRow, issue: IssueRow | undefined, filing: Filing): string | null;
  /** The sorted sets a task stands in, with its score in each. */
  places(task: Placed): Map<string, number>;
  moveTask(before: Placed | undefined, after: Placed, lists: ListChange[]): void;
  moveIssue(
    before: Work,
    after: Work,
    seenAt: number,
    isLearned: (label: string) => boolean,
    lists: ListChange[],
  ): void;
  moveLedger(name: string, before: LedgerRow, after: LedgerRow, lists: ListChange[]): void;
}

export function createIndexes(keys: Keys, identifiers: Identifiers): Indexes {
  const { at } = keys;
  const DEADLINES = { lease: at.leases, delayed: at.queue_delayed, opening: at.queue_opening };
  const NOWHERE: ReadonlyMap<string, number> = new Map();

  function places({ row, bucket }: Placed): Map<string, number> {
    const found = new Map<string, number>();
    if (row.state === 'ready') {
      found.set(`${at.queue_bucket}${bucket}`, scoreOfRow(row));
      found.set(at[`queue_${priorityName(row.priority)}`], scoreOfRow(row));
    }
    const deadline = deadlineOf(row);
    if (deadline !== null) found.set(DEADLINES[deadline.what], deadline.at);
    return found;
  }

  function moveLease(before: TaskRow | undefined, after: TaskRow, lists: ListChange[]): void {
    const old = before?.lease ?? null;
    const next = after.lease;
    const key = () => `${at.lock_issue}${identifiers.lock(after)}`;
    if (old !== null && next === null) {
      lists.push(
        ['LOCK', key(), `${old.agentId} ${old.token}`, ''],
        ['HOLD', old.agentId, after.id, ''],
      );
    } else if (next !== null && old?.expiresAt !== next.expiresAt) {
      lists.push(['LOCK', key(), `${next.agentId} ${next.token}`, String(next.seconds * 1000)]);
    }
  }

  /** Uses are counted of labels that nobody has learned: they say what is still to be learned. */
  function moveUses(
    had: readonly string[],
    has: readonly string[],
    isLearned: (label: string) => boolean,
    lists: ListChange[],
  ): void {
    const uses = (some: readonly string[], others: readonly string[], by: string) => {
      for (const label of some) {
        if (!others.includes(label) && !isLearned(label)) lists.push(['USE', label, by]);
      }
    };
    uses(has, had, '1');
    uses(had, has, '-1');
  }

  function moveMembers(
    had: readonly string[],
    has: readonly string[],
    key: (value: string) => string,
    member: string,
    lists: ListChange[],
  ): void {
    if (sameTexts(had, has)) return;
    for (const one of has) if (!had.includes(one)) lists.push(['SADD', key(one), member]);
    for (const one of had) if (!has.includes(one)) lists.push(['SREM', key(one), member]);
  }

  return {
    places,
    bucketOf: (row, issue, filing) =>
      row.state === 'ready' ? bucketOfRow(row, issue?.matchLabels ?? [], filing.isRelevant) : null,
    moveTask(before, after, lists) {
      const had = before === undefined ? NOWHERE : places(before);
      const has = places(after);
      const { id } = after.row;
      for (const key of had.keys()) if (!has.has(key)) lists.push(['ZREM', key, id]);
      for (const [key, score] of has) {
        if (had.get(key) !== score) lists.push(['ZADD', key, String(score), id]);
      }
      moveLease(before?.row, after.row, lists);
    },
    moveIssue(before, after, seenAt, isLearned, lists) {
      const { name, repository, number } = after;
      const had = issueOf(before);
      const has = after.issueText === before.issueText ? had : issueOf(after);
      const opened = { before: isOpenWork(before), after: isOpenWork(after) };
      const labels = { before: had?.matchLabels ?? [], after: has?.matchLabels ?? [] };
      moveUses(
        opened.before ? labels.before : [],
        opened.after ? labels.after : [],
        isLearned,
        lists,
      );
      const listed = isListed(has, opened.after);
      if (had === undefined || isListed(had, opened.before) !== listed) {
        const open = `${at.issues_open}${repository}`;
        if (listed) {
          lists.push(['ZADD', open, String(number), name], ['ZREM', at.issues_closed, name]);
        } else lists.push(['ZREM', open, name], ['ZADD', at.issues_closed, String(seenAt), name]);
      }
      const waits = (other: string) => `${at.issues_dependents}${repository}:${other}`;
      const carries = (label: string) => `${at.labels_issues}${label}`;
      const dependsOn = (issue: IssueRow | undefined) => issue?.dependsOn.map(String) ?? [];
      moveMembers(dependsOn(had), dependsOn(has), waits, name, lists);
      moveMembers(labels.before, labels.after, carries, name, lists);
    },
    moveLedger(name, before, after, lists) {
      const next = firstWriteAt(after);
      if (next === null) {
        if (before.writes.length > 0) lists.push(['ZREM', at.outbox_due, name]);
      } else if (firstWriteAt(before) !== next)
        lists.push(['ZADD', at.outbox_due, String(next), name]);
    },
  };
}
