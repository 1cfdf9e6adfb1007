// POST /tasks/{task_id}/release

import { type Static, Type } from 'typebox';
import { DelaySeconds, LeaseToken, Text } from './fields.ts';
import { UsageBody } from './usage.ts';

export const ReleaseBody = Type.Object(
  {
    lease_token: LeaseToken,
    reason: Type.Optional(Text(4_000, 'why it is given back')),
    delay_seconds: Type.Optional(DelaySeconds),
    usage: Type.Optional(UsageBody),
  },
  { title: 'Release', additionalProperties: false },
);
export type ReleaseBody = Static<typeof ReleaseBody>;
