// `change`: reads what a verb needs, asks it, and has the step apply the decision if nobody was faster.

import type { BaseStore } from '../../core/base-store.ts';
import { changesNothing, type Decision, type Found, type Verb } from '../../core/decide/verb.ts';
import { busy } from '../../core/errors.ts';
import type { AgentNote } from '../../core/rows/agent-row.ts';
import { sameTexts } from '../../core/rows/issue-row.ts';
import { type IssueRef, type LedgerRow, noLedger } from '../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../core/rows/task-row.ts';
import { factLines, type Shift } from './fact-lines.ts';
import type { Identifiers, Keys } from './keys.ts';
import type { Pictures } from './pictures.ts';
import type { Buckets, Filing } from './registry.ts';
import type { Rows } from './rows.ts';
import { isOpenRow, type Standing } from './standing.ts';
import type { Change, ListChange, RowChange, Steps } from './steps.ts';
import type { StoreClock } from './store-clock.ts';
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
} from './texts.ts';

const MOST_TRIES = 50;
const NOWHERE: IssueRef = { repository: '', number: 0 };

/** What a verb was shown. */
interface Seen {
  readonly tasks: ReadonlyMap<string, FiledTask>;
  readonly ids: readonly string[];
  readonly ref: IssueRef | null;
  readonly head: IssueHead | undefined;
  readonly ledger: Ledger;
}

interface Prepared {
  readonly change: Change;
  /** What the rows are afterwards, by name. */
  readonly next: ReadonlyMap<string, FiledTask | IssueHead | Ledger>;
  readonly names: readonly string[];
}

interface Decided<Answer> {
  readonly seen: Seen;
  readonly decision: Decision<Answer>;
  readonly places: readonly [number, number] | null;
  readonly now: number;
}

export interface Changing {
  readonly keys: Keys;
  readonly identifiers: Identifiers;
  readonly rows: Rows;
  readonly steps: Steps;
  readonly clock: StoreClock;
  readonly buckets: Buckets;
  readonly standing: Standing;
  readonly pictures: Pictures;
  readonly note: (note: AgentNote, now: number) => void;
}

export interface Changes extends Pick<BaseStore, 'change' | 'changeAll'> {
  /** Files ready tasks of an issue by what counts now; a task that has just changed is left alone. */
  refile(ref: IssueRef): Promise<void>;
}

export function createChanges(env: Changing): Changes {
  const { keys, identifiers, rows, steps, clock, buckets, standing, pictures } = env;

  async function look(
    needs: { readonly tasks: readonly string[]; readonly issue: IssueRef | null },
    fresh: boolean,
  ): Promise<Seen> {
    const ref = needs.issue;
    const ids = [...new Set(needs.tasks)];
    const [tasks, issue] = await Promise.all([
      rows.tasks(ids, fresh),
      ref === null ? null : rows.issue(ref, fresh),
    ]);
    const ledger = issue?.ledger ?? { text: '', row: noLedger(ref ?? NOWHERE) };
    return { tasks, ids, ref, head: issue?.head, ledger };
  }

  const namesOf = ({ ids, ref }: Seen): string[] =>
    ref === null ? [...ids] : [...ids, headName(ref), ledgerName(ref)];

  function decide<Input, Answer>(
    verb: Verb<Input, Answer>,
    input: Input,
    seen: Seen,
  ): Decided<Answer> {
    const moment = clock.moment();
    const found: Found = {
      task: (id) => seen.tasks.get(id)?.row,
      issue: seen.head?.row,
      ledger: seen.ledger.row,
    };
    const decision = verb.decide(found, input, moment);
    return { seen, decision, places: moment.places(), now: moment.now };
  }

  /** Ready tasks of the issue that the decision does not name, where its labels changed. */
  async function others(seen: Seen, decision: Decision<unknown>): Promise<Map<string, FiledTask>> {
    const { head } = seen;
    const next = decision.issue?.row;
    if (head === undefined || next === undefined) return new Map();
    if (sameTexts(head.row.matchLabels, next.matchLabels)) return new Map();
    const named = new Set(decision.tasks?.map(({ id }) => id));
    const all = await rows.tasks(
      head.tasks.filter((id) => !named.has(id)),
      true,
    );
    return new Map([...all].filter(([, { row }]) => row.state === 'ready'));
  }

  async function file(all: readonly string[], fresh: boolean): Promise<Filing> {
    let filing = await buckets.filing(fresh);
    for (;;) {
      const missing = all.filter((bucket) => filing.number(bucket) === undefined);
      if (missing.length === 0) return filing;
      await buckets.register([...new Set(missing)]);
      filing = await buckets.filing(missing.some((name) => filing.number(name) === undefined));
    }
  }

  async function prepare({ seen, decision, places, now }: Decided<unknown>): Promise<Prepared> {
    const beside = await others(seen, decision);
    const known = new Map([...seen.tasks, ...beside]);
    const changed: TaskRow[] = [
      ...(decision.tasks ?? []),
      ...[...beside.values()].map(({ row }) => row),
    ];
    const issueRow = decision.issue?.row ?? seen.head?.row;
    let filing = await buckets.filing(false);
    const wanted = () => changed.map((row) => standing.bucketOf(row, issueRow, filing));
    let bucketNames = wanted();
    for (
      let tries = 0;
      bucketNames.some((name) => name !== null && filing.number(name) === undefined);
      tries += 1
    ) {
      if (tries > MOST_TRIES) throw busy(new Error('Buckets change too fast.'));
      filing = await file(
        bucketNames.filter((name) => name !== null),
        false,
      );
      bucketNames = wanted();
    }
    const born = decision.issue?.picture.createdAt ?? [...seen.tasks.values()][0]?.born ?? 0;

    const lists: ListChange[] = [];
    const rowChanges = new Map<string, RowChange>();
    const next = new Map<string, FiledTask | IssueHead | Ledger>();
    const touched = new Set<string>();
    const moves = new Map<string, Shift>();
    for (const id of seen.ids) {
      const text = seen.tasks.get(id)?.text ?? '';
      rowChanges.set(id, [id, text, '=']);
    }
    let { open = 0, tasks: ids = [] } = seen.head ?? {};
    for (const [index, row] of changed.entries()) {
      const before = known.get(row.id);
      const name = bucketNames[index] ?? null;
      const bucket = name === null ? (before?.bucket ?? '0') : (filing.number(name) ?? '0');
      const { lock } = identifiers.filedName(row.id);
      const after = encodeFiled(row, bucket, before?.born ?? born, lock);
      rowChanges.set(row.id, [row.id, before?.text ?? '', after.text]);
      next.set(row.id, after);
      lists.push(...standing.moveTask(before, after));
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

    const { ref, head } = seen;
    if (ref !== null) {
      rowChanges.set(headName(ref), [headName(ref), head?.text ?? '', '=']);
      rowChanges.set(ledgerName(ref), [ledgerName(ref), seen.ledger.text, '=']);
      prepareIssue(seen, decision, open, ids, filing, now, lists, rowChanges, next);
      prepareLedger(seen, decision.ledger, changed.length > 0, lists, rowChanges, next);
    }
    const all = [...rowChanges.values()];
    // An issue that looks as it did: only that it was seen is new, and that compares nothing.
    const facts = decision.facts ?? [];
    const blind = all.every(([, , text]) => text === '=') && lists.length + facts.length === 0;
    const seenRows: RowChange[] =
      decision.issue === undefined || ref === null
        ? []
        : [[seenName(ref), '*', String(decision.issue.row.seenAt)]];
    const change: Change = {
      rows: [...(blind ? [] : all), ...seenRows],
      lists,
      facts: factLines(facts, moves),
      until: decision.until ?? null,
      places,
      filing: bucketNames.some((name) => name !== null) ? filing.stamp : '',
      buckets: [...touched],
      timed: !blind,
    };
    return { change, next, names: namesOf(seen) };
  }

  function prepareIssue(
    { ref, head }: Seen,
    decision: Decision<unknown>,
    open: number,
    ids: readonly string[],
    filing: Filing,
    now: number,
    lists: ListChange[],
    rowChanges: Map<string, RowChange>,
    next: Map<string, FiledTask | IssueHead | Ledger>,
  ): void {
    const row = decision.issue?.row ?? head?.row;
    if (ref === null || row === undefined) return;
    const picture =
      decision.issue === undefined ? (head?.picture ?? '') : fingerprintOf(decision.issue.picture);
    const after = encodeHead(row, open, picture, ids);
    if (after.text === head?.text) return;
    rowChanges.set(headName(ref), [headName(ref), head?.text ?? '', after.text]);
    next.set(headName(ref), after);
    lists.push(
      ...standing.moveIssue(head, after, decision.issue?.row.seenAt ?? now, filing.isLearned),
    );
    if (decision.issue !== undefined && picture !== head?.picture) {
      const shown = decision.issue.picture;
      const key = `${keys.at.issue_metadata}${identifiers.issueId(ref.repository, ref.number)}`;
      pictures.put(ref, picture, shown);
      const fields = {
        number: String(ref.number),
        repository: ref.repository,
        title: shown.title,
        labels: JSON.stringify(shown.labels),
        url: shown.url,
        picture: JSON.stringify(shown),
      };
      lists.push(['HSET', '@', key, ...Object.entries(fields).flat()]);
    }
  }

  /** Lines that claims have put on a ledger are folded in by whoever ends the lease. */
  function prepareLedger(
    seen: Seen,
    wanted: LedgerRow | undefined,
    tasksChange: boolean,
    lists: ListChange[],
    rowChanges: Map<string, RowChange>,
    next: Map<string, FiledTask | IssueHead | Ledger>,
  ): void {
    const { ref, ledger } = seen;
    if (ref === null) return;
    const folds = tasksChange && ledger.text.startsWith('B');
    if (wanted === undefined && !folds) return;
    const after = encodeLedgerText(wanted ?? ledger.row);
    rowChanges.set(ledgerName(ref), [ledgerName(ref), ledger.text, after.text]);
    next.set(ledgerName(ref), after);
    lists.push(...standing.moveLedger(ledger.row, after.row));
  }

  async function apply(decided: Decided<unknown>, prepared: Prepared): Promise<boolean> {
    const word = await steps.change(prepared.change);
    if (word !== 'ok') {
      rows.forget(prepared.names);
      return false;
    }
    for (const [name, row] of prepared.next) rows.remember(name, row);
    for (const about of decided.decision.agents ?? []) env.note(about, decided.now);
    return true;
  }

  const applyOne = async (decided: Decided<unknown>): Promise<boolean> =>
    apply(decided, await prepare(decided));

  async function change<Input, Answer>(
    verb: Verb<Input, Answer>,
    input: Input,
    freshAtFirst = false,
  ): Promise<Answer> {
    const needs = verb.needs(input);
    let fresh = freshAtFirst;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const remembered = !fresh;
      const seen = await look(needs, fresh);
      const decided = decide(verb, input, seen);
      if (changesNothing(decided.decision)) {
        // A refusal, or a repeat, that was decided from what is remembered may be out of date.
        if (!remembered) return decided.decision.answer;
      } else if (await applyOne(decided)) return decided.decision.answer;
      else if (tries > 0) await buckets.filing(true);
      fresh = true;
    }
    throw busy(new Error(`${verb.name} was overtaken ${MOST_TRIES} times.`));
  }

  return {
    change: (verb, input) => change(verb, input),
    async changeAll(verb, inputs) {
      // All are decided before the first is applied: one that throws changes nothing.
      const all = await Promise.all(inputs.map((input) => look(verb.needs(input), true)));
      const decided = inputs.map((input, index) => decide(verb, input, all[index] as Seen));
      // In order: places in line rise from one to the next.
      const prepared = await Promise.all(
        decided.map(async (one) => (changesNothing(one.decision) ? null : prepare(one))),
      );
      const applied = await Promise.all(
        prepared.map(
          async (one, index) => one === null || apply(decided[index] as Decided<unknown>, one),
        ),
      );
      const answers: Awaited<ReturnType<typeof change>>[] = [];
      for (const [index, input] of inputs.entries()) {
        const done = applied[index] === true;
        answers.push(done ? decided[index]?.decision.answer : await change(verb, input, true));
      }
      return answers as never;
    },
    async refile(ref) {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const { head } = await rows.issue(ref, true);
        if (head === undefined) return;
        const tasks = await rows.tasks(head.tasks, true);
        const ready = [...tasks.values()].filter(({ row }) => row.state === 'ready');
        if (ready.length === 0) return;
        const seen = await look({ tasks: ready.map(({ row }) => row.id), issue: ref }, true);
        const again = [...seen.tasks.values()].map(({ row }) => row);
        const decision: Decision<null> = { tasks: again, answer: null };
        if (await applyOne({ seen, decision, places: null, now: clock.now() })) return;
        await buckets.filing(true);
      }
    },
  };
}
