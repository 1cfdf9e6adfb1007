// POST /tasks/{task_id}/release

import { type Static, Type } from 'typebox';
import { LeaseToken, NOTE_MOST, Note } from './fields.ts';

export const ReleaseBody = Type.Object(
  {
    lease_token: LeaseToken,
    reason: Type.Optional(Note(NOTE_MOST.progress, 'why it is given back')),
  },
  { title: 'Release', additionalProperties: false },
);
export type ReleaseBody = Static<typeof ReleaseBody>;
