// Counts what happened to tasks, from the facts and nothing else.

import { COUNTED_FACTS, type Fact } from '../core/facts.ts';
import { parseTaskId } from '../core/task.ts';
import type { Metrics } from './metrics.ts';

const EVENTS: Partial<Record<Fact['type'], string>> = {
  ...COUNTED_FACTS,
  requeued: 'requeued',
  unlocked: 'unlocked',
};

export function countFact(metrics: Metrics, fact: Fact): void {
  if (fact.type === 'ledger_written') metrics.ledgerWrites.inc({ result: 'written' });
  if (fact.type === 'ledger_failed') {
    metrics.ledgerWrites.inc({ result: fact.final ? 'refused' : 'failed' });
  }
  if (!('taskId' in fact)) return;
  const kind = parseTaskId(fact.taskId)?.kind ?? 'implement';
  const event = EVENTS[fact.type];
  if (event !== undefined) metrics.facts.inc({ event, kind });
  if (fact.type === 'leased') metrics.waited.observe({ kind }, fact.waitedMs / 1000);
  if (fact.type === 'completed' || fact.type === 'failed') {
    metrics.worked.observe({ kind, outcome: fact.type }, fact.workedMs / 1000);
  }
}
