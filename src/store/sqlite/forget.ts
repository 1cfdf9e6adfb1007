// Forgets what is old, a limited number at a time. A sweep that finds nothing writes nothing.

import type { DatabaseSync } from 'node:sqlite';
import { decodeTask, encodeTask } from '../../core/rows/codec.ts';
import type { IssueRef } from '../../core/rows/ledger-row.ts';
import type { Archive, Forgetting } from '../memory/archive.ts';
import { idsOf } from './id-range.ts';
import { loadStatements } from './statements.ts';

interface TaskText {
  seq: number;
  id: string;
  row: string;
}

interface ResultText {
  readonly result: number;
  readonly seq: number | null;
  readonly id: string;
  readonly row: string;
}

interface OldIssue extends IssueRef {
  readonly seq: number;
}

export function createForget(
  db: DatabaseSync,
  inTransaction: (work: () => void) => void,
): Archive['forget'] {
  const sql = loadStatements(db, 'forget', [
    'oldestFact',
    'facts',
    'results',
    'clearResult',
    'result',
    'issues',
    'issue',
    'ledger',
    'tasksOf',
    'task',
    'endedCount',
    'agent',
    'oldStats',
    'stats',
  ]);

  function tasksOf(issue: OldIssue) {
    const { from, to } = idsOf(issue);
    return (sql.tasksOf.all(from, to) as unknown as TaskText[])
      .map(({ seq, id, row }) => ({ seq, row: decodeTask(id, row) }))
      .filter(({ row }) => row.repository === issue.repository && row.number === issue.number);
  }

  function oldIssues({ resultsBefore, limit, isAwaited }: Forgetting): OldIssue[] {
    const found: OldIssue[] = [];
    for (const row of sql.issues.iterate(resultsBefore)) {
      if (found.length >= limit) break;
      const issue = row as unknown as OldIssue;
      if (isAwaited(issue)) continue;
      if (tasksOf(issue).some((task) => task.row.state === 'dead')) continue;
      found.push(issue);
    }
    return found;
  }

  function forgetIssue(issue: OldIssue): void {
    for (const { seq, row } of tasksOf(issue)) {
      sql.task.run(seq);
      sql.endedCount.run(row.state, row.kind, row.priority);
    }
    sql.ledger.run(issue.seq);
    sql.issue.run(issue.seq);
  }

  function forgetResult({ result, seq, id, row }: ResultText): void {
    if (seq !== null)
      sql.clearResult.run(encodeTask({ ...decodeTask(id, row), result: null }), seq);
    sql.result.run(result);
  }

  return (input) => {
    const { limit, factsBefore, resultsBefore, statsFrom, agents } = input;
    const oldest = sql.oldestFact.get() as { at: number } | undefined;
    const hasFacts = oldest !== undefined && oldest.at < factsBefore;
    const results = sql.results.all(resultsBefore, limit) as unknown as ResultText[];
    const issues = oldIssues(input);
    const { count: stats } = sql.oldStats.get(statsFrom) as { count: number };
    if (!hasFacts && results.length + issues.length + agents.length + stats === 0) return false;
    let facts = 0;
    inTransaction(() => {
      if (hasFacts) facts = Number(sql.facts.run(factsBefore, limit).changes);
      for (const result of results) forgetResult(result);
      for (const issue of issues) forgetIssue(issue);
      for (const id of agents) sql.agent.run(id);
      sql.stats.run(statsFrom);
    });
    return [facts, results.length, issues.length].some((count) => count >= limit);
  };
}
