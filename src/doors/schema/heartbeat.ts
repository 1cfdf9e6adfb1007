// POST /tasks/{task_id}/heartbeat

import { type Static, Type } from 'typebox';
import { Instant, LeaseToken, NOTE_MOST, Note, Nullable } from './fields.ts';
import { UsageBody } from './usage.ts';

export const HeartbeatBody = Type.Object(
  {
    lease_token: LeaseToken,
    progress: Type.Optional(
      Note(NOTE_MOST.progress, 'a note on how it goes, for people and the next attempt'),
    ),
    usage: Type.Optional(UsageBody),
  },
  { title: 'Heartbeat', additionalProperties: false },
);
export type HeartbeatBody = Static<typeof HeartbeatBody>;

const StopOrder = Type.Object(
  {
    reason: Type.String({ description: '`budget`: what the task may cost is used up' }),
    detail: Type.Optional(Type.String({ description: 'the same in a sentence' })),
  },
  { title: 'Stop', additionalProperties: false, description: 'end the work on this task' },
);

export const HeartbeatAnswer = Type.Object(
  { expires_at: Instant, stop: Nullable(StopOrder) },
  { title: 'Renewed', additionalProperties: false },
);
export type HeartbeatAnswer = Static<typeof HeartbeatAnswer>;
