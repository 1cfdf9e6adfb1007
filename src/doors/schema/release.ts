// POST /tasks/{task_id}/release

import { type Static, Type } from 'typebox';
import { LeaseToken, Text } from './fields.ts';

export const ReleaseBody = Type.Object(
  {
    lease_token: LeaseToken,
    reason: Type.Optional(Text(4_000, 'why it is given back')),
  },
  { title: 'Release', additionalProperties: false },
);
export type ReleaseBody = Static<typeof ReleaseBody>;
