// GET /session: who is asking, and what this server offers.

import { type Static, Type } from 'typebox';
import { Instant, Nullable } from './fields.ts';

export const FEATURES = [
  'answer',
  'budget',
  'issues',
  'log',
  'pause_one',
  'requeue',
  'retry_ledger',
] as const;

export const SessionAnswer = Type.Object(
  {
    version: Type.String(),
    now: Instant,
    scope: Type.Unsafe<'operator' | 'agent' | 'read'>({
      type: 'string',
      enum: ['operator', 'agent', 'read'],
      description: 'only an operator may change things by hand',
    }),
    agent_id: Nullable(Type.String()),
    features: Type.Array(
      Type.Unsafe<(typeof FEATURES)[number]>({ type: 'string', enum: [...FEATURES] }),
      { description: 'what can be done here beside reading' },
    ),
  },
  { title: 'Session', additionalProperties: false },
);
export type SessionAnswer = Static<typeof SessionAnswer>;
