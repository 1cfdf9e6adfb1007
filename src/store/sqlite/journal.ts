// Appends facts and counts them: the counters of a batch are written once, with its commit.

import type { DatabaseSync } from 'node:sqlite';
import { COUNTED_FACTS, type Fact, type FactBody } from '../../core/facts.ts';
import { all, first, loadStatements } from './statements.ts';

interface FactRow {
  seq: number;
  at: number;
  body: string;
}

export interface Journal {
  /** A fact that is `passing` is no part of its task's history. */
  append(at: number, body: FactBody, passing?: boolean): Fact;
  /** The end of a batch: its counters, and the instant no restart goes behind. */
  close(now: number, facts: readonly Fact[]): void;
  after(seq: number, limit: number): Fact[];
  /** The newest facts of a task before this number, oldest first. */
  ofTask(taskId: string, before: number, limit: number): Fact[];
  lastSeq(): number;
  highestInstant(): number;
  stats(period: string, limit: number): { start: string; counters: Record<string, number> }[];
}

export function createJournal(db: DatabaseSync): Journal {
  const sql = loadStatements(db, 'fact', [
    'append',
    'count',
    'mark',
    'highest',
    'after',
    'ofTask',
    'last',
    'stats',
  ]);
  const toFact = (row: FactRow): Fact => ({
    seq: row.seq,
    at: row.at,
    ...(JSON.parse(row.body) as FactBody),
  });

  return {
    append(at, body, passing = false) {
      const taskId = 'taskId' in body && !passing ? body.taskId : null;
      const appended = sql.append.run({ at, task_id: taskId, body: JSON.stringify(body) });
      return { seq: Number(appended.lastInsertRowid), at, ...body };
    },
    close(now, facts) {
      for (const [key, value] of countFacts(facts)) {
        const [period, start, counter] = JSON.parse(key) as [string, string, string];
        sql.count.run({ period, start, counter, value });
      }
      sql.mark.run({ now });
    },
    after: (seq, limit) => all<FactRow>(sql.after, { after: seq, limit }).map(toFact),
    ofTask: (taskId, before, limit) =>
      all<FactRow>(sql.ofTask, { task_id: taskId, before, limit }).map(toFact).reverse(),
    highestInstant: () => first<{ value: number }>(sql.highest)?.value ?? 0,
    lastSeq: () => first<{ seq: number }>(sql.last)?.seq ?? 0,
    stats: (period, limit) =>
      all<{ start: string; counters: string }>(sql.stats, { period, limit }).map((row) => ({
        start: row.start,
        counters: JSON.parse(row.counters) as Record<string, number>,
      })),
  };
}

function countFacts(facts: readonly Fact[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const fact of facts) {
    const raised: [string, number][] = [];
    const counter = (COUNTED_FACTS as Partial<Record<string, string>>)[fact.type];
    if (counter !== undefined) raised.push([counter, 1]);
    if (fact.type === 'leased') raised.push(['waited_ms', fact.waitedMs]);
    if (fact.type === 'completed' || fact.type === 'failed') {
      raised.push(['worked_ms', fact.workedMs]);
    }
    if (raised.length === 0) continue;
    const iso = new Date(fact.at).toISOString();
    for (const [name, value] of raised) {
      for (const [period, start] of [
        ['daily', iso.slice(0, 10)],
        ['hourly', iso.slice(0, 13)],
      ]) {
        const key = JSON.stringify([period, start, name]);
        counts.set(key, (counts.get(key) ?? 0) + value);
      }
    }
  }
  return counts;
}
