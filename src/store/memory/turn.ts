// One turn of the event loop: what it changes, kept together until the archive has it, and how to take it back.

import type { Decision } from '../../core/decide/verb.ts';
import type { Fact, FactBody } from '../../core/facts.ts';
import { HISTORY_KEPT, isHistory } from '../../core/history.ts';
import type { Issue } from '../../core/issue.ts';
import { type AgentNote, foldNote } from '../../core/rows/agent-row.ts';
import { type IssueRow, isSameIssue, sameTexts } from '../../core/rows/issue-row.ts';
import { type IssueRef, type LedgerRow, noLedger } from '../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../core/rows/task-row.ts';
import type { QueueCount } from '../../core/store.ts';
import { parseTaskId } from '../../core/task.ts';
import type { Archive, Changes, Counters } from './archive.ts';
import type { IssueEntry, TaskEntry } from './entries.ts';
import { createIssueMap } from './issue-map.ts';
import { FROM_ARCHIVE, isOpenRow, livesOn, type Memory } from './memory.ts';

/** How old the kept instant of an agent's last sign of life may be. */
const SEEN_KEPT_MS = 1000;

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
  place(): number;
  takePlace(at: number): void;
}

interface Mark {
  readonly steps: number;
  readonly facts: number;
  readonly place: number;
}

export function createTurn(memory: Memory, archive: Archive, start: Counters): Turn {
  const steps: (() => void)[] = [];
  const tasks = new Map<string, TaskEntry>();
  /** Read or made in this turn; only those that changed are kept again. */
  const atHand = createIssueMap<IssueEntry>();
  const issues = new Map<IssueEntry, Issue | null>();
  const ledgers = new Set<IssueEntry>();
  const agents = new Set<string>();
  /** When each agent was last seen, as the archive has it. */
  const seenKept = new Map(Array.from(memory.agents.values(), (a) => [a.agentId, a.lastSeenAt]));
  const settings = new Set<string>();
  const learned = new Set<string>();
  const ended = new Map<string, QueueCount & { count: number }>();
  let facts: Fact[] = [];
  /** Something that must not wait for the next turn. */
  let urgent = false;
  let { factSeq, taskSeq, issueSeq, place } = start;
  let placeAtStart = place;

  function issue(ref: IssueRef): IssueEntry | undefined {
    const found = memory.issues.get(ref) ?? atHand.get(ref);
    if (found !== undefined) return found;
    const kept = archive.issue(ref);
    if (kept === undefined) return undefined;
    const entry: IssueEntry = { ...kept, open: new Map(), ...FROM_ARCHIVE, kept: kept.row };
    atHand.set(ref, entry);
    return entry;
  }

  /** Spares the archive most questions for follow-ups that are not there yet. */
  function mayHaveEnded(id: string): boolean {
    const name = parseTaskId(id);
    if (name === null) return false;
    const of = issue(name);
    if (of === undefined) return false;
    of.ended ??= new Set(archive.tasksOf(name).map(({ row }) => row.id));
    return of.ended.has(id);
  }

  function task(id: string): TaskEntry | undefined {
    const found = memory.tasks.get(id) ?? tasks.get(id);
    if (found !== undefined || !mayHaveEnded(id)) return found;
    const kept = archive.task(id);
    if (kept === undefined) return undefined;
    const { seq, row, facts: numbers } = kept;
    const of = issue(row);
    if (of === undefined) throw new Error(`The issue of the task ${id} is missing.`);
    return { seq, issue: of, row, facts: numbers, lane: null, kept: row.state };
  }

  function countEnded(row: TaskRow, by: number): void {
    if (isOpenRow(row)) return;
    const { state, kind, priority } = row;
    const key = `${state} ${kind} ${priority}`;
    const found = ended.get(key);
    if (found === undefined) ended.set(key, { state, kind, priority, count: by });
    else found.count += by;
  }

  function putTask(row: TaskRow, now: number): void {
    urgent = true;
    const entry = task(row.id);
    if (entry === undefined) {
      const of = issue(row);
      if (of === undefined) throw new Error(`A task of an issue that nobody mirrored: ${row.id}`);
      taskSeq += 1;
      const made: TaskEntry = { seq: taskSeq, issue: of, row, facts: [], lane: null, kept: null };
      memory.addTask(made);
      tasks.set(row.id, made);
      countEnded(row, 1);
      steps.push(() => {
        memory.dropTask(made, now);
        tasks.delete(row.id);
        countEnded(row, -1);
      });
      return;
    }
    const { row: before, facts: numbers } = entry;
    countEnded(before, -1);
    memory.putTask(entry, row, now);
    countEnded(row, 1);
    tasks.set(row.id, entry);
    steps.push(() => {
      countEnded(row, -1);
      memory.putTask(entry, before, now);
      countEnded(before, 1);
      entry.facts = numbers;
    });
  }

  function putIssue(row: IssueRow, picture: Issue, now: number): IssueEntry {
    urgent = true;
    const found = issue(row);
    if (found === undefined) {
      issueSeq += 1;
      const ledger = noLedger(row);
      const made: IssueEntry = {
        seq: issueSeq,
        row,
        ledger,
        open: new Map(),
        busy: false,
        kept: null,
        ledgerKept: false,
        ended: new Set(),
      };
      atHand.set(row, made);
      issues.set(made, picture);
      steps.push(() => {
        atHand.delete(row);
        issues.delete(made);
        // A row that is closed and empty is dropped by settling it.
        made.row = { ...row, state: 'closed' };
      });
      return made;
    }
    const before = found.row;
    const earlier = issues.get(found);
    memory.putIssue(found, row, now);
    issues.set(found, picture);
    steps.push(() => {
      memory.putIssue(found, before, now);
      if (earlier === undefined) issues.delete(found);
      else issues.set(found, earlier);
    });
    return found;
  }

  function putLedger(of: IssueEntry, ledger: LedgerRow): void {
    urgent = true;
    const before = of.ledger;
    memory.putLedger(of, ledger);
    ledgers.add(of);
    steps.push(() => memory.putLedger(of, before));
  }

  /** Whether an issue has to be at hand may change with each of its parts: looked at when all are in place. */
  function settle(of: IssueEntry): void {
    const lived = memory.issues.has(of.row);
    memory.settleIssue(of);
    const lives = memory.issues.has(of.row);
    if (lives !== lived && of.kept !== null && !issues.has(of)) issues.set(of, null);
    if (!lives && (of.kept !== null || issues.has(of))) atHand.set(of.row, of);
  }

  function note(about: AgentNote, now: number): void {
    const { agentId } = about;
    const before = memory.agents.get(agentId);
    const after = foldNote(before, about, now);
    if (after === undefined) return;
    memory.agents.set(agentId, after);
    const changed =
      before?.lapsed !== after.lapsed || !sameTexts(before.capabilities, after.capabilities);
    if (changed || now - (seenKept.get(agentId) ?? 0) >= SEEN_KEPT_MS) agents.add(agentId);
    // When it was last seen is kept with the next change of anything; a lost instant harms nobody.
    if (!changed) return;
    urgent = true;
    steps.push(() => {
      if (before === undefined) {
        memory.agents.delete(agentId);
        agents.delete(agentId);
      } else memory.agents.set(agentId, before);
    });
  }

  function append(body: FactBody, now: number): void {
    urgent = true;
    factSeq += 1;
    facts.push({ seq: factSeq, at: now, ...body });
    const entry = 'taskId' in body && isHistory(body) ? tasks.get(body.taskId) : undefined;
    if (entry !== undefined) entry.facts = [...entry.facts.slice(1 - HISTORY_KEPT), factSeq];
  }

  function finish(): void {
    for (const entry of tasks.values()) entry.kept = entry.row.state;
    for (const entry of issues.keys()) entry.kept = entry.row;
    for (const entry of ledgers) entry.ledgerKept = true;
    for (const id of agents) seenKept.set(id, memory.agents.get(id)?.lastSeenAt ?? 0);
    if (seenKept.size > 2 * memory.agents.size + 1000) {
      for (const id of seenKept.keys()) if (!memory.agents.has(id)) seenKept.delete(id);
    }
    for (const kept of [tasks, atHand, issues, ledgers, agents, settings, learned, ended]) {
      kept.clear();
    }
    steps.length = 0;
    placeAtStart = place;
    facts = [];
    urgent = false;
  }

  return {
    task,
    issue,
    picture: (of) => issues.get(of) ?? archive.picture(of.seq),
    note,
    append,
    apply(decision, ref, now) {
      const { tasks: rows = [], ledger, agents: notes = [], facts: bodies = [] } = decision;
      let of: IssueEntry | undefined;
      // Steps are taken back from the last to the first, so that this one comes when all others are undone.
      steps.push(() => {
        if (of !== undefined) settle(of);
      });
      if (decision.issue !== undefined) {
        of = putIssue(decision.issue.row, decision.issue.picture, now);
      } else if (ref !== null) of = issue(ref);
      for (const row of rows) putTask(row, now);
      if (ledger !== undefined && of !== undefined) putLedger(of, ledger);
      if (of !== undefined) settle(of);
      for (const about of notes) note(about, now);
      for (const body of bodies) append(body, now);
    },
    putSetting(name, value) {
      urgent = true;
      const before = memory.settings.get(name);
      const put = (to: unknown) => {
        if (to === undefined) memory.settings.delete(name);
        else memory.settings.set(name, to);
      };
      put(value);
      settings.add(name);
      steps.push(() => put(before));
    },
    learned(label) {
      urgent = true;
      learned.add(label);
      memory.buckets.finishLearning(label);
      steps.push(() => {
        learned.delete(label);
        // Tasks stand under it already; it counts as unlearned until that is kept.
        memory.buckets.beginLearning(label);
      });
    },
    isDirty: () => urgent,
    mark: () => ({ steps: steps.length, facts: facts.length, place }),
    undo(mark = { steps: 0, facts: 0, place: placeAtStart }) {
      for (const step of steps.splice(mark.steps).reverse()) step();
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
      },
      tasks: [...tasks.values()].map(
        ({ seq, issue: { seq: issueSeq }, row, facts: own, kept }) => ({
          seq,
          issueSeq,
          row,
          facts: own,
          before: kept,
        }),
      ),
      issues: [...issues].map(([entry, picture]) => ({
        seq: entry.seq,
        row: entry.row,
        picture,
        made: entry.kept === null,
        changed: entry.kept === null || !isSameIssue(entry.kept, entry.row),
        lives: livesOn(entry),
      })),
      ledgers: [...ledgers].map(({ seq, ledger, ledgerKept }) => ({
        issueSeq: seq,
        ledger,
        made: !ledgerKept,
      })),
      agents: [...agents].flatMap((id) => {
        const row = memory.agents.get(id);
        return row === undefined ? [] : { row, made: !seenKept.has(id) };
      }),
      settings: [...settings].map((name) => [name, memory.settings.get(name)] as const),
      learned: [...learned],
      facts,
      ended: [...ended.values()].filter(({ count }) => count !== 0),
    }),
    facts: () => facts,
    lastFact: () => factSeq,
    finish,
    place: () => place,
    takePlace(at) {
      place = at;
    },
  };
}
