// A verb, asked with what is in memory now; its decision is applied at once, and kept with the turn.

import { changesNothing, type Found, type Moment, type Verb } from '../../core/decide/verb.ts';
import { noLedger } from '../../core/rows/ledger-row.ts';
import type { Turn } from './turn.ts';

const NOWHERE = { repository: '', number: 0 };

export function decide<Input, Answer>(
  verb: Verb<Input, Answer>,
  input: Input,
  turn: Turn,
  at: Moment,
): Answer {
  const { issue: ref } = verb.needs(input);
  const issue = ref === null ? undefined : turn.issue(ref);
  const found: Found = {
    task: (id) => turn.task(id)?.row,
    issue: issue?.row,
    ledger: issue?.ledger ?? noLedger(ref ?? NOWHERE),
  };
  const decision = verb.decide(found, input, at);
  if (!changesNothing(decision)) turn.apply(decision, ref, at.now);
  return decision.answer;
}
