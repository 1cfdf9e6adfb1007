// Writes what one turn of the event loop changed: one transaction, all or nothing.

import type { DatabaseSync } from 'node:sqlite';
import { countFacts } from '../../core/count-facts.ts';
import type { Fact } from '../../core/facts.ts';
import { encodeAgent, encodeIssue, encodeLedger, encodeTask } from '../../core/rows/codec.ts';
import { OPEN_STATES, type TaskState } from '../../core/task.ts';
import type { Changes } from '../memory/archive.ts';
import { loadStatements } from './statements.ts';

/** As many as the statement has places for. */
const FACTS_AT_ONCE = 16;

const isOpen = (state: TaskState): boolean => OPEN_STATES.includes(state);

type Values = (string | number | null)[];

/** False: there was nothing to write. */
export function createWrite(db: DatabaseSync): (changes: Changes) => boolean {
  const sql = loadStatements(db, 'write', [
    'counters',
    'makeIssue',
    'issue',
    'issueRow',
    'makeLedger',
    'ledger',
    'makeTask',
    'task',
    'endTask',
    'result',
    'makeAgent',
    'agent',
    'fact',
    'facts',
    'count',
    'endedCount',
    'setting',
    'unset',
    'learned',
  ]);

  function writeIssue(issue: Changes['issues'][number]): number {
    const { seq, row, made, changed, lives, picture } = issue;
    const { repository, number } = row;
    const closedAt = lives ? null : row.seenAt;
    const text = encodeIssue(row);
    if (picture === null) return Number(sql.issueRow.run(closedAt, text, seq).changes);
    const shown = JSON.stringify(picture);
    if (made) {
      sql.makeIssue.run(closedAt, text, shown, seq, repository, number);
      return 1;
    }
    return Number(sql.issue.run(closedAt, text, shown, seq, changed ? 1 : 0).changes);
  }

  function writeLedger({ issueSeq, ledger, made }: Changes['ledgers'][number]): void {
    const text = encodeLedger(ledger);
    if (!made && sql.ledger.run(text, issueSeq).changes === 1) return;
    sql.makeLedger.run(text, issueSeq);
  }

  function writeAgent({ row, made }: Changes['agents'][number]): void {
    const text = encodeAgent(row);
    if (!made && sql.agent.run(text, row.agentId).changes === 1) return;
    sql.makeAgent.run(text, row.agentId);
  }

  function writeTask({ seq, issueSeq, row, facts, before }: Changes['tasks'][number]): void {
    const text = encodeTask(row);
    const numbers = facts.join(' ');
    const ended = isOpen(row.state) ? null : row.state;
    if (before === null) sql.makeTask.run(ended, text, numbers, seq, row.id, issueSeq);
    // Most changes leave it open, and that column has an index.
    else if (ended === null && isOpen(before)) sql.task.run(text, numbers, seq);
    else sql.endTask.run(ended, text, numbers, seq);
    if (row.state === 'done' && before !== 'done') sql.result.run(row.endedAt ?? 0, seq);
  }

  function writeFacts(facts: readonly Fact[]): void {
    let at = 0;
    for (; at + FACTS_AT_ONCE <= facts.length; at += FACTS_AT_ONCE) {
      const values: Values = [];
      for (let n = at; n < at + FACTS_AT_ONCE; n += 1) values.push(...factValues(facts[n] as Fact));
      sql.facts.run(...values);
    }
    for (; at < facts.length; at += 1) sql.fact.run(...factValues(facts[at] as Fact));
    for (const { period, start, counter, value } of countFacts(facts)) {
      sql.count.run(period, start, counter, value);
    }
  }

  return (changes) => {
    let changed = 0;
    for (const issue of changes.issues) changed += writeIssue(issue);
    for (const ledger of changes.ledgers) writeLedger(ledger);
    for (const task of changes.tasks) writeTask(task);
    for (const agent of changes.agents) writeAgent(agent);
    for (const [name, value] of changes.settings) {
      if (value === undefined) sql.unset.run(name);
      else sql.setting.run(name, JSON.stringify(value));
    }
    for (const label of changes.learned) sql.learned.run(label);
    for (const { state, kind, priority, count } of changes.ended) {
      sql.endedCount.run(state, kind, priority, count);
    }
    writeFacts(changes.facts);
    const { ledgers, tasks, agents, settings, learned, facts } = changes;
    const others = [ledgers, tasks, agents, settings, learned, facts];
    // Issues that were looked at and found as they were leave no trace: nothing waits for the disk.
    if (changed === 0 && others.every((list) => list.length === 0)) return false;
    const { clock, place, registryVersion, factSeq, taskSeq, issueSeq } = changes.counters;
    sql.counters.run(clock, place, registryVersion, factSeq, taskSeq, issueSeq);
    return true;
  };
}

function factValues(fact: Fact): Values {
  return [fact.seq, fact.at, JSON.stringify(fact)];
}
