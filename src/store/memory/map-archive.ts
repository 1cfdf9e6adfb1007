// An archive in memory: for simulations and tests, and for whoever needs no file.

import { countFacts } from '../../core/count-facts.ts';
import type { Fact } from '../../core/facts.ts';
import { type Issue, issueKey } from '../../core/issue.ts';
import type { AgentRow } from '../../core/rows/agent-row.ts';
import { type IssueRef, noLedger } from '../../core/rows/ledger-row.ts';
import type { QueueCount, StatsRow } from '../../core/store.ts';
import { OPEN_STATES } from '../../core/task.ts';
import type { Archive, Changes, Counters, KeptIssue, KeptTask } from './archive.ts';

interface Kept extends KeptIssue {
  readonly picture: Issue;
  readonly lives: boolean;
}

const NOTHING: Counters = {
  clock: 0,
  place: 0,
  registryVersion: 1,
  factSeq: 0,
  taskSeq: 0,
  issueSeq: 0,
};

const keyOf = ({ repository, number }: IssueRef): string => issueKey(repository, number);

export function createMapArchive(): Archive {
  const tasks = new Map<number, KeptTask>();
  const byId = new Map<string, number>();
  const byIssue = new Map<number, number[]>();
  const issues = new Map<number, Kept>();
  const byKey = new Map<string, number>();
  const agents = new Map<string, AgentRow>();
  const settings = new Map<string, unknown>();
  const learned = new Set<string>();
  const ended = new Map<string, QueueCount>();
  const stats = new Map<string, Map<string, Record<string, number>>>();
  let facts: Fact[] = [];
  let counters = NOTHING;

  const isOpen = ({ row }: KeptTask) => OPEN_STATES.includes(row.state);
  const bySeq = (a: KeptTask, b: KeptTask) => a.seq - b.seq;

  function countEnded({ state, kind, priority, count }: QueueCount): void {
    const key = `${state} ${kind} ${priority}`;
    const before = ended.get(key)?.count ?? 0;
    ended.set(key, { state, kind, priority, count: before + count });
  }

  function writeIssues(changes: Changes): void {
    for (const { seq, row, picture, lives } of changes.issues) {
      const before = issues.get(seq);
      const shown = picture ?? before?.picture;
      if (shown === undefined) throw new Error(`An issue without a picture: ${keyOf(row)}`);
      const ledger = before?.ledger ?? noLedger(row);
      issues.set(seq, { seq, row, ledger, picture: shown, lives });
      byKey.set(keyOf(row), seq);
    }
    for (const { issueSeq, ledger } of changes.ledgers) {
      const issue = issues.get(issueSeq);
      if (issue !== undefined) issues.set(issueSeq, { ...issue, ledger });
    }
  }

  function writeTasks(changes: Changes): void {
    for (const { seq, issueSeq, row, facts: numbers, before } of changes.tasks) {
      tasks.set(seq, { seq, issueSeq, row, facts: numbers });
      if (before !== null) continue;
      byId.set(row.id, seq);
      byIssue.set(issueSeq, [...(byIssue.get(issueSeq) ?? []), seq]);
    }
    for (const count of changes.ended) countEnded(count);
  }

  function writeFacts(fresh: readonly Fact[]): void {
    facts.push(...fresh);
    for (const { period, start, counter, value } of countFacts(fresh)) {
      const rows = stats.get(period) ?? new Map<string, Record<string, number>>();
      const row = rows.get(start) ?? {};
      row[counter] = (row[counter] ?? 0) + value;
      stats.set(period, rows.set(start, row));
    }
  }

  function tasksOfSeq(issueSeq: number): KeptTask[] {
    return (byIssue.get(issueSeq) ?? []).flatMap((seq) => tasks.get(seq) ?? []).sort(bySeq);
  }

  function forgetIssue(seq: number): void {
    const issue = issues.get(seq);
    for (const task of tasksOfSeq(seq)) {
      const { state, kind, priority } = task.row;
      countEnded({ state, kind, priority, count: -1 });
      tasks.delete(task.seq);
      byId.delete(task.row.id);
    }
    byIssue.delete(seq);
    issues.delete(seq);
    if (issue !== undefined) byKey.delete(keyOf(issue.row));
  }

  return {
    living: () => ({
      counters,
      issues: [...issues.values()].filter(({ lives }) => lives),
      tasks: [...tasks.values()].filter(isOpen).sort(bySeq),
      agents: [...agents.values()],
      settings: [...settings],
      learned: [...learned],
    }),
    write(changes) {
      ({ counters } = changes);
      writeIssues(changes);
      writeTasks(changes);
      for (const { row } of changes.agents) agents.set(row.agentId, row);
      for (const [name, value] of changes.settings) {
        if (value === undefined) settings.delete(name);
        else settings.set(name, value);
      }
      for (const label of changes.learned) learned.add(label);
      writeFacts(changes.facts);
    },
    task: (id) => tasks.get(byId.get(id) ?? 0),
    tasksOf: (ref) => tasksOfSeq(byKey.get(keyOf(ref)) ?? 0),
    issue: (ref) => issues.get(byKey.get(keyOf(ref)) ?? 0),
    issueNumbered: (seq) => issues.get(seq),
    picture(seq) {
      const issue = issues.get(seq);
      if (issue === undefined) throw new Error(`Issue ${seq} is missing.`);
      return issue.picture;
    },
    tasksAfter: (after, limit, state) =>
      [...tasks.values()]
        .filter(({ seq, row }) => seq > after && (state === null || row.state === state))
        .sort(bySeq)
        .slice(0, limit),
    endedCounts: () => [...ended.values()].filter(({ count }) => count > 0),
    facts(after, limit) {
      const first = facts[0]?.seq ?? 0;
      const from = Math.max(0, after - first + 1);
      return facts.slice(from, from + limit);
    },
    factsNumbered(seqs) {
      const first = facts[0]?.seq ?? 0;
      return seqs.flatMap((seq) => facts[seq - first] ?? []);
    },
    stats: (period, limit): StatsRow[] =>
      [...(stats.get(period) ?? [])]
        .map(([start, row]) => ({ start, counters: { ...row } }))
        .sort((a, b) => (a.start < b.start ? 1 : -1))
        .slice(0, limit),
    forget(input) {
      const { limit, factsBefore, resultsBefore, statsFrom } = input;
      const dropped = Math.min(limit, facts.filter(({ at }) => at < factsBefore).length);
      facts = facts.slice(dropped);
      const results = [...tasks.values()]
        .filter(({ row }) => row.result !== null && (row.endedAt ?? 0) < resultsBefore)
        .slice(0, limit);
      for (const kept of results)
        tasks.set(kept.seq, { ...kept, row: { ...kept.row, result: null } });
      const gone = [...issues.values()]
        .filter(({ lives, row }) => !lives && row.seenAt < resultsBefore && !input.isAwaited(row))
        .filter(({ seq }) => tasksOfSeq(seq).every(({ row }) => row.state !== 'dead'))
        .slice(0, limit);
      for (const { seq } of gone) forgetIssue(seq);
      for (const id of input.agents) agents.delete(id);
      for (const rows of stats.values()) {
        for (const start of rows.keys()) if (start < statsFrom) rows.delete(start);
      }
      return [dropped, results.length, gone.length].some((count) => count >= limit);
    },
    ping: () => undefined,
    close: () => undefined,
  };
}
