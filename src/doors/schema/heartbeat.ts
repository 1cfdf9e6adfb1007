// POST /tasks/{task_id}/heartbeat

import { type Static, Type } from 'typebox';
import { Instant, LeaseToken, NOTE_MOST, Note } from './fields.ts';

export const HeartbeatBody = Type.Object(
  {
    lease_token: LeaseToken,
    progress: Type.Optional(
      Note(NOTE_MOST.progress, 'a note on how it goes, for people and the next attempt'),
    ),
  },
  { title: 'Heartbeat', additionalProperties: false },
);
export type HeartbeatBody = Static<typeof HeartbeatBody>;

export const HeartbeatAnswer = Type.Object(
  { expires_at: Instant },
  { title: 'Renewed', additionalProperties: false },
);
export type HeartbeatAnswer = Static<typeof HeartbeatAnswer>;
