// An archive in memory, for simulations and tests.

import type { Fact } from '../../../src/core/facts.ts';
import { type Issue, issueKey } from '../../../src/core/issue.ts';
import { countFacts } from '../../../src/core/reporting/count-facts.ts';
import type { IssueRef } from '../../../src/core/rows/ledger-row.ts';
import type { Archive, Changes, Counters, KeptIssue } from '../../../src/store/memory/archive.ts';

interface Kept extends KeptIssue {
  readonly picture: Issue;
  readonly closedAt: number | null;
}

const NOTHING: Counters = {
  clock: 0,
  place: 0,
  registryVersion: 1,
  factSeq: 0,
  taskSeq: 0,
  issueSeq: 0,
  ended: [],
};

const keyOf = ({ repository, number }: IssueRef): string => issueKey(repository, number);

/** Everything that is kept. */
interface Shelves {
  issues: Map<number, Kept>;
  byKey: Map<string, number>;
  /** Numbers of issues by numbers of tasks. */
  tasks: Map<number, number>;
  agents: Map<string, string>;
  settings: Map<string, unknown>;
  learned: Set<string>;
  stats: Map<string, Readonly<Record<string, number>>>;
  results: { seq: number; at: number; issues: readonly number[] }[];
  facts: Fact[];
  counters: Counters;
}

const emptyShelves = (): Shelves => ({
  issues: new Map(),
  byKey: new Map(),
  tasks: new Map(),
  agents: new Map(),
  settings: new Map(),
  learned: new Set(),
  stats: new Map(),
  results: [],
  facts: [],
  counters: NOTHING,
});

export interface MapArchive extends Archive {
  /** As it is now, whatever is written to either of the two later: a backup. */
  copy(): MapArchive;
}

/** Of what is in order of time: how many of the first, at most so many, are older. */
function countBefore(list: readonly { at: number }[], at: number, limit: number): number {
  let count = 0;
  while (count < limit && (list[count]?.at ?? at) < at) count += 1;
  return count;
}

export function createMapArchive(shelves: Shelves = emptyShelves()): MapArchive {
  const { issues, byKey, tasks, agents, settings, learned, stats } = shelves;

  function writeIssues({ forgotten, issues: changed, work, tasks: made }: Changes): void {
    for (const { seq, tasks: gone } of forgotten) {
      const issue = issues.get(seq);
      if (issue !== undefined) byKey.delete(keyOf(issue));
      issues.delete(seq);
      for (const task of gone) tasks.delete(task);
    }
    for (const { picture, ...issue } of changed) {
      const before = issues.get(issue.seq);
      const shown = picture ?? before?.picture;
      if (shown === undefined) throw new Error(`An issue without a picture: ${keyOf(issue)}`);
      issues.set(issue.seq, { ...issue, work: before?.work ?? '', picture: shown });
      byKey.set(keyOf(issue), issue.seq);
    }
    for (const [seq, text] of work) {
      const issue = issues.get(seq);
      if (issue !== undefined) issues.set(seq, { ...issue, work: text });
    }
    for (const [seq, issue] of made) tasks.set(seq, issue);
  }

  function writeResults({ results, resultsForgotten, counters }: Changes): void {
    const seq = counters.factSeq;
    if (results.length > 0) shelves.results.push({ seq, at: counters.clock, issues: results });
    if (resultsForgotten === null) return;
    shelves.results = shelves.results.filter((entry) => entry.seq > resultsForgotten);
  }

  function writeFacts(fresh: readonly Fact[]): void {
    for (const fact of fresh) shelves.facts.push(fact);
    for (const { period, start, counter, value } of countFacts(fresh)) {
      const key = `${period} ${start}`;
      const before = stats.get(key) ?? {};
      stats.set(key, { ...before, [counter]: (before[counter] ?? 0) + value });
    }
  }

  function put<Value>(
    map: Map<string, Value>,
    name: string,
    value: Value | null | undefined,
  ): void {
    if (value === undefined || value === null) map.delete(name);
    else map.set(name, value);
  }

  return {
    living: () => ({
      counters: shelves.counters,
      issues: [...issues.values()].filter(({ closedAt }) => closedAt === null),
      agents: [...agents],
      settings: [...settings],
      learned: [...learned],
    }),
    write(changes) {
      shelves.counters = changes.counters;
      writeIssues(changes);
      writeResults(changes);
      for (const [id, text] of changes.agents) put(agents, id, text);
      for (const [name, value] of changes.settings) put(settings, name, value);
      for (const label of changes.learned) learned.add(label);
      writeFacts(changes.facts);
    },
    issue: (ref) => issues.get(byKey.get(keyOf(ref)) ?? 0),
    issueNumbered: (seq) => issues.get(seq),
    picture(seq) {
      const issue = issues.get(seq);
      if (issue === undefined) throw new Error(`Issue ${seq} is missing.`);
      return issue.picture;
    },
    tasksAfter: (after, limit) =>
      [...tasks]
        .filter(([seq]) => seq > after)
        .slice(0, limit)
        .flatMap(([seq, number]) => {
          const issue = issues.get(number);
          return issue === undefined ? [] : { seq, issue };
        }),
    facts(after, limit) {
      const { facts } = shelves;
      const from = Math.max(0, after - (facts[0]?.seq ?? 0) + 1);
      return facts.slice(from, from + limit);
    },
    factsNumbered(seqs) {
      const { facts } = shelves;
      const first = facts[0]?.seq ?? 0;
      return seqs.flatMap((seq) => facts[seq - first] ?? []);
    },
    stats: (period, limit) =>
      [...stats]
        .flatMap(([key, counters]) =>
          key.startsWith(period) ? { start: key.slice(period.length + 1), counters } : [],
        )
        .sort((a, b) => (a.start < b.start ? 1 : -1))
        .slice(0, limit),
    closedBefore: (at) =>
      [...issues.values()].filter(({ closedAt }) => closedAt !== null && closedAt < at),
    resultsBefore: (at, limit) => shelves.results.slice(0, countBefore(shelves.results, at, limit)),
    forget(factsBefore, statsFrom, limit) {
      const dropped = countBefore(shelves.facts, factsBefore, limit);
      if (dropped > 0) shelves.facts = shelves.facts.slice(dropped);
      for (const key of stats.keys()) {
        if (key.slice(key.indexOf(' ') + 1) < statsFrom) stats.delete(key);
      }
      return dropped >= limit;
    },
    copy: () => createMapArchive(structuredClone(shelves)),
    ping: () => undefined,
    close: () => undefined,
  };
}
