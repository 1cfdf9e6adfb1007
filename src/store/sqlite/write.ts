// Writes what one turn of the event loop changed: one transaction, all or nothing.

import type { DatabaseSync } from 'node:sqlite';
import type { Fact } from '../../core/facts.ts';
import { countFacts } from '../../core/reporting/count-facts.ts';
import type { Changes } from '../memory/archive.ts';
import { inBatches, loadStatements } from './statements.ts';
import type { WorkLog } from './work-log.ts';

/** So many facts share a row: one that is looked for is read with its neighbours. */
const FACTS_TOGETHER = 64;

/** False: there was nothing to write. */
export function createWrite(db: DatabaseSync, log: WorkLog): (changes: Changes) => boolean {
  const sql = loadStatements(db, 'write', [
    'counters',
    'makeIssue',
    'issue',
    'issueRow',
    'forgetIssue',
    'forgetTask',
    'tasks',
    'facts',
    'results',
    'forgetResults',
    'agents',
    'forgetAgent',
    'stats',
    'settings',
    'forgetSetting',
    'learned',
  ]);
  const putTasks = inBatches(db, sql.tasks);

  /** How many rows it changed. */
  function writeIssue(issue: Changes['issues'][number]): number {
    const { seq, repository, number, row, made, changed, closedAt, picture } = issue;
    if (picture === null) return Number(sql.issueRow.run(closedAt, row, seq).changes);
    const shown = JSON.stringify(picture);
    if (made)
      return Number(sql.makeIssue.run(closedAt, row, shown, seq, repository, number).changes);
    return Number(sql.issue.run(closedAt, row, shown, seq, changed ? 1 : 0).changes);
  }

  function forget({ forgotten, resultsForgotten }: Changes): void {
    for (const { seq, tasks } of forgotten) {
      for (const task of tasks) sql.forgetTask.run(task);
      sql.forgetIssue.run(seq);
    }
    if (resultsForgotten !== null) sql.forgetResults.run(resultsForgotten);
  }

  function writeFacts(facts: readonly Fact[]): void {
    for (let at = 0; at < facts.length; at += FACTS_TOGETHER) {
      const together = facts.slice(at, at + FACTS_TOGETHER);
      const last = together.at(-1);
      sql.facts.run(last?.seq ?? 0, last?.at ?? 0, JSON.stringify(together));
    }
    for (const { period, start, counter, value } of countFacts(facts)) {
      sql.stats.run(period, start, counter, value);
    }
  }

  return (changes) => {
    const { forgotten, resultsForgotten, work, tasks, results } = changes;
    const { agents, settings, learned, facts } = changes;
    forget(changes);
    let changed = resultsForgotten === null ? 0 : 1;
    for (const issue of changes.issues) changed += writeIssue(issue);
    log.write(changes);
    putTasks(tasks.flat());
    if (results.length > 0) sql.results.run(changes.counters.clock, JSON.stringify(results));
    for (const [id, text] of agents) {
      if (text === null) sql.forgetAgent.run(id);
      else sql.agents.run(id, text);
    }
    for (const [name, value] of settings) {
      if (value === undefined) sql.forgetSetting.run(name);
      else sql.settings.run(name, JSON.stringify(value));
    }
    for (const label of learned) sql.learned.run(label);
    writeFacts(facts);
    const others = [forgotten, work, agents, settings, learned, facts];
    // Issues that were looked at and found as they were leave no trace: nothing waits for the disk.
    if (changed === 0 && others.every((list) => list.length === 0)) return false;
    const { clock, place, registryVersion, factSeq, taskSeq, issueSeq, ended } = changes.counters;
    const counts = JSON.stringify(ended);
    sql.counters.run(clock, place, registryVersion, factSeq, taskSeq, issueSeq, counts);
    return true;
  };
}
