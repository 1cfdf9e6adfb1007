// POST /tasks/{task_id}/fail

import { type Static, Type } from 'typebox';
import { DelaySeconds, LeaseToken, NOTE_MOST, Note } from './fields.ts';
import { UsageBody } from './usage.ts';

export const FailBody = Type.Object(
  {
    lease_token: LeaseToken,
    reason: Note(NOTE_MOST.reason, 'what went wrong'),
    retryable: Type.Optional(
      Type.Boolean({ description: 'true (default) or false: trying again is useless' }),
    ),
    delay_seconds: Type.Optional(DelaySeconds),
    usage: Type.Optional(UsageBody),
  },
  {
    title: 'Fail',
    additionalProperties: false,
    examples: [{ lease_token: '…', reason: 'The tests do not compile.', retryable: true }],
  },
);
export type FailBody = Static<typeof FailBody>;
