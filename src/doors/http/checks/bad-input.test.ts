// Bad input of every kind over every route: a clear 4xx with {error, code}, and nothing was asked of the broker.

import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type OpenDoor, openDoor, sendRaw } from '../../../../test/support/http-door.ts';
import { TASK_ID } from '../../../../test/support/scripted-broker.ts';

let open: OpenDoor;
beforeAll(async () => {
  open = await openDoor();
});
afterAll(() => open.door.close());

const API = '/api/v1';
const TASK = `${API}/tasks/${TASK_ID}`;
const token = { lease_token: 'secret-lease-token' };

/** Every route that takes a body, with one that is right. */
const BODIES: [method: string, path: string, body: Record<string, unknown>][] = [
  ['POST', `${API}/request-task`, { agent_id: 'agent-1', capabilities: ['backend'] }],
  ['POST', `${TASK}/heartbeat`, { ...token, progress: 'half' }],
  ['POST', `${TASK}/complete`, { ...token, summary: 'done' }],
  ['POST', `${TASK}/fail`, { ...token, reason: 'broken' }],
  ['POST', `${TASK}/release`, { ...token }],
  ['POST', `${TASK}/ask`, { ...token, question: 'Which port?' }],
  ['POST', `${TASK}/answer`, { question_id: 'q1', answer: '8080' }],
  ['POST', `${TASK}/log`, { ...token, offset: 0, text: 'read the code' }],
  ['POST', `${TASK}/budget`, { cost_usd: 2.5 }],
  ['POST', `${API}/ledger/retry`, {}],
  ['POST', `${TASK}/requeue`, { delay_seconds: 5 }],
  ['POST', `${TASK}/priority`, { priority: 'high' }],
  ['POST', `${TASK}/unlock`, {}],
  ['POST', `${TASK}/cancel`, { reason: 'no longer wanted' }],
  ['PUT', `${API}/config/lease_seconds`, { value: 900 }],
  ['PUT', `${API}/flags/maintenance`, { value: true }],
];
const READS = [
  `${API}/tasks`,
  TASK,
  `${TASK}/why`,
  `${TASK}/log`,
  `${API}/agents`,
  `${API}/agents/agent-1`,
  `${API}/queue`,
  `${API}/stats`,
  `${API}/config`,
  `${API}/flags`,
  `${API}/events`,
];

async function send(
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  type = 'application/json',
) {
  const init =
    body === undefined ? { method } : { method, body, headers: { 'content-type': type } };
  return fetch(open.url + path, init);
}

/** The sentence of a refusal; fails unless it is one with this status and the broker was not asked. */
async function refusal(answer: Response, status: number): Promise<string> {
  const text = await answer.text();
  expect({ status: answer.status, text }).toMatchObject({ status });
  const { error = '', code, ...rest } = JSON.parse(text) as Record<string, string>;
  expect(rest).toEqual({});
  expect(error).toMatch(/^[A-Z].*\.$/s);
  expect(code).toMatch(/^[a-z_]+$/);
  expect(open.broker.calls).toEqual([]);
  return error;
}

afterEach(() => {
  open.broker.calls.length = 0;
});
afterAll(() => {
  const faults = open.lines.filter((line) => line.includes('"level":50'));
  if (faults.length > 0) throw new Error(`Bad input was logged as a fault:\n${faults.join('')}`);
});

describe.each(BODIES)('%s %s', (method, path, good) => {
  const json = JSON.stringify(good);

  test('takes what is right', async () => {
    const answer = await send(method, path, json);
    expect(answer.status).toBe(200);
    expect(open.broker.calls).toHaveLength(1);
  });

  test('refuses an unknown field by its name', async () => {
    expect(
      await refusal(await send(method, path, JSON.stringify({ ...good, foo: 1 })), 400),
    ).toMatch(/`foo`/);
  });

  test('refuses a field given twice', async () => {
    const twice = `{"x":1,"x":2${json === '{}' ? '' : `,${json.slice(1, -1)}`}}`;
    expect(await refusal(await send(method, path, twice), 400)).toMatch(/"x" is given twice/);
  });

  test.each(['{', 'null true', '{"a":1}garbage', '\u0000', 'NaN', "{'a':1}"])(
    'refuses %j, which is not JSON',
    async (text) =>
      expect(await refusal(await send(method, path, text), 400)).toMatch(/not valid JSON/),
  );

  test.each(['[]', '"text"', '7', 'true'])('refuses %s, which is no object', async (text) => {
    expect(await refusal(await send(method, path, text), 400)).toMatch(/must be a JSON object/);
  });

  test('refuses deep JSON', async () => {
    const deep = `{"value":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(await refusal(await send(method, path, deep), 400)).toMatch(/levels deep/);
  });

  test('refuses bytes that are not UTF-8', async () => {
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expect(await refusal(await send(method, path, bytes), 400)).toMatch(/UTF-8/);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'nonsense',
  ])('refuses the content type %s', async (type) => {
    expect(await refusal(await send(method, path, json, type), 415)).toMatch(/application\/json/);
  });

  test('refuses 10 MB', async () => {
    const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
    const huge = Buffer.alloc(10_000_000, 'a');
    const told = await sendRaw(open.port, `${head}content-length: ${huge.length}\r\n\r\n`, huge);
    expect(told).toMatch(/^HTTP\/1.1 413 /);
    expect(told).toContain('"code":"too_large"');
    const chunk = Buffer.concat([
      Buffer.from('200000\r\n'),
      Buffer.alloc(0x200000, ' '),
      Buffer.from('\r\n'),
    ]);
    const chunked = await sendRaw(
      open.port,
      `${head}transfer-encoding: chunked\r\n\r\n`,
      chunk,
      chunk,
    );
    expect(chunked).toMatch(/^HTTP\/1.1 413 /);
    expect(open.broker.calls).toEqual([]);
  });

  test('refuses parameters in the address', async () => {
    expect(await refusal(await send(method, `${path}?force=1`, json), 400)).toMatch(/`force`/);
  });

  test.each(['PATCH', 'DELETE', 'OPTIONS', method === 'PUT' ? 'POST' : 'PUT'])(
    'does not know the method %s',
    async (wrong) =>
      expect(await refusal(await send(wrong, path), 404)).toMatch(
        /no such call|no task|There is no/i,
      ),
  );
});

describe.each(READS)('GET %s', (path) => {
  test('refuses an unknown query parameter by its name', async () => {
    expect(await refusal(await send('GET', `${path}?foo=1`), 400)).toMatch(
      /Unknown query parameter `foo`/,
    );
  });

  test('refuses a huge address', async () => {
    expect(await refusal(await send('GET', `${path}?foo=${'a'.repeat(8_000)}`), 413)).toMatch(
      /longer than/,
    );
  });

  test.each(['DELETE', 'OPTIONS', 'PATCH'])('does not know the method %s', async (method) => {
    expect(await refusal(await send(method, path), 404)).toMatch(
      /no such call|no task|There is no/i,
    );
  });
});

const agent = { agent_id: 'agent-1', capabilities: ['backend'] };
const FIELDS: [path: string, body: Record<string, unknown>, named: string][] = [
  [`${API}/request-task`, { capabilities: [] }, '`agent_id` is missing'],
  [`${API}/request-task`, { agent_id: 'a' }, '`capabilities` is missing'],
  ...[
    '',
    '.a',
    '-a',
    'a b',
    'a/b',
    '../a',
    'a\r\nset-cookie: x',
    'a\u0000',
    'é',
    '🤖',
    'a'.repeat(51),
    7,
    null,
    ['a'],
    {},
  ].map((id): [string, Record<string, unknown>, string] => [
    `${API}/request-task`,
    { ...agent, agent_id: id },
    '`agent_id`',
  ]),
  [`${API}/request-task`, { ...agent, agent_id: 'In-Progress' }, 'ledger label'],
  [`${API}/request-task`, { ...agent, agent_id: 'needs-review' }, 'ledger label'],
  ...[
    '',
    'a\u0000b',
    'a\nb',
    'a\r\n',
    '\u007f',
    '\u0085',
    '\ud800',
    'a'.repeat(51),
    '🍵'.repeat(51),
    1,
    null,
  ].map((label): [string, Record<string, unknown>, string] => [
    `${API}/request-task`,
    { ...agent, capabilities: ['fine', label] },
    '`capabilities[1]`',
  ]),
  [`${API}/request-task`, { ...agent, capabilities: 'backend' }, '`capabilities`'],
  [`${API}/request-task`, { ...agent, capabilities: Array(65).fill('a') }, '0–64'],
  ...[-1, 301, 1.5, '5', null, 1e300].map((wait): [string, Record<string, unknown>, string] => [
    `${API}/request-task`,
    { ...agent, wait_seconds: wait },
    '`wait_seconds`',
  ]),
  ...[9, 86_401, 10.5, '600'].map((seconds): [string, Record<string, unknown>, string] => [
    `${API}/request-task`,
    { ...agent, lease_seconds: seconds },
    '`lease_seconds`',
  ]),
  [`${API}/request-task`, { ...agent, request_id: '' }, '`request_id`'],
  [`${API}/request-task`, { ...agent, request_id: 'a\nb' }, '`request_id`'],
  [`${API}/request-task`, { ...agent, kinds: [] }, '`kinds`'],
  [`${API}/request-task`, { ...agent, kinds: ['deploy'] }, '`kinds[0]`'],
  [`${API}/request-task`, { ...agent, repositories: ['a/b/c'] }, '`repositories[0]`'],
  [`${API}/request-task`, { ...agent, repositories: ['a\u0000'] }, '`repositories[0]`'],
  [
    `${API}/request-task`,
    { ...agent, on_unfinished: 'drop' },
    'complete (default), resume or release',
  ],
  ...['heartbeat', 'complete', 'fail', 'release'].flatMap(
    (verb): [string, Record<string, unknown>, string][] =>
      [
        [`${TASK}/${verb}`, verb === 'fail' ? { reason: 'x' } : {}, '`lease_token` is missing'],
        [`${TASK}/${verb}`, { lease_token: '', reason: 'x' }, '`lease_token`'],
        [`${TASK}/${verb}`, { lease_token: 'a b', reason: 'x' }, '`lease_token`'],
        [`${TASK}/${verb}`, { lease_token: 7, reason: 'x' }, '`lease_token`'],
      ].map(([path, body, named]) => {
        const { reason, ...rest } = body as Record<string, unknown>;
        const keeps = verb === 'fail' || verb === 'release';
        return [
          path as string,
          keeps && reason !== undefined ? { ...rest, reason } : rest,
          named as string,
        ];
      }),
  ),
  [`${TASK}/heartbeat`, { ...token, progress: 'a\u0000' }, '`progress`'],
  [`${TASK}/complete`, { ...token, pr_number: 0 }, '`pr_number`'],
  [`${TASK}/complete`, { ...token, pr_number: '12' }, '`pr_number`'],
  [`${TASK}/complete`, { ...token, verdict: 'lgtm' }, 'approve or request_changes'],
  [`${TASK}/complete`, { ...token, comments: 'one' }, '`comments`'],
  [`${TASK}/complete`, { ...token, comments: [1] }, '`comments[0]`'],
  [`${TASK}/complete`, { ...token, comments: Array(101).fill('a') }, '`comments`'],
  [`${TASK}/fail`, token, '`reason` is missing'],
  [`${TASK}/fail`, { ...token, reason: 'x', retryable: 'no' }, '`retryable`'],
  [`${TASK}/fail`, { ...token, reason: 'x', delay_seconds: -1 }, '`delay_seconds`'],
  [`${TASK}/requeue`, { delay_seconds: 2_592_001 }, '`delay_seconds`'],
  [`${TASK}/priority`, {}, '`priority` is missing'],
  [`${TASK}/priority`, { priority: 'urgent' }, 'high (100), normal (50), low (25)'],
  [`${TASK}/priority`, { priority: 101 }, '`priority`'],
  [`${TASK}/cancel`, { reason: 7 }, '`reason`'],
];

test.each(FIELDS)('POST %s refuses %j', async (path, body, named) => {
  const escaped = named.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  expect(await refusal(await send('POST', path, JSON.stringify(body)), 400)).toMatch(
    new RegExp(escaped),
  );
});

test.each([
  [`${API}/tasks?limit=0`, /`limit`/],
  [`${API}/tasks?limit=201`, /1–200/],
  [`${API}/tasks?limit=ten`, /`limit`/],
  [`${API}/tasks?limit=1e2`, /`limit`/],
  [`${API}/tasks?limit=`, /`limit`/],
  [`${API}/tasks?limit=1&limit=2`, /`limit`/],
  [`${API}/tasks?state=open`, /held, delayed, ready/],
  [`${API}/tasks?kind=deploy`, /`kind`/],
  [`${API}/tasks?agent=a%20b`, /`agent`/],
  [`${API}/tasks?label=a%00b`, /`label`/],
  [`${API}/tasks?label=a%0d%0ab`, /`label`/],
  [`${API}/tasks?label=${encodeURIComponent('🍵'.repeat(51))}`, /`label`/],
  [`${API}/tasks?repository=..%2f..%2f..`, /`repository`/],
  [`${API}/tasks?cursor=%00`, /`cursor`/],
  [`${API}/tasks?__proto__=1`, /`__proto__`/],
  [`${API}/stats?period=weekly`, /daily or hourly/],
  [`${API}/events?last_event_id=abc`, /`last_event_id`/],
  [`${API}/events?last_event_id=-1`, /`last_event_id`/],
  [`${TASK}/why?agent=${'a'.repeat(51)}`, /`agent`/],
  [`${API}/agents/a%20b`, /`agent_id`/],
  [`${API}/agents/..%2fconfig`, /`agent_id`/],
  [`${API}/tasks/..%2f..%2fetc%2fpasswd`, /`task_id`/],
  [`${API}/tasks/a%00b`, /`task_id`/],
  [`${API}/tasks/a%0d%0ab`, /`task_id`/],
  [`${API}/tasks/%F0%9F%8D%B5`, /`task_id`/],
  [`${API}/tasks/%zz`, /encoded/],
  [`${API}/tasks/%ff`, /encoded/],
  [`${API}/tasks/${'a'.repeat(301)}`, /too long/],
])('GET %s is refused', async (path, sentence) => {
  expect(await refusal(await send('GET', path), 400)).toMatch(sentence);
});

test.each([
  `${API}/tasks/..%2f`.replace('%2f', ''),
  `${API}/tasks/nonsense`,
  `${API}/tasks/octo~shop~0~implement.1`,
  `${API}/tasks/octo~shop~7~deploy.1`,
  `${API}/nothing`,
  '/API/V1/queue',
  '/.env',
  '/docs/static/..%2f..%2fpackage.json',
])('GET %s is not found', async (path) => {
  expect(await refusal(await send('GET', path), 404)).toMatch(/no such call|no task|There is no/i);
});

test('a bad setting name is refused before the broker is asked', async () => {
  for (const name of ['leaseSeconds', '__proto__', 'a%00', '..%2fx', 'A', 'a'.repeat(65)]) {
    expect(await refusal(await send('PUT', `${API}/config/${name}`, '{"value":1}'), 400)).toMatch(
      /`name`/,
    );
  }
});

test('a bad Last-Event-ID is refused', async () => {
  for (const id of ['abc', '-1', '1.5', '99999999999999999999', '']) {
    const headers = { 'last-event-id': id };
    expect(await refusal(await fetch(`${open.url}${API}/events`, { headers }), 400)).toMatch(
      /last-event-id/,
    );
  }
});

test('names in sentences are shortened and escaped, so that nothing can hide in them', async () => {
  const answer = await send(
    'POST',
    `${API}/request-task`,
    JSON.stringify({ ['x\r\n\u001b'.repeat(100)]: 1 }),
  );
  const { error } = (await answer.json()) as { error: string };
  expect(error.length).toBeLessThan(600);
  expect(error).not.toMatch(/\p{Cc}/u);
});

test('what is unusual but allowed gets through unharmed', async () => {
  const body = {
    agent_id: `A${'.'.repeat(49)}`,
    capabilities: [
      '🍵'.repeat(50),
      '*',
      'ラベル',
      'with space',
      '👩‍👩‍👧‍👦',
      ...Array(59).fill('x'),
    ],
    wait_seconds: 300,
    lease_seconds: 86_400,
    kinds: ['fix'],
    repositories: ['octo/shop', 'local'],
  };
  const answer = await send('POST', `${API}/request-task`, JSON.stringify(body));
  expect(answer.status).toBe(200);
  expect(open.broker.calls[0]?.[1]).toMatchObject({
    agentId: body.agent_id,
    capabilities: body.capabilities,
    waitSeconds: 300,
    leaseSeconds: 86_400,
  });
});

test('a note that is too long is cut with a mark, not refused', async () => {
  const body = JSON.stringify({ ...token, reason: `begin${'x'.repeat(50_000)}end` });
  const answer = await send('POST', `${TASK}/fail`, body);
  expect(answer.status).toBe(200);
  const [, input] = open.broker.calls[0] ?? [];
  const { reason } = input as { reason: string };
  expect(reason).toMatch(/^begin[^]*cut[^]*end$/);
  expect(reason).toHaveLength(20_000);
});

test('text cut in the middle of a character is made valid, not refused', async () => {
  const body = JSON.stringify({ ...token, reason: 'log \u001b[31mred\u001b[0m \ud83d' });
  const answer = await send('POST', `${TASK}/fail`, body);
  expect(answer.status).toBe(200);
  expect(open.broker.calls[0]?.[1]).toMatchObject({ reason: 'log \u001b[31mred\u001b[0m \ufffd' });
});

test('whatever is sent wherever, the answer is never a 500', async () => {
  const segment = fc
    .string({ unit: 'binary', maxLength: 20 })
    .map((text) => encodeURIComponent(text.toWellFormed()));
  const place = fc.oneof(
    fc.constantFrom(
      ...BODIES.map(([, path]) => path),
      ...READS.filter((path) => !path.endsWith('events')),
    ),
    segment.map((text) => `${API}/tasks/${text}`),
    fc.tuple(segment, segment).map(([name, value]) => `${API}/tasks?${name}=${value}`),
  );
  const body = fc.oneof(fc.json(), fc.string({ unit: 'binary' }));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('POST', 'PUT', 'GET'),
      place,
      body,
      async (method, path, text) => {
        const answer = await send(method, path, method === 'GET' ? undefined : text);
        expect(answer.status).toBeLessThan(500);
        await answer.text();
      },
    ),
    { numRuns: 500 },
  );
});

test('HEAD answers like GET without a body', async () => {
  for (const path of ['/health', `${API}/queue`, TASK]) {
    const answer = await fetch(open.url + path, { method: 'HEAD' });
    expect([path, answer.status, await answer.text()]).toEqual([path, 200, '']);
  }
  expect((await fetch(`${open.url}${API}/events`, { method: 'HEAD' })).status).toBe(404);
});
