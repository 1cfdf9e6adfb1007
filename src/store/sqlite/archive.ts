// The archive in a file: rows as texts in plain tables, which nothing but core reads.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Fact } from '../../core/facts.ts';
import type { Issue } from '../../core/issue.ts';
import { decodeAgent, decodeIssue, decodeLedger, decodeTask } from '../../core/rows/codec.ts';
import { noLedger } from '../../core/rows/ledger-row.ts';
import type { QueueCount } from '../../core/store.ts';
import type { Archive, Counters, KeptIssue, KeptTask, Living } from '../memory/archive.ts';
import { UnknownOutcome } from '../memory/group-commit.ts';
import { createForget } from './forget.ts';
import { idsOf } from './id-range.ts';
import { loadStatements } from './statements.ts';
import { createWrite } from './write.ts';

interface TaskText {
  seq: number;
  id: string;
  issue: number;
  row: string;
  facts: string;
}

interface IssueText {
  seq: number;
  repository: string;
  number: number;
  row: string;
  ledger: string | null;
}

interface FactText {
  fact: string;
}

interface CountersRow {
  clock: number;
  place: number;
  registry_version: number;
  fact_seq: number;
  task_seq: number;
  issue_seq: number;
}

function toTask({ seq, id, issue, row, facts }: TaskText): KeptTask {
  const numbers = facts === '' ? [] : facts.split(' ').map(Number);
  return { seq, issueSeq: issue, row: decodeTask(id, row), facts: numbers };
}

function toIssue({ seq, repository, number, row, ledger }: IssueText): KeptIssue {
  const ref = { repository, number };
  return {
    seq,
    row: decodeIssue(ref, row),
    ledger: ledger === null ? noLedger(ref) : decodeLedger(ref, ledger),
  };
}

const toFact = ({ fact }: FactText): Fact => JSON.parse(fact) as Fact;

function* each<Text, Kept>(statement: StatementSync, read: (text: Text) => Kept): Generator<Kept> {
  for (const row of statement.iterate()) yield read(row as unknown as Text);
}

function createLiving(db: DatabaseSync): () => Living {
  const sql = loadStatements(db, 'living', [
    'counters',
    'issues',
    'tasks',
    'agents',
    'settings',
    'learned',
  ]);

  function counters(): Counters {
    const row = sql.counters.get() as unknown as CountersRow;
    return {
      clock: row.clock,
      place: row.place,
      registryVersion: row.registry_version,
      factSeq: row.fact_seq,
      taskSeq: row.task_seq,
      issueSeq: row.issue_seq,
    };
  }

  return () => ({
    counters: counters(),
    issues: each<IssueText, KeptIssue>(sql.issues, toIssue),
    tasks: each<TaskText, KeptTask>(sql.tasks, toTask),
    agents: each<{ id: string; row: string }, ReturnType<typeof decodeAgent>>(
      sql.agents,
      ({ id, row }) => decodeAgent(id, row),
    ),
    settings: each<{ name: string; value: string }, readonly [string, unknown]>(
      sql.settings,
      ({ name, value }) => [name, JSON.parse(value) as unknown],
    ),
    learned: each<{ label: string }, string>(sql.learned, ({ label }) => label),
  });
}

export function createSqliteArchive(db: DatabaseSync): Archive {
  const sql = loadStatements(db, 'read', [
    'task',
    'tasksOf',
    'tasksAfter',
    'endedAfter',
    'issue',
    'issueNumbered',
    'picture',
    'endedCounts',
    'facts',
    'fact',
    'turn',
    'stats',
  ]);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const write = createWrite(db);
  const living = createLiving(db);
  const tasks = (found: unknown[]): KeptTask[] => (found as TaskText[]).map(toTask);
  const issue = (found: unknown): KeptIssue | undefined =>
    found === undefined ? undefined : toIssue(found as IssueText);
  const keptTurn = () => (sql.turn.get() as { turn: number }).turn;
  let turn = keptTurn();

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
      return living();
    },
    write(changes) {
      if (inTransaction(() => write(changes))) turn += 1;
    },
    task: (id) => {
      const found = sql.task.get(id);
      return found === undefined ? undefined : toTask(found as unknown as TaskText);
    },
    tasksOf(ref) {
      const { from, to } = idsOf(ref);
      const isIts = ({ row }: KeptTask) =>
        row.repository === ref.repository && row.number === ref.number;
      return tasks(sql.tasksOf.all(from, to)).filter(isIts);
    },
    issue: ({ repository, number }) => issue(sql.issue.get(repository, number)),
    issueNumbered: (seq) => issue(sql.issueNumbered.get(seq)),
    picture(seq) {
      const found = sql.picture.get(seq) as { picture: string } | undefined;
      if (found === undefined) throw new Error(`Issue row ${seq} is missing.`);
      return JSON.parse(found.picture) as Issue;
    },
    tasksAfter: (after, limit, ended) =>
      tasks(
        ended === null ? sql.tasksAfter.all(after, limit) : sql.endedAfter.all(after, ended, limit),
      ),
    endedCounts: () => sql.endedCounts.all().map((row) => ({ ...row }) as unknown as QueueCount),
    facts: (after, limit) => (sql.facts.all(after, limit) as unknown as FactText[]).map(toFact),
    factsNumbered: (seqs) =>
      seqs.flatMap((seq) => {
        const found = sql.fact.get(seq);
        return found === undefined ? [] : toFact(found as unknown as FactText);
      }),
    stats: (period, limit) =>
      sql.stats.all(period, limit).map((row) => ({
        start: String(row['start']),
        counters: JSON.parse(String(row['counters'])) as Record<string, number>,
      })),
    forget: createForget(db, inTransaction),
    ping: () => void keptTurn(),
    close: () => db.close(),
  };
}
