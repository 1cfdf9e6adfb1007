// /mcp: the same server spoken to by models. Who may call is decided here as for every route; the tools then call
// the API with the token that came along.

import type { Answer, Call } from '../../../client/transport.ts';
import { ANSWER_HEADERS } from '../checks/guard.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';

export function routeMcp(app: App, { settings, createMcp, telemetry }: Door): void {
  if (createMcp === undefined) return;
  const mcp = createMcp({
    version: settings.version,
    onError: (error) => telemetry.log.debug({ err: error }, 'an MCP request was refused'),
    async send(call, authorization) {
      const answer = await app.inject({
        method: call.method,
        url: call.path,
        headers: {
          host: 'localhost',
          ...call.headers,
          ...(authorization === null ? {} : { authorization }),
        },
        ...(call.query === undefined ? {} : { query: asQuery(call.query) }),
        ...(call.body === undefined ? {} : { payload: call.body as object }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      });
      return {
        status: answer.statusCode,
        headers: answer.headers as Answer['headers'],
        text: answer.body,
      };
    },
  });
  app.addHook('onClose', () => mcp.close());
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { access: 'agent' },
    schema: { hide: true },
    async handler(request, reply) {
      for (const [name, value] of Object.entries(ANSWER_HEADERS)) reply.raw.setHeader(name, value);
      reply.hijack();
      await mcp.handle(request.raw, reply.raw, request.body);
    },
  });
}

function asQuery(query: NonNullable<Call['query']>): Record<string, string> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
