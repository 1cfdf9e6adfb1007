// GET /events: server-sent events, resumable with Last-Event-ID.

import type { OutgoingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { busy, shuttingDown } from '../../../core/errors.ts';
import { EventsHeaders, EventsQuery } from '../../schema/events.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';
import { type EventStream, openEventStream } from './event-stream.ts';

const schema = describe({
  tag: 'state',
  summary: 'Everything that happens, as server-sent events',
  description:
    'Starts at now, or after `Last-Event-ID`. An event has the name of what happened, its sequence number as id and an Event as data. ' +
    'An event `gap` says that some of what was asked for is no longer kept.',
  querystring: EventsQuery,
  headers: EventsHeaders,
  answer: Type.String(),
  media: 'text/event-stream',
});

export function routeEvents(app: App, { broker, limits, streams, isClosing }: Door): void {
  app.get(
    '/events',
    { config: { access: 'read' }, schema, exposeHeadRoute: false },
    async (request, reply) => {
      if (streams.size >= limits.eventStreams) {
        throw busy(undefined, 1, 'Too many event streams are open already.');
      }
      const given = request.headers['last-event-id'] ?? request.query.last_event_id;
      const lastSeq = await broker.lastSeq();
      if (isClosing()) throw shuttingDown();
      reply.hijack();
      const { raw } = reply;
      reply.headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      });
      raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
      const stream: EventStream = openEventStream({
        raw,
        broker,
        limits,
        afterSeq: given ?? lastSeq,
        resumed: given !== undefined,
        lastSeq,
        onError: (error) => request.log.warn({ err: error }, 'events cannot be read'),
      });
      streams.add(stream);
      raw.once('close', () => streams.delete(stream));
    },
  );
}
