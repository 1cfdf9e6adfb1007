// Facts as the event stream and a task's history show them.

import { type Static, Type } from 'typebox';
import { Instant } from './fields.ts';

export const Event = Type.Object(
  {
    seq: Type.Integer({ description: 'strictly rising; what Last-Event-ID names' }),
    at: Instant,
    type: Type.String({ description: 'what happened: leased, renewed, completed, …' }),
    task_id: Type.Optional(Type.String()),
    state: Type.Optional(Type.String({ description: 'the state of the task afterwards' })),
  },
  {
    title: 'Event',
    additionalProperties: true,
    description: 'Beside these every type has fields of its own (agent_id, fence, reason, …).',
    examples: [
      {
        seq: 41,
        at: '2026-11-15T20:17:00.000Z',
        type: 'leased',
        task_id: 'octo~shop~7~implement.1',
        state: 'leased',
        agent_id: 'agent-1',
        fence: 1794773820000000,
        expires_at: '2026-11-15T20:27:00.000Z',
        attempt: 1,
        waited_ms: 0,
      },
    ],
  },
);
export type Event = Static<typeof Event> & Readonly<Record<string, unknown>>;

/** What is said when the events asked for are no longer kept, or never were. */
export const Gap = Type.Object(
  { requested: Type.Integer(), continues_after: Type.Integer() },
  { title: 'Gap', additionalProperties: false },
);
export type Gap = Static<typeof Gap>;

const EventSeq = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'the id of the last event seen: a whole number',
});

export const EventsQuery = Type.Object(
  { last_event_id: Type.Optional(EventSeq) },
  { additionalProperties: false },
);
export type EventsQuery = Static<typeof EventsQuery>;

/** Browsers and proxies send many more headers, so that others are allowed. */
export const EventsHeaders = Type.Object(
  { 'last-event-id': Type.Optional(EventSeq) },
  { additionalProperties: true },
);
