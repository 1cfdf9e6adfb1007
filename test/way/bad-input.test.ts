// Bad input of every kind against the real server: every answer is a clear 4xx, and afterwards the store holds
// exactly what it held before.

import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { DEFAULT_POLICY, type Policy, policyProblem } from '../../src/core/settings.ts';
import { AnswerBody, AskBody } from '../../src/doors/schema/ask.ts';
import { CompleteBody } from '../../src/doors/schema/complete.ts';
import { FailBody } from '../../src/doors/schema/fail.ts';
import { HeartbeatBody } from '../../src/doors/schema/heartbeat.ts';
import { AddIssueBody, EditIssueBody } from '../../src/doors/schema/issues.ts';
import { AppendLogBody } from '../../src/doors/schema/log.ts';
import {
  BudgetBody,
  CancelBody,
  PriorityBody,
  RequeueBody,
  RetryLedgerBody,
  UnlockBody,
} from '../../src/doors/schema/operate.ts';
import { ReleaseBody } from '../../src/doors/schema/release.ts';
import { RequestTaskBody } from '../../src/doors/schema/request-task.ts';
import { CreateTokenBody } from '../../src/doors/schema/tokens.ts';
import { type Served, serve } from '../../src/serve.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { eventually } from '../support/eventually.ts';
import { sendRaw } from '../support/http-door.ts';
import { configFor } from '../support/serve-config.ts';

const EMOJI_LABEL = '🍵'.repeat(50);
const LONG_LABEL = 'x'.repeat(50);
const HELD = 'repo~1~implement.1';
const READY = 'repo~2~implement.1';

let repository: BacklogRepository;
let served: Served;
let stale: string;
let token: string;
let before: unknown;
const faults: string[] = [];

const start = () => {
  const write = (line: string) => faults.push(line);
  return serve(configFor(repository), createTelemetry({ level: 'error', write }));
};

/** Everything that a call could have changed. */
async function everything(): Promise<unknown> {
  const store = await openSqliteStore({ dataDir: repository.dataDir });
  try {
    return {
      facts: await store.facts(0, 100_000),
      tasks: (await store.tasks({ limit: 1000 })).tasks,
      agents: await store.agents(),
      settings: await store.settings(''),
      registry: (await store.registry()).unlearned,
      tickets: await store.tickets.count(),
      writes: await store.queue(10),
    };
  } finally {
    await store.close();
  }
}

/** Hana holds issue 1 by a second lease, so that the token of the first one is stale; issue 2 is ready. */
async function makeHistory(): Promise<void> {
  served = await start();
  const client = createClient({ url: served.url });
  const look = () => client.queue();
  await eventually(look, ({ by_state }) => by_state.ready === 2);
  const ask = async () => {
    const task = await client.requestTask({
      agent_id: 'hana',
      capabilities: [EMOJI_LABEL, LONG_LABEL],
      lease_seconds: 86_400,
    });
    expect(task?.task_id).toBe(HELD);
    return task?.lease.token ?? '';
  };
  stale = await ask();
  await client.unlock(HELD);
  token = await ask();
  await eventually(look, ({ outbox }) => outbox.pending === 0);
  await served.stop();
}

beforeAll(async () => {
  repository = await makeBacklogRepository();
  await repository.write(1, { labels: [EMOJI_LABEL, LONG_LABEL] });
  await repository.write(2, { labels: ['python'], title: 'Title \u0007 with \u202e controls' });
  await makeHistory();
  before = await everything();
  served = await start();
  const client = createClient({ url: served.url });
  await eventually(
    () => client.ready(),
    ({ ready }) => ready,
  );
});
afterAll(async () => {
  await served.stop();
  await repository.remove();
});

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const answer = await fetch(`${served.url}/api/v1${path}`, {
    method,
    headers: { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(text === undefined ? {} : { body: text }),
  });
  return { status: answer.status, text: await answer.text() };
}

type Sent = Awaited<ReturnType<typeof send>>;
const CODES: Record<number, RegExp> = {
  400: /^invalid_request$/,
  401: /^unauthenticated$/,
  403: /^forbidden$/,
  404: /^not_found$/,
  409: /^(?:lease_lost|conflict)$/,
  413: /^too_large$/,
  415: /^unsupported_media_type$/,
};

function expectRefusal({ status, text }: Sent, wanted: number, what: string): void {
  expect({ what, status, text }).toMatchObject({ status: wanted });
  const { error, code, ...rest } = JSON.parse(text) as Record<string, string>;
  expect(rest).toEqual({});
  expect(code).toMatch(CODES[wanted] ?? /^$/);
  expect(error).toMatch(/^[A-Z].*[.]$/s);
  expect(error).not.toMatch(/[\p{Cc}]/u);
}

/** Every call that takes a body, with one that is right but for its token. */
const CALLS: [method: string, path: string, schema: TSchema, good: Record<string, unknown>][] = [
  ['POST', '/request-task', RequestTaskBody, { agent_id: 'kenji', capabilities: ['python'] }],
  ['POST', `/tasks/${HELD}/heartbeat`, HeartbeatBody, { lease_token: 't' }],
  ['POST', `/tasks/${HELD}/complete`, CompleteBody, { lease_token: 't' }],
  ['POST', `/tasks/${HELD}/fail`, FailBody, { lease_token: 't', reason: 'no' }],
  ['POST', `/tasks/${HELD}/release`, ReleaseBody, { lease_token: 't' }],
  ['POST', `/tasks/${HELD}/requeue`, RequeueBody, {}],
  ['POST', `/tasks/${HELD}/priority`, PriorityBody, { priority: 50 }],
  ['POST', `/tasks/${HELD}/unlock`, UnlockBody, {}],
  ['POST', `/tasks/${HELD}/cancel`, CancelBody, {}],
  ['POST', `/tasks/${HELD}/ask`, AskBody, { lease_token: 't', question: 'May I?' }],
  ['POST', `/tasks/${HELD}/answer`, AnswerBody, { question_id: 'q1', answer: 'Yes.' }],
  ['POST', `/tasks/${HELD}/log`, AppendLogBody, { lease_token: 't', offset: 0, text: 'x' }],
  ['POST', `/tasks/${HELD}/budget`, BudgetBody, { cost_usd: 1 }],
  ['POST', '/ledger/retry', RetryLedgerBody, {}],
  ['POST', '/tokens', CreateTokenBody, { agent_id: 'kenji' }],
  ['POST', '/issues', AddIssueBody, { title: 'Fix it' }],
  ['PATCH', '/issues/1', EditIssueBody, {}],
];

const WRONG: readonly unknown[] = [
  null,
  true,
  'text',
  '',
  '7',
  -1,
  1.5,
  1e300,
  101,
  [],
  {},
  [[]],
  [null],
  [7],
  ['a\u0000b'],
  [`${EMOJI_LABEL}🍵`],
  [`${LONG_LABEL}x`],
  { toString: 'x' },
  'a\u0000b',
  'a\r\nset-cookie: x',
  '../../etc/passwd',
  '\ud800',
  '🤖',
  'a'.repeat(30_000),
];

test('every call with a body that the API describes is tried here', async () => {
  const answer = await fetch(`${served.url}/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, object>> };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, call]) => 'requestBody' in call && !path.includes('/webhooks/'))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  const named = (path: string) =>
    path.replace(HELD, '{task_id}').replace('/issues/1', '/issues/{number}');
  const tried = CALLS.map(([method, path]) => `${method} /api/v1${named(path)}`);
  const settings = ['PUT /api/v1/config/{name}', 'PUT /api/v1/flags/{name}'];
  expect(described.sort()).toEqual([...tried, ...settings].sort());
});

describe.each(CALLS)('%s %s refuses', (method, path, schema, good) => {
  test('a wrong value of every field', async () => {
    const fields = Object.keys((schema as unknown as { properties: object }).properties);
    const bodies = fields.flatMap((field) =>
      [...WRONG, undefined].map((value) => ({ ...good, [field]: value })),
    );
    const wrong = bodies.filter((body) => !Value.Check(schema, JSON.parse(JSON.stringify(body))));
    expect(wrong.length).toBeGreaterThanOrEqual(fields.length * 5);
    for (const body of wrong) {
      expectRefusal(await send(method, path, body), 400, JSON.stringify(body).slice(0, 200));
    }
  });

  test.each(['extra', '__proto__', 'constructor', 'a\r\nb', '\u0000'])(
    'the unknown field %j',
    async (name) => {
      const body = `{${JSON.stringify(name)}:1,${JSON.stringify(good).slice(1)}`.replace(',}', '}');
      expectRefusal(await send(method, path, body), 400, name);
    },
  );

  test('a body that is no JSON object, deep, or not what it says it is', async () => {
    for (const body of ['', '{', '[]', '7', 'null', '"x"', '{"a":1}x', '\u0000', '[[[']) {
      if (body === '' && Value.Check(schema, {})) continue;
      if (body === 'null' && Value.Check(schema, {})) continue;
      expectRefusal(await send(method, path, body), 400, body);
    }
    const deep = `{"value":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expectRefusal(await send(method, path, deep), 400, 'deep');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/json', 'x']) {
      const headers = { 'content-type': type };
      expectRefusal(await send(method, path, good, headers), 415, type);
    }
  });

  test('10 MB', async () => {
    const { port } = new URL(served.url);
    const huge = Buffer.alloc(10_000_000, ' ');
    const head = `${method} /api/v1${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${huge.length}\r\n\r\n`;
    const told = await sendRaw(Number(port), head, huge);
    expect(told).toMatch(/^HTTP\/1.1 413 /);
    expect(told).toContain('"code":"too_large"');
  });

  test('a token of nobody', async () => {
    for (const authorization of ['Bearer banto_nobody', 'Basic eA==', 'Bearer', 'x'.repeat(600)]) {
      expectRefusal(await send(method, path, good, { authorization }), 401, authorization);
    }
  });
});

const LEASE_CALLS: [verb: string, rest: object][] = [
  ['heartbeat', {}],
  ['complete', {}],
  ['fail', { reason: 'x' }],
  ['release', {}],
];

describe.each(LEASE_CALLS)('%s', (verb, rest) => {
  test('with a stale or a made-up token is a lost lease', async () => {
    for (const lease_token of [stale, 'made-up', `${token}x`, token.toUpperCase()]) {
      const sent = await send('POST', `/tasks/${HELD}/${verb}`, { lease_token, ...rest });
      expectRefusal(sent, 409, lease_token);
    }
    const sent = await send('POST', `/tasks/${READY}/${verb}`, { lease_token: token, ...rest });
    expectRefusal(sent, 409, 'the token of another task');
  });
});

test('a review’s words do not end an implement task', async () => {
  for (const words of [{ verdict: 'approve' }, { comments: ['x'] }]) {
    const sent = await send('POST', `/tasks/${HELD}/complete`, { lease_token: token, ...words });
    expectRefusal(sent, 400, JSON.stringify(words));
  }
});

test('what the state does not allow is a conflict', async () => {
  expectRefusal(await send('POST', `/tasks/${READY}/unlock`, {}), 409, 'unlock');
  expectRefusal(await send('POST', `/tasks/${HELD}/requeue`, {}), 409, 'requeue');
});

const IDS: [id: string, status: number][] = [
  ['repo~99~implement.1', 404],
  ['repo~1~implement.2', 404],
  ['other~1~implement.1', 404],
  ['repo~0~implement.1', 404],
  ['repo~1~deploy.1', 404],
  ['nonsense', 404],
  ['repo~999999999999999~implement.999999', 404],
  ['__proto__', 404],
  ['..%2f..%2fetc%2fpasswd', 400],
  ['..%5c..%5cwindows', 400],
  ['%2e%2e%2f%2e%2e%2fbanto.db', 400],
  ['a%00b', 400],
  ['a%0d%0aset-cookie:%20x', 400],
  ['%F0%9F%8D%B5', 400],
  ['%ff', 400],
  ['%zz', 400],
  ['a'.repeat(500), 400],
  [encodeURIComponent("repo~1~implement.1' OR 1=1 --"), 400],
];

test.each(IDS)('the id %s is refused by every call on a task', async (id, status) => {
  for (const verb of ['', '/why']) {
    expectRefusal(await send('GET', `/tasks/${id}${verb}`), status, verb);
  }
  for (const [verb, rest] of LEASE_CALLS) {
    const sent = await send('POST', `/tasks/${id}/${verb}`, { lease_token: token, ...rest });
    expectRefusal(sent, status, verb);
  }
  for (const verb of ['requeue', 'unlock', 'cancel', 'priority']) {
    const body = verb === 'priority' ? { priority: 1 } : {};
    expectRefusal(await send('POST', `/tasks/${id}/${verb}`, body), status, verb);
  }
});

test.each([
  ['/tasks?state=open', 400],
  ['/tasks?kind=deploy', 400],
  ['/tasks?limit=0', 400],
  ['/tasks?limit=ten', 400],
  ['/tasks?limit=1&limit=2', 400],
  ['/tasks?agent=a%20b', 400],
  ['/tasks?label=a%0d%0ab', 400],
  [`/tasks?label=${encodeURIComponent(`${EMOJI_LABEL}🍵`)}`, 400],
  ['/tasks?repository=..%2f..%2f..', 400],
  ['/tasks?cursor=%00', 400],
  ["/tasks?cursor=1'%20OR%201", 400],
  ['/tasks?cursor=nonsense', 400],
  ['/tasks?nothing=1', 400],
  ['/agents/nobody', 404],
  ['/agents/a%0d%0ab', 400],
  ['/agents/..%2f..', 400],
  [`/tasks/${HELD}/why?agent=nobody`, 404],
  [`/tasks/${HELD}/why?agent=%00`, 400],
  ['/stats?period=yearly', 400],
  ['/events?last_event_id=-1', 400],
  ['/events?last_event_id=x', 400],
  ['/nothing', 404],
  ['/../../etc/passwd', 404],
  [`/queue?${'a'.repeat(9000)}`, 413],
])('GET %s is %d', async (path, status) => {
  expectRefusal(await send('GET', path), status, path);
});

test('a list by labels of 50 characters and of emoji is no bad input', async () => {
  for (const label of [EMOJI_LABEL, LONG_LABEL]) {
    const { status, text } = await send('GET', `/tasks?label=${encodeURIComponent(label)}`);
    expect(status).toBe(200);
    expect(text).toContain(HELD);
  }
});

const snake = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test.each(Object.keys(DEFAULT_POLICY) as (keyof Policy)[])(
  'the setting %s takes no wrong value',
  async (key) => {
    const labels = ['a\u0000b', `${LONG_LABEL}x`, 'a\r\nb'].map((label) => [label]);
    for (const value of [...WRONG, ...labels, { high: 1, normal: [], low: [] }]) {
      // Null takes a setting back to the value of the start.
      if (value === null || policyProblem(key, value) === null) continue;
      const sent = await send('PUT', `/config/${snake(key)}`, { value });
      expectRefusal(sent, 400, JSON.stringify(value).slice(0, 100));
    }
  },
);

test('flags and settings that there are not, and values that are none', async () => {
  for (const value of [null, 1, 'true', [], {}]) {
    expectRefusal(await send('PUT', '/flags/maintenance', { value }), 400, JSON.stringify(value));
  }
  for (const name of ['nothing', 'constructor', 'to_string']) {
    expectRefusal(await send('PUT', `/flags/${name}`, { value: true }), 404, name);
    expectRefusal(await send('PUT', `/config/${name}`, { value: 1 }), 404, name);
  }
  for (const name of ['__proto__', 'a%00', '..%2f', 'A', 'a'.repeat(65)]) {
    expectRefusal(await send('PUT', `/flags/${name}`, { value: true }), 400, name);
    expectRefusal(await send('PUT', `/config/${name}`, { value: 1 }), 400, name);
  }
  expectRefusal(await send('PUT', '/config/lease_seconds', {}), 400, 'no value');
});

test('after all of it nothing has changed and nothing was logged as a fault', async () => {
  await served.stop();
  expect(await everything()).toEqual(before);
  expect(faults).toEqual([]);
});
