// From a decision to what a step is told: the text that the work on an issue has next, and which lists follow from it.

import type { Decision } from '../../../core/decide/verb.ts';
import { busy } from '../../../core/errors.ts';
import type { Issue } from '../../../core/issue.ts';
import { encodeIssue } from '../../../core/rows/codec.ts';
import { type IssueRow, sameTexts } from '../../../core/rows/issue-row.ts';
import type { TaskRow } from '../../../core/rows/task-row.ts';
import type { Identifiers, Keys } from '../keys.ts';
import type { Buckets, Filing } from './buckets.ts';
import { factLines, type Left, type Shift } from './fact-lines.ts';
import type { Indexes } from './indexes.ts';
import type { IssueSnapshots } from './issue-snapshots.ts';
import type { Change, ListChange } from './step-arguments.ts';
import {
  type FiledTask,
  fileTask,
  findTask,
  fingerprintOf,
  isOpenWork,
  issueOf,
  nextWork,
  seenName,
  type Work,
  type WorkChange,
} from './work.ts';

const MOST_TRIES = 50;

export interface Decided {
  readonly work: Work;
  readonly decision: Decision<unknown>;
  readonly places: readonly [number, number] | null;
  readonly now: number;
}

export interface Prepared {
  readonly change: Change;
  /** The work afterwards; null: it stays as it was. */
  readonly next: Work | null;
}

interface FiledRows {
  readonly filing: Filing;
  /** The number of each task's bucket; null: it stands in none. */
  readonly numbers: readonly (string | null)[];
}

export interface Preparing {
  readonly keys: Keys;
  readonly identifiers: Identifiers;
  readonly buckets: Buckets;
  readonly indexes: Indexes;
  readonly snapshots: IssueSnapshots;
}

/** The issue where it looks otherwise than before; undefined: it does not. */
function changedIssue(work: Work, issue: Decision<unknown>['issue']): WorkChange['issue'] {
  if (issue === undefined) return undefined;
  const { row } = issue;
  const picture = fingerprintOf(issue.picture);
  const same = picture === work.picture && encodeIssue({ ...row, seenAt: 0 }) === work.issueText;
  return same ? undefined : { row, picture, born: work.born || issue.picture.createdAt };
}

/** Ready tasks that a decision does not name: where the labels of the issue change, so do their buckets. */
function readyBeside({ tasks }: Work, named: readonly TaskRow[]): TaskRow[] {
  return tasks
    .filter((task) => task.open && !named.some(({ id }) => task.id === id))
    .map(({ row }) => row)
    .filter(({ state }) => state === 'ready');
}

export function createPrepare(env: Preparing): (decided: Decided) => Promise<Prepared> {
  const { keys, identifiers, buckets, indexes, snapshots } = env;

  /** The number of each task's bucket; null where a bucket has none yet. */
  function fileBy(
    filing: Filing,
    rows: readonly TaskRow[],
    issue: () => IssueRow | undefined,
  ): FiledRows | null {
    const numbers: (string | null)[] = [];
    for (const row of rows) {
      const name = row.state === 'ready' ? indexes.bucketOf(row, issue(), filing) : null;
      const number = name === null ? null : filing.number(name);
      if (number === undefined) return null;
      numbers.push(number);
    }
    return { filing, numbers };
  }

  async function file(
    rows: readonly TaskRow[],
    issue: () => IssueRow | undefined,
  ): Promise<FiledRows> {
    for (let tries = 0; tries <= MOST_TRIES; tries += 1) {
      const filing = buckets.known() ?? (await buckets.filing(true));
      const filed = fileBy(filing, rows, issue);
      if (filed !== null) return filed;
      const names = rows.map((row) => indexes.bucketOf(row, issue(), filing));
      const missing = names.filter((name) => name !== null && filing.number(name) === undefined);
      await buckets.register([...new Set(missing)] as string[]);
      if (fileBy(filing, rows, issue) === null) await buckets.filing(true);
    }
    throw busy(new Error('Buckets change too fast.'));
  }

  function showIssue(work: Work, shown: Issue, fingerprint: string, lists: ListChange[]): void {
    const key = `${keys.at.issue_metadata}${identifiers.issueId(work.repository, work.number)}`;
    const fields = {
      number: String(work.number),
      repository: work.repository,
      title: shown.title,
      labels: JSON.stringify(shown.labels),
      url: shown.url,
    };
    lists.push(snapshots.put(work.name, fingerprint, shown), [
      'HSET',
      key,
      ...Object.entries(fields).flat(),
    ]);
  }

  return async ({ work, decision, places, now }) => {
    const { issue, facts = [], ledger } = decision;
    const before = issue === undefined ? undefined : issueOf(work);
    const relabelled =
      before !== undefined && !sameTexts(before.matchLabels, issue?.row.matchLabels ?? []);
    const named = decision.tasks ?? [];
    const changed = relabelled ? [...named, ...readyBeside(work, named)] : named;
    let known = issue?.row ?? before;
    const issueRow = () => {
      known ??= issueOf(work);
      return known;
    };
    const knownFiling = buckets.known();
    const { filing, numbers } =
      (knownFiling === null ? null : fileBy(knownFiling, changed, issueRow)) ??
      (await file(changed, issueRow));

    const lists: ListChange[] = [];
    const touched = new Set<string>();
    const moves = new Map<string, Shift>();
    const tasks: FiledTask[] = [...work.tasks];
    const olds = changed.map(({ id }) => findTask(work, id));
    changed.forEach((row, index) => {
      const old = olds[index];
      const bucket = numbers[index] ?? old?.bucket ?? '0';
      const task = fileTask(row, bucket, identifiers.lock(row));
      if (old === undefined) tasks.push(task);
      else tasks[work.tasks.indexOf(old)] = task;
      indexes.moveTask(old, task, lists);
      if (old?.row.state === 'ready') touched.add(old.bucket);
      if (row.state === 'ready') touched.add(bucket);
      const from = old?.row.state ?? 'none';
      const priority = old?.row.priority ?? row.priority;
      if (from !== row.state || priority !== row.priority) {
        moves.set(row.id, { from, to: row.state, before: priority, after: row.priority });
      }
    });
    const looks = changedIssue(work, issue);
    const same = looks === undefined && changed.length === 0 && ledger === undefined;
    const differs = {
      ...(looks === undefined ? {} : { issue: looks }),
      ...(ledger === undefined ? {} : { ledger }),
      tasks,
    };
    const next = same ? null : nextWork(work, differs, now, identifiers.lock);
    const after = next?.work ?? work;
    const [wasOpen, open] = [isOpenWork(work), isOpenWork(after)];
    if (looks !== undefined || wasOpen !== open) {
      indexes.moveIssue(work, after, issue?.row.seenAt ?? now, filing.isLearned, lists);
    }
    if (issue !== undefined && after.picture !== work.picture) {
      showIssue(work, issue.picture, after.picture, lists);
    }
    if (ledger !== undefined) indexes.moveLedger(work.name, work.ledger, ledger, lists);

    const rows: Change['rows'][number][] = [];
    if (next !== null) rows.push([work.name, work.stamp, next.text]);
    else if (issue === undefined || facts.length > 0) rows.push([work.name, work.stamp, '=']);
    if (issue !== undefined) rows.push([seenName(work.name), '*', String(issue.row.seenAt)]);
    const leased = after.tasks.some((task) => task.open && task.row.lease !== null);
    // Uses of labels that are learned are not counted: then they must be learned still.
    const comesIntoUse = open && (relabelled || !wasOpen);
    const filed = numbers.some((number) => number !== null);
    const change: Change = {
      rows,
      lists,
      facts: factLines(facts, moves),
      until: decision.until ?? null,
      places,
      filing: filed || comesIntoUse ? filing.stamp : '',
      buckets: [...touched],
      // An issue that looks as it did: only that it was seen is new, and that compares nothing.
      timed: next !== null || facts.length > 0,
      left: changed.map((row, index): Left => ({ row, before: olds[index]?.row ?? null, leased })),
    };
    return { change, next: next?.work ?? null };
  };
}
