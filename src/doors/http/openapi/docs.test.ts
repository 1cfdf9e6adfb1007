// The document must be valid OpenAPI 3.1, complete, and true: real answers fit the schemas it declares.

import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenDoor, openDoor } from '../../../../test/support/http-door.ts';
import { TASK_ID } from '../../../../test/support/scripted-broker.ts';
import { busy, ERROR_TABLE, type ErrorCode } from '../../../core/errors.ts';

type Json = Record<string, unknown>;
interface Media {
  schema: Json;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface Operation {
  summary?: string;
  operationId?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
}
interface Document {
  openapi: string;
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
}

let open: OpenDoor;
let document: Document;
beforeAll(async () => {
  open = await openDoor();
  document = (await (await fetch(`${open.url}/openapi.json`)).json()) as Document;
});
afterAll(() => open.door.close());

function operations(): [path: string, method: string, operation: Operation][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [path, method, operation] as const),
  ) as [string, string, Operation][];
}

function eachNode(node: unknown, visit: (node: Json) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) visit(node as Json);
  for (const value of Object.values(node)) eachNode(value, visit);
}

/** The schema with every reference replaced by what it names. */
function resolved(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(resolved);
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as { $ref?: string };
  if ($ref !== undefined)
    return resolved(document.components.schemas[$ref.split('/').at(-1) ?? '']);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(value)]));
}

const WEBHOOK = 'post /api/v1/webhooks/github';
const CALLS = [
  'get /health',
  'get /ready',
  'get /metrics',
  'get /api/v1/agents',
  'get /api/v1/agents/{agent_id}',
  'get /api/v1/cards',
  'get /api/v1/config',
  'put /api/v1/config/{name}',
  'get /api/v1/events',
  'get /api/v1/flags',
  'get /api/v1/issues',
  'get /api/v1/issues/{number}',
  'post /api/v1/issues',
  'patch /api/v1/issues/{number}',
  'get /api/v1/flow',
  'get /api/v1/leases',
  'get /api/v1/session',
  'put /api/v1/flags/{name}',
  'get /api/v1/queue',
  'post /api/v1/request-task',
  'get /api/v1/stats',
  'get /api/v1/tasks',
  'get /api/v1/tokens',
  'post /api/v1/tokens',
  'delete /api/v1/tokens/{id}',
  'get /api/v1/tasks/{task_id}',
  'get /api/v1/tasks/{task_id}/why',
  'get /api/v1/tasks/{task_id}/log',
  'post /api/v1/ledger/retry',
  ...['ask', 'answer', 'log', 'budget'].map((verb) => `post /api/v1/tasks/{task_id}/${verb}`),
  ...['heartbeat', 'complete', 'fail', 'release', 'requeue', 'priority', 'unlock', 'cancel'].map(
    (verb) => `post /api/v1/tasks/{task_id}/${verb}`,
  ),
];

test('every call of the contract is described, and nothing else', () => {
  const described = operations().map(([path, method]) => `${method} ${path}`);
  expect(described.toSorted()).toEqual([...CALLS, WEBHOOK].toSorted());
});

test('the document is OpenAPI 3.1: parameters match paths, references resolve, nothing is left over from 3.0', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(document.info).toMatchObject({ title: 'Banto', version: '1.2.3' });
  for (const [path, method, operation] of operations()) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = (operation.parameters ?? []).filter((each) => each.in === 'path');
    expect(declared.map(({ name }) => name)).toEqual(inPath);
    expect(declared.every(({ required }) => required === true)).toBe(true);
    expect(operation.summary?.length).toBeGreaterThan(5);
    expect(operation.tags).toHaveLength(1);
    const good = path.includes('/webhooks/') ? '202' : '200';
    expect(Object.keys(operation.responses)).toContain(good);
    expect(Object.values(operation.responses).every(({ description }) => description !== '')).toBe(
      true,
    );
    const takes = Object.keys(operation.requestBody?.content ?? {});
    // A delivery is checked by its signature, not by a schema.
    const none = method === 'get' || method === 'delete' || good === '202';
    expect(takes).toEqual(none ? [] : ['application/json']);
  }
  const references: unknown[] = [];
  eachNode(document, (node) => {
    if ('$ref' in node) references.push(node['$ref']);
    expect(node).not.toHaveProperty('nullable');
  });
  const known = Object.keys(document.components.schemas).map(
    (name) => `#/components/schemas/${name}`,
  );
  expect(new Set(references)).toEqual(new Set(known));
  expect(JSON.stringify(document)).not.toContain('undefined');
});

test('every call has a name of its own, that a program can call', () => {
  const names = operations().map(([, , { operationId }]) => operationId ?? '');
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z]+(?:[A-Z][a-z]*)*$/);
  expect(names).toEqual(
    expect.arrayContaining(['requestTask', 'completeTask', 'listTasks', 'getTaskWhy', 'editIssue']),
  );
});

test('every answer has an example that fits it, and each error one of its own', () => {
  for (const [path, method, operation] of operations()) {
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      const where = `${method} ${path} ${status}`;
      for (const [media, { schema, example, examples }] of Object.entries(content)) {
        const shown =
          examples === undefined ? [example] : Object.values(examples).map((one) => one.value);
        expect(shown.length, where).toBeGreaterThan(0);
        if (media !== 'application/json') continue;
        const check = Compile(resolved(schema) as TSchema);
        for (const value of shown) expect(check.Errors(value), where).toEqual([]);
        if (Number(status) < 400 || path === '/ready') continue;
        const codes = shown.map((value) => (value as { code: ErrorCode }).code);
        for (const code of codes) expect(ERROR_TABLE[code].status, where).toBe(Number(status));
      }
    }
  }
});

test('the first section tells an agent what to do', () => {
  const text = document.info.description;
  for (const word of ['request-task', 'a third of', '409', 'means stop', 'Retry-After']) {
    expect(text).toContain(word);
  }
});

test('every pattern in it is a valid regular expression of JSON Schema', () => {
  const patterns: string[] = [];
  eachNode(document, ({ pattern }) => typeof pattern === 'string' && patterns.push(pattern));
  expect(patterns.length).toBeGreaterThan(10);
  for (const pattern of patterns) expect(() => new RegExp(pattern, 'u')).not.toThrow();
});

test('every request body refuses unknown fields, and its examples fit', () => {
  const bodies = operations().flatMap(([, , { requestBody }]) =>
    Object.values(requestBody?.content ?? {}).map(({ schema }) => resolved(schema) as Json),
  );
  expect(bodies.length).toBeGreaterThan(11);
  for (const body of bodies) {
    expect(body['additionalProperties']).toBe(false);
    const check = Compile(body as TSchema);
    for (const example of (body['examples'] ?? []) as Json[]) {
      const shown = 'lease_token' in example ? { ...example, lease_token: 'token' } : example;
      expect(check.Errors(shown)).toEqual([]);
    }
  }
});

const BODIES: Record<string, Json> = {
  'request-task': { agent_id: 'agent-1', capabilities: [] },
  heartbeat: { lease_token: 't' },
  complete: { lease_token: 't' },
  fail: { lease_token: 't', reason: 'x' },
  release: { lease_token: 't' },
  priority: { priority: 25 },
  ask: { lease_token: 't', question: 'Which port?' },
  answer: { question_id: 'q1', answer: '8080' },
  log: { lease_token: 't', offset: 0, text: 'x' },
  budget: { tokens: 1000 },
  issues: { title: 'Fix it' },
  tokens: { agent_id: 'agent-1' },
  '{name}': { value: 1 },
};

async function callAsDescribed(path: string, method: string): Promise<Response> {
  const filled = path
    .replace('{task_id}', TASK_ID)
    .replace('{agent_id}', 'agent-1')
    .replace('{number}', '7')
    .replace('{name}', 'debug')
    .replace('{id}', '0123456789ab');
  const body = BODIES[path.split('/').at(-1) ?? ''] ?? {};
  return fetch(open.url + filled, {
    method: method.toUpperCase(),
    ...(method === 'get'
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
}

function misfits(operation: Operation | undefined, status: number, answer: unknown): unknown[] {
  const schema = operation?.responses[status]?.content?.['application/json']?.schema;
  if (schema === undefined) return [`no schema for ${status}`];
  return Compile(resolved(schema) as TSchema).Errors(answer);
}

test.each(CALLS.filter((call) => !call.endsWith('/events') && !call.endsWith('/metrics')))(
  'the answer of %s fits its schema',
  async (call) => {
    const [method = '', path = ''] = call.split(' ');
    const answer = await callAsDescribed(path, method);
    expect(answer.status).toBe(200);
    expect(misfits(document.paths[path]?.[method], 200, await answer.json())).toEqual([]);
  },
);

test('every error of every call is described as the one Error, and real errors fit it', async () => {
  const busyDoor = await openDoor();
  busyDoor.broker.script('queue', async () => {
    throw busy();
  });
  const wrong = await (await fetch(`${open.url}/api/v1/queue?x=1`)).json();
  const away = await (await fetch(`${busyDoor.url}/api/v1/queue`)).json();
  await busyDoor.door.close();
  for (const [path, , operation] of operations()) {
    const errors = Object.keys(operation.responses).filter((status) => Number(status) >= 400);
    expect(errors).toEqual(expect.arrayContaining(['400', '401', '403', '500', '503']));
    for (const status of errors.filter((each) => path !== '/ready' || each !== '503')) {
      expect(misfits(operation, Number(status), wrong)).toEqual([]);
      expect(misfits(operation, Number(status), away)).toEqual([]);
      expect(misfits(operation, Number(status), { error: 'x', code: 'other' })).not.toEqual([]);
    }
  }
});

test('the docs page needs nothing from elsewhere and no inline script', async () => {
  const page = await fetch(`${open.url}/docs`);
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
  const html = await page.text();
  const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source);
  expect(sources.length).toBeGreaterThan(3);
  for (const source of sources) {
    expect(source).toMatch(/^\/docs\/static\//);
    expect((await fetch(open.url + source)).status).toBe(200);
  }
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)/);
  expect(html).not.toMatch(/\son\w+=/);
  expect((await fetch(`${open.url}/docs/json`)).status).toBe(200);
});
