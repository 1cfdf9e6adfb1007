// The operator's calls on one task: requeue, priority, unlock, cancel, budget. And on the ledger: retry.

import { type Static, Type } from 'typebox';
import { DelaySeconds, NOTE_MOST, Note, PriorityWord } from './fields.ts';

export const RequeueBody = Type.Object(
  { delay_seconds: Type.Optional(DelaySeconds) },
  { title: 'Requeue', additionalProperties: false },
);
export type RequeueBody = Static<typeof RequeueBody>;

export const PriorityBody = Type.Object(
  {
    priority: Type.Union([Type.Integer({ minimum: 0, maximum: 100 }), PriorityWord], {
      description: 'high (100), normal (50), low (25) or a whole number, 0–100',
    }),
  },
  { title: 'Priority', additionalProperties: false, examples: [{ priority: 'high' }] },
);
export type PriorityBody = Static<typeof PriorityBody>;

export const UnlockBody = Type.Object({}, { title: 'Unlock', additionalProperties: false });

export const CancelBody = Type.Object(
  { reason: Type.Optional(Note(NOTE_MOST.progress, 'why it is cancelled')) },
  { title: 'Cancel', additionalProperties: false },
);
export type CancelBody = Static<typeof CancelBody>;

export const BudgetBody = Type.Object(
  {
    cost_usd: Type.Optional(
      Type.Number({
        minimum: 0.01,
        maximum: 1_000_000,
        description: 'what the task may cost in all, in US dollars: 0.01–1000000',
      }),
    ),
    tokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000_000,
        description: 'how many tokens it may use in all: a whole number, 1 or more',
      }),
    ),
  },
  { title: 'Budget', additionalProperties: false, minProperties: 1, examples: [{ cost_usd: 10 }] },
);
export type BudgetBody = Static<typeof BudgetBody>;

export const RetryLedgerBody = Type.Object(
  {},
  { title: 'RetryLedger', additionalProperties: false },
);
export const RetryLedgerAnswer = Type.Object(
  { retried: Type.Integer({ description: 'how many ledger writes are due now' }) },
  { title: 'LedgerRetried', additionalProperties: false },
);
export type RetryLedgerAnswer = Static<typeof RetryLedgerAnswer>;
