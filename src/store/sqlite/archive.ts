// The archive in a file: rows as texts in plain tables, which nothing but core reads.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Fact } from '../../core/facts.ts';
import type { Issue } from '../../core/issue.ts';
import type { QueueCount } from '../../core/store.ts';
import type { Archive, Counters, KeptIssue } from '../memory/archive.ts';
import { UnknownOutcome } from '../memory/group-commit.ts';
import { loadStatements } from './statements.ts';
import { createWorkLog } from './work-log.ts';
import { createWrite } from './write.ts';

/** SQL has no types: the shape of its rows is the caller's word. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
function* each<Row>(statement: StatementSync, ...values: SQLInputValue[]): Generator<Row> {
  for (const row of statement.iterate(...values)) yield row as unknown as Row;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
const all = <Row>(statement: StatementSync, ...values: SQLInputValue[]): Row[] =>
  statement.all(...values) as unknown as Row[];

interface IssueText extends Omit<KeptIssue, 'work'> {
  /** Null: it lives, and the log has it. */
  readonly work: string | null;
}

const parseFacts = ({ facts }: { facts: string }): Fact[] => JSON.parse(facts) as Fact[];

export function createSqliteArchive(db: DatabaseSync): Archive {
  const living = loadStatements(db, 'living', [
    'counters',
    'issues',
    'agents',
    'settings',
    'learned',
  ]);
  const sql = loadStatements(db, 'read', [
    'issue',
    'issueNumbered',
    'tasksAfter',
    'picture',
    'factsAfter',
    'turn',
    'stats',
  ]);
  const old = loadStatements(db, 'forget', [
    'closed',
    'results',
    'oldestFacts',
    'facts',
    'oldStats',
    'stats',
  ]);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const log = createWorkLog(db);
  const write = createWrite(db, log);
  const keptTurn = () => (sql.turn.get() as { turn: number }).turn;
  let turn = keptTurn();

  function counters(): Counters {
    const row = living.counters.get() as Record<string, number> & { ended: string };
    return {
      clock: row['clock'] ?? 0,
      place: row['place'] ?? 0,
      registryVersion: row['registry_version'] ?? 0,
      factSeq: row['fact_seq'] ?? 0,
      taskSeq: row['task_seq'] ?? 0,
      issueSeq: row['issue_seq'] ?? 0,
      ended: JSON.parse(row.ended) as QueueCount[],
    };
  }

  const toIssue = (found: IssueText): KeptIssue => ({ ...found, work: log.textOf(found) });
  const issue = (found: unknown): KeptIssue | undefined =>
    found === undefined ? undefined : toIssue(found as IssueText);

  function* livingIssues(): Generator<KeptIssue> {
    const texts = log.read();
    for (const found of each<Omit<KeptIssue, 'work'>>(living.issues)) {
      yield { ...found, work: texts.get(found.seq) ?? '' };
    }
  }

  /** After a failure: true when the file is as it was, so that taking back what is in memory is enough. */
  function isUndone(): boolean {
    try {
      if (db.isTransaction) rollback.run();
      return keptTurn() === turn;
    } catch {
      return false;
    }
  }

  /** One transaction; what it throws leaves the file as it was, or says that nobody knows. */
  function inTransaction<T>(work: () => T): T {
    try {
      begin.run();
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      if (isUndone()) throw error;
      throw new UnknownOutcome('A write may or may not have reached the file.', { cause: error });
    }
  }

  return {
    living() {
      turn = keptTurn();
      const agents = all<{ id: string; row: string }>(living.agents);
      const settings = all<{ name: string; value: string }>(living.settings);
      const learned = all<{ label: string }>(living.learned);
      return {
        counters: counters(),
        issues: livingIssues(),
        agents: agents.map(({ id, row }) => [id, row] as const),
        settings: settings.map(({ name, value }) => [name, JSON.parse(value) as unknown] as const),
        learned: learned.map(({ label }) => label),
      };
    },
    write(changes) {
      if (inTransaction(() => write(changes))) turn += 1;
      log.kept();
    },
    issue: ({ repository, number }) => issue(sql.issue.get(repository, number)),
    issueNumbered: (seq) => issue(sql.issueNumbered.get(seq)),
    picture(seq) {
      const found = sql.picture.get(seq) as { picture: string } | undefined;
      if (found === undefined) throw new Error(`Issue row ${seq} is missing.`);
      return JSON.parse(found.picture) as Issue;
    },
    tasksAfter: (after, limit) =>
      all<IssueText & { task: number }>(sql.tasksAfter, after, limit).map(({ task, ...found }) => ({
        seq: task,
        issue: toIssue(found),
      })),
    facts(after, limit) {
      const found: Fact[] = [];
      for (const row of each<{ facts: string }>(sql.factsAfter, after)) {
        found.push(...parseFacts(row).filter(({ seq }) => seq > after));
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    },
    factsNumbered(seqs) {
      const found: Fact[] = [];
      let together: Fact[] = [];
      for (const seq of seqs) {
        if ((together.at(-1)?.seq ?? 0) < seq) {
          const row = sql.factsAfter.get(seq - 1) as { facts: string } | undefined;
          together = row === undefined ? [] : parseFacts(row);
        }
        const fact = together.find((one) => one.seq === seq);
        if (fact !== undefined) found.push(fact);
      }
      return found;
    },
    stats: (period, limit) =>
      sql.stats.all(period, limit).map((row) => ({
        start: String(row['start']),
        counters: JSON.parse(String(row['counters'])) as Record<string, number>,
      })),
    *closedBefore(at) {
      for (const found of each<IssueText>(old.closed, at)) yield toIssue(found);
    },
    resultsBefore: (at, limit) =>
      all<{ seq: number; issues: string }>(old.results, at, limit).map(({ seq, issues }) => ({
        seq,
        issues: JSON.parse(issues) as number[],
      })),
    forget(factsBefore, statsFrom, limit) {
      const oldest = old.oldestFacts.get() as { at: number } | undefined;
      const hasFacts = oldest !== undefined && oldest.at < factsBefore;
      const { count } = old.oldStats.get(statsFrom) as { count: number };
      if (!hasFacts && count === 0) return false;
      return inTransaction(() => {
        old.stats.run(statsFrom);
        return Number(old.facts.run(factsBefore, limit).changes) >= limit;
      });
    },
    ping: () => void keptTurn(),
    close: () => db.close(),
  };
}
