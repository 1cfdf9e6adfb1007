// POST /tasks/{task_id}/release

import { type Static, Type } from 'typebox';
import { DelaySeconds, LeaseToken, NOTE_MOST, Note } from './fields.ts';
import { UsageBody } from './usage.ts';

export const ReleaseBody = Type.Object(
  {
    lease_token: LeaseToken,
    reason: Type.Optional(Note(NOTE_MOST.progress, 'why it is given back')),
    delay_seconds: Type.Optional(DelaySeconds),
    usage: Type.Optional(UsageBody),
  },
  { title: 'Release', additionalProperties: false },
);
export type ReleaseBody = Static<typeof ReleaseBody>;
