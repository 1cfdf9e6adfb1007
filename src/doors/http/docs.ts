// /openapi.json and /docs, made from the same schemas that check the requests.

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { App } from './server.ts';
import type { HttpSettings } from './settings.ts';

type Json = Record<string, unknown>;

// Everything comes from this server. Swagger UI sets styles on elements, which needs 'unsafe-inline'
// for styles; no inline script is allowed.
const DOCS_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Schemas with a title become named components, so that generated clients get good names. */
function nameSchemas(document: Json): Json {
  const named: Record<string, unknown> = {};
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== 'object' || node === null) return node;
    const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, walk(value)]));
    const { title, type } = copy;
    if (typeof title !== 'string' || type !== 'object') return copy;
    named[title] = copy;
    return { $ref: `#/components/schemas/${title}` };
  };
  const paths = walk(document['paths']);
  const components = { ...(document['components'] as Json), schemas: named };
  return { ...document, paths, components };
}

export function describeApi(app: App, settings: HttpSettings): void {
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Banto',
        version: settings.version,
        description: 'A broker between a backlog and a fleet of coding agents.',
        license: { name: 'MIT', identifier: 'MIT' } as never,
      },
      tags: [
        { name: 'agents', description: 'What an agent does: ask, report, finish' },
        { name: 'tasks', description: 'Reading tasks' },
        { name: 'state', description: 'Reading agents, queue and statistics' },
        { name: 'operators', description: 'Changing things by hand' },
        { name: 'server', description: 'Running the server' },
      ],
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description:
              'From `banto token create`. On loopback none is needed, unless REQUIRE_TOKENS is on.',
          },
        },
      },
      security: [{}, { token: [] }],
    },
    transformObject: (document) =>
      nameSchemas(('openapiObject' in document ? document.openapiObject : {}) as Json) as never,
  });
}

export function routeDocs(app: App): void {
  app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: DOCS_CSP,
    uiConfig: { validatorUrl: null, docExpansion: 'list' },
    theme: { title: 'Banto API' },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
