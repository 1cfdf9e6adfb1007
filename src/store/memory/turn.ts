// One turn of the event loop: what it changes, kept together until the archive has it, and how to take it back.

import { HISTORY_KEPT, isHistory } from '../../core/attempt/history.ts';
import { withoutResult } from '../../core/decide/forget.ts';
import type { Decision } from '../../core/decide/verb.ts';
import type { Fact, FactBody } from '../../core/facts.ts';
import type { Issue } from '../../core/issue.ts';
import { nextEnqueueAt } from '../../core/priority.ts';
import type { AgentNote } from '../../core/rows/agent-row.ts';
import { encodeIssue } from '../../core/rows/codec.ts';
import { type IssueRow, isSameIssue } from '../../core/rows/issue-row.ts';
import { type IssueRef, type LedgerRow, noLedger } from '../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../core/rows/task-row.ts';
import { parseTaskId } from '../../core/task.ts';
import { createAgentNotes } from './agent-notes.ts';
import type { Archive, Changes, Counters, KeptIssue } from './archive.ts';
import {
  decodeWork,
  encodeWork,
  entriesOf,
  type IssueEntry,
  isOpenRow,
  issueEntry,
  revive,
  type TaskEntry,
  taskEntry,
} from './entries.ts';
import { createIssueMap } from './issue-map.ts';
import type { Memory } from './memory.ts';

export interface Turn {
  task(id: string): TaskEntry | undefined;
  issue(ref: IssueRef): IssueEntry | undefined;
  /** What the forge showed last. */
  picture(issue: IssueEntry): Issue;
  apply(decision: Decision<unknown>, ref: IssueRef | null, now: number): void;
  note(note: AgentNote, now: number): void;
  append(body: FactBody, now: number): void;
  putSetting(name: string, value: unknown): void;
  learned(label: string): void;
  forgetAgent(agentId: string): void;
  /** False: it is in use. */
  forgetIssue(kept: KeptIssue): boolean;
  /** Of tasks that ended before this instant; the entry is done with. */
  forgetResults(entry: { seq: number; issues: readonly number[] }, before: number): void;
  /** True: there is something to keep. */
  isDirty(): boolean;
  mark(): Mark;
  /** Takes back what was done since; everything, without a mark. */
  undo(mark?: Mark): void;
  changes(clock: number): Changes;
  facts(): readonly Fact[];
  lastFact(): number;
  /** It is kept now: the next turn begins. */
  finish(): void;
  /** The next place in line. */
  nextPlace(now: number): number;
}

interface Mark {
  readonly steps: number;
  readonly facts: number;
  readonly place: number;
}

export function createTurn(memory: Memory, archive: Archive, start: Counters): Turn {
  const steps: (() => void)[] = [];
  /** Read or made in this turn; only those that changed are kept again. */
  const atHand = createIssueMap<IssueEntry>();
  const issues = new Map<IssueEntry, Issue | null>();
  /** Of which the ledger or a task changed. */
  const work = new Set<IssueEntry>();
  const made = new Set<TaskEntry>();
  const results = new Set<number>();
  const forgotten = createIssueMap<{ seq: number; tasks: number[] }>();
  const settings = new Set<string>();
  const learned = new Set<string>();
  let resultsForgotten: number | null = null;
  let facts: Fact[] = [];
  /** Something that must not wait for the next turn. */
  let urgent = false;
  let { factSeq, taskSeq, issueSeq, place } = start;
  let placeAtStart = place;

  function step(undo: () => void): void {
    urgent = true;
    steps.push(undo);
  }

  const agents = createAgentNotes(memory.agents, step);

  function issue(ref: IssueRef): IssueEntry | undefined {
    const found = memory.issues.get(ref) ?? atHand.get(ref);
    if (found !== undefined || forgotten.has(ref)) return found;
    const kept = archive.issue(ref);
    if (kept === undefined) return undefined;
    const entry = decodeWork(kept);
    atHand.set(ref, entry);
    return entry;
  }

  function task(id: string): TaskEntry | undefined {
    const name = parseTaskId(id);
    const of = name === null ? undefined : issue(name);
    const found = of?.tasks.find((one) => one.id === id);
    if (of === undefined || found === undefined) return undefined;
    return found.row === null ? revive(found, of) : found;
  }

  function addTask(row: TaskRow, of: IssueEntry, now: number): TaskEntry {
    taskSeq += 1;
    const entry = taskEntry({ seq: taskSeq, id: row.id }, of, row);
    of.tasks.push(entry);
    memory.addTask(entry);
    made.add(entry);
    work.add(of);
    step(() => {
      memory.dropTask(entry, now);
      of.tasks.splice(of.tasks.indexOf(entry), 1);
      made.delete(entry);
    });
    return entry;
  }

  function putTask(row: TaskRow, now: number): TaskEntry {
    const of = issue(row);
    if (of === undefined) throw new Error(`A task of an issue that nobody mirrored: ${row.id}`);
    const at = of.tasks.findIndex(({ id }) => id === row.id);
    const stood = of.tasks[at];
    if (stood === undefined) return addTask(row, of, now);
    const entry = stood.row === null ? revive(stood, of) : stood;
    const { row: before, facts: numbers } = entry;
    of.tasks[at] = entry;
    memory.putTask(entry, row, now);
    work.add(of);
    if (row.result !== null && before.result === null) results.add(of.seq);
    step(() => {
      memory.putTask(entry, before, now);
      entry.facts = numbers;
      of.tasks[at] = stood;
    });
    return entry;
  }

  function putIssue(row: IssueRow, picture: Issue, now: number): IssueEntry {
    const found = issue(row);
    if (found === undefined) {
      issueSeq += 1;
      const fresh = issueEntry(issueSeq, row, noLedger(row), null);
      atHand.set(row, fresh);
      issues.set(fresh, picture);
      work.add(fresh);
      step(() => {
        atHand.delete(row);
        issues.delete(fresh);
        work.delete(fresh);
        // A row that is closed and empty is dropped by `keepOrDrop`.
        fresh.row = { ...row, state: 'closed' };
      });
      return fresh;
    }
    const before = found.row;
    const earlier = issues.get(found);
    memory.putIssue(found, row, now);
    issues.set(found, picture);
    step(() => {
      memory.putIssue(found, before, now);
      if (earlier === undefined) issues.delete(found);
      else issues.set(found, earlier);
    });
    return found;
  }

  function putLedger(of: IssueEntry, ledger: LedgerRow): void {
    const before = of.ledger;
    memory.putLedger(of, ledger);
    work.add(of);
    step(() => memory.putLedger(of, before));
  }

  /** Whether an issue has to be at hand may change with each of its parts: looked at when all are in place. */
  function keepOrDrop(of: IssueEntry): void {
    const lived = of.lives;
    memory.keepOrDrop(of);
    const { lives } = of;
    if (lives !== lived && of.kept !== null) {
      work.add(of);
      if (!issues.has(of)) issues.set(of, null);
    }
    if (!lives && (of.kept !== null || issues.has(of))) atHand.set(of.row, of);
  }

  function append(body: FactBody, now: number): void {
    urgent = true;
    factSeq += 1;
    facts.push({ seq: factSeq, at: now, ...body });
  }

  /** The number of the last fact becomes a part of its task's history. */
  function remember({ taskId }: { taskId: string }, put: readonly TaskEntry[]): void {
    for (const entry of put) {
      if (entry.id === taskId) entry.facts = [...entry.facts.slice(1 - HISTORY_KEPT), factSeq];
    }
  }

  function finish(): void {
    for (const entry of issues.keys()) entry.kept = entry.row;
    for (const of of work) {
      of.tasks.forEach(({ seq, id, row, text }, at) => {
        if (row !== null && text !== null) of.tasks[at] = { seq, id, row: null, text };
      });
    }
    agents.finish();
    const sets = [atHand, issues, work, made, results, forgotten, settings, learned];
    for (const set of sets) set.clear();
    steps.length = 0;
    placeAtStart = place;
    facts = [];
    resultsForgotten = null;
    urgent = false;
  }

  return {
    task,
    issue,
    picture: (of) => issues.get(of) ?? archive.picture(of.seq),
    note: agents.note,
    append,
    apply(decision, ref, now) {
      const { tasks: rows = [], ledger, agents: notes = [], facts: bodies = [] } = decision;
      let of: IssueEntry | undefined;
      // Steps are taken back from the last to the first, so that this one comes when all others are undone.
      steps.push(() => {
        if (of !== undefined) keepOrDrop(of);
      });
      if (decision.issue !== undefined) {
        of = putIssue(decision.issue.row, decision.issue.picture, now);
      } else if (ref !== null) of = issue(ref);
      const put = rows.map((row) => putTask(row, now));
      if (ledger !== undefined && of !== undefined) putLedger(of, ledger);
      if (of !== undefined) keepOrDrop(of);
      for (const about of notes) agents.note(about, now);
      for (const body of bodies) {
        append(body, now);
        if ('taskId' in body && isHistory(body)) remember(body, put);
      }
    },
    putSetting(name, value) {
      const before = memory.settings.get(name);
      const put = (to: unknown) => {
        if (to === undefined) memory.settings.delete(name);
        else memory.settings.set(name, to);
      };
      put(value);
      settings.add(name);
      step(() => put(before));
    },
    learned(label) {
      learned.add(label);
      memory.buckets.finishLearning(label);
      step(() => {
        learned.delete(label);
        // Tasks stand under it already; it counts as unlearned until that is kept.
        memory.buckets.beginLearning(label);
      });
    },
    forgetAgent: agents.forget,
    forgetIssue(kept) {
      if (memory.issues.has(kept) || atHand.has(kept) || forgotten.has(kept)) return false;
      const ended = entriesOf(decodeWork(kept));
      forgotten.set(kept, { seq: kept.seq, tasks: ended.map(({ seq }) => seq) });
      for (const { row } of ended) memory.countEnded(row, -1);
      step(() => {
        for (const { row } of ended) memory.countEnded(row, 1);
        forgotten.delete(kept);
      });
      return true;
    },
    forgetResults({ seq, issues: numbers }, before) {
      for (const number of numbers) {
        const kept = archive.issueNumbered(number);
        const of = kept === undefined ? undefined : issue(kept);
        for (const { row } of of === undefined ? [] : entriesOf(of)) {
          const without = withoutResult(row, before);
          if (without !== null) putTask(without, row.endedAt ?? before);
        }
      }
      resultsForgotten = seq;
      step(() => {
        resultsForgotten = null;
      });
    },
    isDirty: () => urgent,
    mark: () => ({ steps: steps.length, facts: facts.length, place }),
    undo(mark = { steps: 0, facts: 0, place: placeAtStart }) {
      for (const undo of steps.splice(mark.steps).reverse()) undo();
      factSeq -= facts.length - mark.facts;
      facts.length = mark.facts;
      ({ place } = mark);
      if (mark.steps === 0) finish();
    },
    changes: (clock) => ({
      counters: {
        clock,
        place,
        registryVersion: memory.buckets.version(),
        factSeq,
        taskSeq,
        issueSeq,
        ended: memory.counts().filter((count) => !isOpenRow(count)),
      },
      forgotten: forgotten.values(),
      issues: Array.from(issues, ([entry, picture]) => ({
        seq: entry.seq,
        repository: entry.row.repository,
        number: entry.row.number,
        row: encodeIssue(entry.row),
        made: entry.kept === null,
        changed: entry.kept === null || !isSameIssue(entry.kept, entry.row),
        closedAt: entry.lives ? null : entry.row.seenAt,
        picture,
      })),
      work: Array.from(work, (entry) => [entry.seq, encodeWork(entry)] as const),
      tasks: Array.from(made, ({ seq, issue: of }) => [seq, of.seq] as const),
      results: [...results],
      resultsForgotten,
      agents: agents.changes(),
      settings: Array.from(settings, (name) => [name, memory.settings.get(name)] as const),
      learned: [...learned],
      facts,
    }),
    facts: () => facts,
    lastFact: () => factSeq,
    finish,
    nextPlace(now) {
      place = nextEnqueueAt(now, place);
      return place;
    },
  };
}
