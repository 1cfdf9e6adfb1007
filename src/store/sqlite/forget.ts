// What the sweep forgets: history, results, closed issues, idle agents, empty buckets, old counters.

import type { DatabaseSync } from 'node:sqlite';
import type { SweepInput } from '../../core/store.ts';
import { all, first, loadStatements } from './statements.ts';

const DAY_MS = 86_400_000;
const STATS_KEPT_MS = 7 * DAY_MS;
// A bucket that has just run empty is likely to fill again; each coming and going outdates every ranking.
const EMPTY_BUCKET_KEPT_MS = 60_000;

interface Forgettable {
  id: number;
  repository: string;
  number: number;
}

/** True when a limit was reached and there may be more. */
export function createForget(db: DatabaseSync): (input: SweepInput, now: number) => boolean {
  const sql = loadStatements(db, 'forget', [
    'oldestFact',
    'facts',
    'results',
    'forgettable',
    'tasks',
    'dependencies',
    'issue',
    'agents',
    'stats',
    'buckets',
  ]);

  function forgetIssue({ id, repository, number }: Forgettable): void {
    sql.tasks.run({ id });
    sql.dependencies.run({ repository, number });
    sql.issue.run({ id });
  }

  return ({ limit, factsKeptMs, resultsKeptMs }, now) => {
    const before = now - resultsKeptMs;
    const factsBefore = now - factsKeptMs;
    const oldestAt = first<{ at: number }>(sql.oldestFact)?.at ?? now;
    const facts =
      oldestAt < factsBefore ? sql.facts.run({ before: factsBefore, limit }).changes : 0;
    const results = sql.results.run({ before, limit }).changes;
    const issues = all<Forgettable>(sql.forgettable, { before, limit });
    for (const issue of issues) forgetIssue(issue);
    sql.agents.run({ before });
    sql.buckets.run({ before: now - EMPTY_BUCKET_KEPT_MS });
    const oldest = new Date(Math.max(0, now - STATS_KEPT_MS)).toISOString();
    sql.stats.run({ before: oldest.slice(0, 10) });
    return [Number(facts), Number(results), issues.length].some((count) => count >= limit);
  };
}
