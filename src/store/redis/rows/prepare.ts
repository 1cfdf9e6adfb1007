// From a decision to what a step is told: which rows it compares and sets, and which lists follow from them.

import type { Decision } from '../../../core/decide/verb.ts';
import { busy } from '../../../core/errors.ts';
import { type IssueRow, sameTexts } from '../../../core/rows/issue-row.ts';
import type { IssueRef, LedgerRow } from '../../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../../core/rows/task-row.ts';
import type { Identifiers, Keys } from '../keys.ts';
import type { Buckets, Filing } from './buckets.ts';
import { factLines, type Shift } from './fact-lines.ts';
import { type Indexes, isOpenRow } from './indexes.ts';
import type { IssueSnapshots } from './issue-snapshots.ts';
import {
  encodeFiled,
  encodeHead,
  encodeLedgerText,
  type FiledTask,
  fingerprintOf,
  headName,
  type IssueHead,
  type Ledger,
  ledgerName,
  seenName,
} from './row-codec.ts';
import type { Rows } from './rows.ts';
import { type Change, type ListChange, type RowChange } from './step-arguments.ts';

const MOST_TRIES = 50;

/** What a verb was shown. */
export interface Seen {
  readonly tasks: ReadonlyMap<string, FiledTask>;
  readonly ids: readonly string[];
  readonly ref: IssueRef | null;
  readonly head: IssueHead | undefined;
  readonly ledger: Ledger;
}

export interface Decided {
  readonly seen: Seen;
  readonly decision: Decision<unknown>;
  readonly places: readonly [number, number] | null;
  readonly now: number;
}

export interface Prepared {
  readonly change: Change;
  /** What the rows are afterwards, by name. */
  readonly next: readonly (readonly [string, FiledTask | IssueHead | Ledger])[];
}

export interface Preparing {
  readonly keys: Keys;
  readonly identifiers: Identifiers;
  readonly rows: Rows;
  readonly buckets: Buckets;
  readonly indexes: Indexes;
  readonly snapshots: IssueSnapshots;
}

/** Filled in part by part. */
interface Draft {
  readonly rows: RowChange[];
  readonly lists: ListChange[];
  readonly next: [string, FiledTask | IssueHead | Ledger][];
}

export function createPrepare(env: Preparing): (decided: Decided) => Promise<Prepared> {
  const { keys, identifiers, rows, buckets, indexes, snapshots } = env;

  /** Ready tasks of the issue that the decision does not name: its labels changed, and so do their buckets. */
  async function beside(head: IssueHead, decision: Decision<unknown>): Promise<FiledTask[]> {
    const named = new Set(decision.tasks?.map(({ id }) => id));
    const others = head.tasks.filter((id) => !named.has(id));
    const all = await rows.tasks(others, true);
    return [...all.values()].filter(({ row }) => row.state === 'ready');
  }

  /** The number of each task's bucket; null: it stands in none. */
  async function file(
    changed: readonly TaskRow[],
    issue: IssueRow | undefined,
  ): Promise<{ filing: Filing; numbers: (string | null)[] }> {
    for (let tries = 0; tries <= MOST_TRIES; tries += 1) {
      const filing = buckets.known() ?? (await buckets.filing(true));
      const names = changed.map((row) => indexes.bucketOf(row, issue, filing));
      const missing = names.filter((name) => name !== null && filing.number(name) === undefined);
      if (missing.length === 0) {
        const numberOf = (name: string | null) =>
          name === null ? null : (filing.number(name) ?? '0');
        return { filing, numbers: names.map(numberOf) };
      }
      await buckets.register([...new Set(missing)] as string[]);
      const known = buckets.known();
      if (missing.some((name) => known?.number(name ?? '') === undefined))
        await buckets.filing(true);
    }
    throw busy(new Error('Buckets change too fast.'));
  }

  function prepareIssue(
    { ref, head }: Seen,
    { issue }: Decision<unknown>,
    open: number,
    ids: readonly string[],
    at: { readonly now: number; readonly filing: Filing },
    draft: Draft,
  ): void {
    const row = issue?.row ?? head?.row;
    if (ref === null) return;
    const name = headName(ref);
    const picture = issue === undefined ? (head?.picture ?? '') : fingerprintOf(issue.picture);
    const after = row === undefined ? undefined : encodeHead(row, open, picture, ids);
    if (after === undefined || after.text === head?.text) {
      draft.rows.push([name, head?.text ?? '', '=']);
      return;
    }
    draft.rows.push([name, head?.text ?? '', after.text]);
    draft.next.push([name, after]);
    const seenAt = issue?.row.seenAt ?? at.now;
    draft.lists.push(...indexes.moveIssue(head, after, seenAt, at.filing.isLearned));
    if (issue === undefined || picture === head?.picture) return;
    const shown = issue.picture;
    const fields = {
      number: String(ref.number),
      repository: ref.repository,
      title: shown.title,
      labels: JSON.stringify(shown.labels),
      url: shown.url,
    };
    const key = `${keys.at.issue_metadata}${identifiers.issueId(ref.repository, ref.number)}`;
    draft.lists.push(snapshots.put(ref, picture, shown));
    draft.lists.push(['HSET', key, ...Object.entries(fields).flat()]);
  }

  /** Lines that claims have put on a ledger are folded in by whoever ends the lease. */
  function prepareLedger(
    { ref, ledger }: Seen,
    wanted: LedgerRow | undefined,
    tasksChange: boolean,
    draft: Draft,
  ): void {
    if (ref === null) return;
    const name = ledgerName(ref);
    const folds = tasksChange && ledger.text.startsWith('B');
    if (wanted === undefined && !folds) {
      draft.rows.push([name, ledger.text, '=']);
      return;
    }
    const after = encodeLedgerText(wanted ?? ledger.row);
    draft.rows.push([name, ledger.text, after.text]);
    draft.next.push([name, after]);
    draft.lists.push(...indexes.moveLedger(ledger.row, after.row));
  }

  return async ({ seen, decision, places, now }) => {
    const { ref, head } = seen;
    const { issue, facts = [] } = decision;
    const relabelled =
      head !== undefined &&
      issue !== undefined &&
      !sameTexts(head.row.matchLabels, issue.row.matchLabels);
    const others = relabelled ? await beside(head, decision) : [];
    const changed = [...(decision.tasks ?? []), ...others.map(({ row }) => row)];
    const { filing, numbers } = await file(changed, issue?.row ?? head?.row);
    const born = issue?.picture.createdAt ?? seen.tasks.values().next().value?.born ?? 0;

    const draft: Draft = { rows: [], lists: [], next: [] };
    const touched = new Set<string>();
    const moves = new Map<string, Shift>();
    let { open = 0, tasks: ids = [] } = head ?? {};
    for (const id of seen.ids) {
      if (changed.some((row) => row.id === id)) continue;
      draft.rows.push([id, seen.tasks.get(id)?.text ?? '', '=']);
    }
    for (const [index, row] of changed.entries()) {
      const before = seen.tasks.get(row.id) ?? others.find((other) => other.row.id === row.id);
      const bucket = numbers[index] ?? before?.bucket ?? '0';
      const { lock } = identifiers.filedName(row.id);
      const after = encodeFiled(row, bucket, before?.born ?? born, lock);
      draft.rows.push([row.id, before?.text ?? '', after.text]);
      draft.next.push([row.id, after]);
      draft.lists.push(...indexes.moveTask(before, after));
      if (before?.row.state === 'ready') touched.add(before.bucket);
      if (row.state === 'ready') touched.add(bucket);
      open += (isOpenRow(row) ? 1 : 0) - (before !== undefined && isOpenRow(before.row) ? 1 : 0);
      if (before === undefined) ids = [...ids, row.id];
      const from = before?.row.state ?? 'none';
      const old = before?.row.priority ?? row.priority;
      if (from !== row.state || old !== row.priority) {
        moves.set(row.id, { from, to: row.state, before: old, after: row.priority });
      }
    }
    prepareIssue(seen, decision, open, ids, { now, filing }, draft);
    prepareLedger(seen, decision.ledger, changed.length > 0, draft);

    const filed = numbers.some((number) => number !== null);
    // Uses of labels that are learned are not counted: then they must be learned still.
    const comesIntoUse = open > 0 && (relabelled || (head?.open ?? 0) === 0);
    // An issue that looks as it did: only that it was seen is new, and that compares nothing.
    const blind = draft.next.length + draft.lists.length + facts.length === 0;
    const seenRows: RowChange[] =
      issue === undefined || ref === null ? [] : [[seenName(ref), '*', String(issue.row.seenAt)]];
    const change: Change = {
      rows: blind ? seenRows : [...draft.rows, ...seenRows],
      lists: draft.lists,
      facts: factLines(facts, moves),
      until: decision.until ?? null,
      places,
      filing: filed || comesIntoUse ? filing.stamp : '',
      buckets: [...touched],
      timed: !blind,
      left: changed.map((row) => ({ row, tasks: ids })),
    };
    return { change, next: draft.next };
  };
}
