// /openapi.json and /docs, made from the same schemas that check the requests.

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { App } from '../server.ts';
import type { HttpSettings } from '../settings.ts';
import { LOOP } from './docs-loop.ts';
import { operationId } from './operation-id.ts';

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
  const walk = (node: unknown, key = ''): unknown => {
    // What stands in an example is nobody's schema.
    if (key === 'example' || key === 'examples') return node;
    if (Array.isArray(node)) return node.map((one) => walk(one));
    if (typeof node !== 'object' || node === null) return node;
    const copy = Object.fromEntries(
      Object.entries(node).map(([name, value]) => [name, walk(value, name)]),
    );
    const { title, type } = copy;
    if (typeof title !== 'string' || type !== 'object') return copy;
    named[title] = copy;
    return { $ref: `#/components/schemas/${title}` };
  };
  const paths = walk(document['paths']);
  const components = { ...(document['components'] as Json), schemas: named };
  return { ...document, paths: nameCalls(paths as Paths), components };
}

type Paths = Record<string, Record<string, Json>>;

function nameCalls(paths: Paths): Paths {
  return Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, call]) => [
          method,
          { operationId: operationId(method, path), ...call },
        ]),
      ),
    ]),
  );
}

export function describeApi(app: App, settings: HttpSettings): void {
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Banto',
        version: settings.version,
        description: LOOP,
        license: { name: 'MIT', identifier: 'MIT' } as never,
      },
      tags: [
        { name: 'agents', description: 'What an agent does: ask, report, finish' },
        { name: 'tasks', description: 'Reading tasks' },
        { name: 'issues', description: 'The local backlog' },
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

const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#1f2937"/><text x="16" y="23" font-size="20" text-anchor="middle" fill="#fff" font-family="sans-serif">番</text></svg>`;

/** The page is Banto's: no bar and no icon of the library that draws it. */
const STYLE = `.swagger-ui .info { margin: 24px 0 }
.swagger-ui .info .title small { background: #1f2937 }
.swagger-ui .info .title small.version-stamp { display: none }
.swagger-ui .info .markdown pre > code { white-space: pre }
`;

export function routeDocs(app: App): void {
  app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: DOCS_CSP,
    uiConfig: {
      validatorUrl: null,
      docExpansion: 'list',
      layout: 'BaseLayout',
      displayOperationId: true,
      defaultModelsExpandDepth: 0,
    },
    logo: null as never,
    theme: {
      title: 'Banto API',
      css: [{ filename: 'banto.css', content: STYLE }],
      favicon: [
        { filename: 'banto.svg', rel: 'icon', sizes: 'any', type: 'image/svg+xml', content: MARK },
      ],
    },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
