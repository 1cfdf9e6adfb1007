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
    tree: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{7,64}$',
        description:
          'git’s name for the files as the attempt left them (hexadecimal). The same twice in a row: the task is held for a person instead of tried again',
      }),
    ),
    usage: Type.Optional(UsageBody),
  },
  {
    title: 'Fail',
    additionalProperties: false,
    examples: [{ lease_token: '…', reason: 'The tests do not compile.', retryable: true }],
  },
);
export type FailBody = Static<typeof FailBody>;
