// The operator's calls on one task: requeue, priority, unlock, cancel.

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
