import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually, type OpenDoor, openDoor } from '../../../test/support/http-door.ts';
import { AT, assignment, TASK_ID, task } from '../../../test/support/scripted-broker.ts';
import {
  BantoError,
  BUSY_SENTENCE,
  busy,
  shuttingDown,
  underMaintenance,
} from '../../core/errors.ts';
import { createTelemetry } from '../../telemetry/telemetry.ts';
import { createHttpDoor } from './door.ts';

let open: OpenDoor;
beforeAll(async () => {
  open = await openDoor();
});
afterAll(() => open.door.close());
afterEach(() => {
  open.broker.calls.length = 0;
  open.broker.script('requestTask', async () => assignment);
});

const TASK = `/api/v1/tasks/${TASK_ID}`;

async function call(method: string, path: string, body?: unknown) {
  const answer = await fetch(open.url + path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    json: text === '' ? null : JSON.parse(text),
  };
}

test('a request for work becomes one call of the broker, and its answer has every field of the contract', async () => {
  const { status, json } = await call('POST', '/api/v1/request-task', {
    agent_id: 'agent-1',
    capabilities: ['Backend'],
    request_id: 'r-1',
  });
  expect(status).toBe(200);
  expect(open.broker.calls).toEqual([
    [
      'requestTask',
      {
        agentId: 'agent-1',
        capabilities: ['Backend'],
        waitSeconds: 0,
        leaseSeconds: null,
        requestId: 'r-1',
        kinds: null,
        repositories: null,
        onUnfinished: 'complete',
      },
      expect.any(AbortSignal),
      expect.any(Function),
    ],
  ]);
  expect(json).toMatchObject({
    issue_id: 7,
    issue_url: 'https://example.test/octo/shop/issues/7',
    title: 'Keep the session 🍵',
    labels: ['backend', '優先'],
    branch_name: 'feature/issue-7',
    task_id: TASK_ID,
    kind: 'implement',
    repository: 'octo/shop',
    priority: 100,
    attempt: 2,
    handoff: [{ agent_id: 'agent-0', outcome: 'failed', note: 'did not compile' }],
    ledger: 'written',
    lease: {
      token: 'secret-lease-token',
      fence: 41,
      expires_at: '2026-11-15T20:27:00.000Z',
      seconds: 600,
    },
  });
});

test('nothing suitable is 204 without a body', async () => {
  open.broker.script('requestTask', async () => null);
  const { status, json } = await call('POST', '/api/v1/request-task', {
    agent_id: 'a',
    capabilities: [],
  });
  expect([status, json]).toEqual([204, null]);
});

const token = { lease_token: 't' };
const given = { taskId: TASK_ID, token: 't', agentId: null };
const used = { ...given, usage: null };
const USAGE = {
  model: 'm',
  inputTokens: 9,
  outputTokens: null,
  cachedTokens: null,
  costUsd: 0.5,
  turns: null,
  sessionId: 's',
};
test.each([
  ['heartbeat', { ...token, progress: 'half' }, 'heartbeat', { ...used, progress: 'half' }],
  ['heartbeat', token, 'heartbeat', { ...used, progress: null }],
  [
    'heartbeat',
    { ...token, usage: { model: 'm', input_tokens: 9, cost_usd: 0.5, session_id: 's' } },
    'heartbeat',
    { ...given, progress: null, usage: USAGE },
  ],
  [
    'complete',
    { ...token, verdict: 'approve', comments: ['good'], pr_number: 3 },
    'complete',
    {
      ...used,
      summary: null,
      prNumber: 3,
      verdict: 'approve',
      comments: ['good'],
      pullRequest: null,
    },
  ],
  [
    'complete',
    { ...token, pull_request: { title: 'T', body: 'B' } },
    'complete',
    {
      ...used,
      summary: null,
      prNumber: null,
      verdict: null,
      comments: [],
      pullRequest: { title: 'T', body: 'B' },
    },
  ],
  [
    'fail',
    { ...token, reason: 'x' },
    'fail',
    { ...used, reason: 'x', retryable: true, delaySeconds: null, tree: null },
  ],
  [
    'fail',
    { ...token, reason: 'x', retryable: false, delay_seconds: 9 },
    'fail',
    { ...used, reason: 'x', retryable: false, delaySeconds: 9, tree: null },
  ],
  ['release', token, 'release', { ...used, reason: null, delaySeconds: null }],
  [
    'release',
    { ...token, delay_seconds: 60 },
    'release',
    { ...used, reason: null, delaySeconds: 60 },
  ],
  [
    'requeue',
    { delay_seconds: 5 },
    'requeue',
    { by: 'operator', taskId: TASK_ID, delaySeconds: 5 },
  ],
  ['requeue', undefined, 'requeue', { by: 'operator', taskId: TASK_ID, delaySeconds: 0 }],
  [
    'priority',
    { priority: 'low' },
    'prioritize',
    { by: 'operator', taskId: TASK_ID, priority: 25 },
  ],
  ['priority', { priority: 60 }, 'prioritize', { by: 'operator', taskId: TASK_ID, priority: 60 }],
  ['unlock', undefined, 'unlock', { by: 'operator', taskId: TASK_ID }],
  ['cancel', { reason: 'no' }, 'cancel', { by: 'operator', taskId: TASK_ID, reason: 'no' }],
])('POST %s with %j calls %s', async (path, body, verb, input) => {
  const { status } = await call('POST', `${TASK}/${path}`, body);
  expect(status).toBe(200);
  expect(open.broker.calls).toEqual([[verb, input]]);
});

test.each([
  ['/api/v1/tasks', [{ limit: 50 }], 'tasks'],
  [
    '/api/v1/tasks?state=ready&kind=fix&agent=a&label=%E5%84%AA&repository=o%2Fr&limit=7&cursor=c',
    [
      {
        state: 'ready',
        kind: 'fix',
        agent: 'a',
        label: '優',
        repository: 'o/r',
        limit: 7,
        cursor: 'c',
      },
    ],
    'tasks',
  ],
  [TASK, [TASK_ID], 'task'],
  [`${TASK}/why`, [TASK_ID, null], 'why'],
  [`${TASK}/why?agent=a`, [TASK_ID, 'a'], 'why'],
  ['/api/v1/agents/agent-1', ['agent-1'], 'agent'],
  ['/api/v1/stats', ['daily'], 'stats'],
  ['/api/v1/stats?period=hourly', ['hourly'], 'stats'],
])('GET %s asks with %j', async (path, args, verb) => {
  expect((await call('GET', path)).status).toBe(200);
  expect(open.broker.calls).toEqual([[verb, ...args]]);
});

test('settings are put by name, with the value as it came', async () => {
  await call('PUT', '/api/v1/config/excluded_labels', { value: ['a', { b: null }] });
  await call('PUT', '/api/v1/flags/maintenance', { value: null });
  expect(open.broker.calls).toEqual([
    ['putConfig', 'excluded_labels', ['a', { b: null }], { by: 'operator' }],
    ['putFlag', 'maintenance', null, { by: 'operator' }],
  ]);
});

test('no read shows the token or the request id of a lease', async () => {
  for (const path of ['/api/v1/tasks', TASK]) {
    const { json } = await call('GET', path);
    expect(JSON.stringify(json)).toContain('2026-11-15T20:27:00.000Z');
    expect(JSON.stringify(json)).not.toContain('secret-');
  }
});

test('who adds or edits an issue is named', async () => {
  const draft = { title: 'Fix it', body: '', labels: [], priority: null, blockedBy: [] };
  await call('POST', '/api/v1/issues', { title: 'Fix it' });
  await call('PATCH', '/api/v1/issues/7', { state: 'closed' });
  expect(open.broker.calls).toEqual([
    ['addIssue', draft, { by: 'operator' }],
    ['editIssue', 7, { state: 'closed' }, { by: 'operator' }],
  ]);
});

test('the queue is summed up by state and by priority', async () => {
  const { json } = await call('GET', '/api/v1/queue');
  expect(json).toMatchObject({
    by_state: { ready: 4, held: 2, leased: 0 },
    by_priority: { high: 1, normal: 3, low: 0 },
    oldest_ready_at: new Date(AT).toISOString(),
    waiting: 4,
  });
});

test('asking that completed something says so in the answer, in a header and in a refusal', async () => {
  const answers = [async () => assignment, async () => null, async () => Promise.reject(busy())];
  for (const answer of answers) {
    open.broker.script('requestTask', async (_request, _signal, completed) => {
      completed?.('octo~shop~3~implement.1');
      return answer();
    });
    const given = await call('POST', '/api/v1/request-task', { agent_id: 'a', capabilities: [] });
    expect(given.headers.get('banto-completed-task')).toBe('octo~shop~3~implement.1');
    if (given.status === 200) expect(given.json.completed_task_id).toBe('octo~shop~3~implement.1');
  }
});

test('an answer is marked as given once it was sent, and not when nobody was there', async () => {
  const marked: unknown[] = [];
  open.broker.script('answered', async ({ lease }) => void marked.push(lease.token));
  await call('POST', '/api/v1/request-task', { agent_id: 'a', capabilities: [] });
  await eventually(() => expect(marked).toEqual(['secret-lease-token']));
  const asked = Promise.withResolvers<AbortSignal | undefined>();
  const answer = Promise.withResolvers<typeof assignment>();
  open.broker.script('requestTask', async (_request, signal) => {
    asked.resolve(signal);
    return answer.promise;
  });
  const gone = new AbortController();
  const lost = fetch(`${open.url}/api/v1/request-task`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: 'a', capabilities: [] }),
    signal: gone.signal,
  });
  const signal = await asked.promise;
  gone.abort();
  await expect(lost).rejects.toThrow('aborted');
  await eventually(() => expect(signal?.aborted).toBe(true));
  answer.resolve(assignment);
  await call('GET', '/health');
  expect(marked).toHaveLength(1);
});

test('flags of one repository or agent are taken, and listed beside the others', async () => {
  const path = `/api/v1/flags/${encodeURIComponent('maintenance:octo/shop')}`;
  const { status, json } = await call('PUT', path, { value: true });
  expect([status, json]).toEqual([
    200,
    { maintenance: true, debug: true, 'maintenance:octo/shop': true },
  ]);
  expect(open.broker.calls).toEqual([
    ['putFlag', 'maintenance:octo/shop', true, { by: 'operator' }],
  ]);
});

test.each([
  [new BantoError('lease_lost', 'The lease is lost.'), 409, 'lease_lost', 'The lease is lost.'],
  [new BantoError('conflict', 'Not in this state.'), 409, 'conflict', 'Not in this state.'],
  [new BantoError('not_found', 'No such task.'), 404, 'not_found', 'No such task.'],
  [new BantoError('invalid_request', 'No verdict.'), 400, 'invalid_request', 'No verdict.'],
  [new BantoError('too_many_requests', 'Too many.'), 429, 'too_many_requests', 'Too many.'],
  [busy(new Error('disk')), 503, 'busy', BUSY_SENTENCE],
  [new BantoError('busy', 'The disk is full.'), 503, 'busy', BUSY_SENTENCE],
  [new BantoError('unreachable', 'No store.'), 503, 'busy', BUSY_SENTENCE],
])('%s is answered by the one table', async (error, status, code, sentence) => {
  open.broker.script('requestTask', async () => {
    throw error;
  });
  const body = { agent_id: 'a', capabilities: [] };
  const answer = await call('POST', '/api/v1/request-task', body);
  expect([answer.status, answer.json]).toEqual([status, { error: sentence, code }]);
  expect(answer.headers.get('retry-after')).toBe(status === 503 ? '1' : null);
});

test.each([
  [shuttingDown(), 'stopping', '1', 'This Banto is shutting down.'],
  [underMaintenance('Paused.'), 'maintenance', '10', 'Paused.'],
  [busy(undefined, 3, 'Redis is away since 12 s.'), 'busy', '3', 'Redis is away since 12 s.'],
])('a refusal for now keeps its sentence and says why (%s)', async (error, code, after, detail) => {
  open.broker.script('requestTask', async () => {
    throw error;
  });
  const answer = await call('POST', '/api/v1/request-task', { agent_id: 'a', capabilities: [] });
  expect([answer.status, answer.json]).toEqual([503, { error: BUSY_SENTENCE, code, detail }]);
  expect(answer.headers.get('retry-after')).toBe(after);
});

test.each([
  new TypeError('undefined is not a function at /srv/secret.ts'),
  new BantoError('internal', 'at /srv/secret.ts'),
  new BantoError('misconfigured', 'at /srv/secret.ts'),
  Object.assign(new Error('at /srv/secret.ts'), { code: 'SQLITE_CORRUPT' }),
])('%s is a 500 without details, logged with the id of the request', async (error) => {
  open.broker.script('requestTask', async () => {
    throw error;
  });
  const answer = await call('POST', '/api/v1/request-task', { agent_id: 'a', capabilities: [] });
  expect(answer.status).toBe(500);
  expect(answer.json.code).toBe('internal');
  expect(JSON.stringify(answer.json)).not.toContain('secret.ts');
  const id = answer.headers.get('x-request-id') ?? 'none';
  const line = open.lines.findLast((each) => each.includes('"level":50')) ?? '';
  expect(line).toContain(id);
  expect(line).toContain('/srv/secret.ts');
});

test('health needs nothing of the broker; ready says which part is not', async () => {
  const health = await call('GET', '/health');
  expect(health.json).toMatchObject({ status: 'ok', version: '1.2.3' });
  expect(open.broker.calls).toEqual([]);
  expect((await call('GET', '/ready')).json).toMatchObject({ ready: true });
  open.broker.script('readiness', async () => ({
    store: { ok: true, error: null },
    forge: { ok: false, error: 'The backlog is gone.' },
    mirrored: true,
  }));
  const ready = await call('GET', '/ready');
  expect(ready.status).toBe(503);
  expect(ready.json).toMatchObject({ ready: false, forge: { error: 'The backlog is gone.' } });
});

test('metrics count verbs and answers, and show the queue even after the store went away', async () => {
  await call('POST', `${TASK}/release`, token);
  const first = await (await fetch(`${open.url}/metrics`)).text();
  expect(first).toContain('banto_verb_total{verb="release"}');
  expect(first).toContain('route="/api/v1/tasks/:task_id/release",method="POST",status="200"');
  expect(first).toContain('banto_tasks{state="held",kind="implement",priority="50"} 2');
  open.broker.script('queue', async () => {
    throw busy();
  });
  const later = await fetch(`${open.url}/metrics`);
  expect(later.status).toBe(200);
  expect(await later.text()).toContain('banto_store_up 0');
});

test('the debug flag raises the log level at once', async () => {
  await call('PUT', '/api/v1/flags/debug', { value: true });
  await call('GET', '/health');
  expect(open.lines.some((line) => line.includes('"route":"/health"'))).toBe(true);
});

test('an address in use is told apart and says what to do', async () => {
  const second = createHttpDoor({
    broker: open.broker,
    telemetry: createTelemetry({ level: 'silent' }),
    settings: { host: '127.0.0.1', port: open.port, version: '1', tokensRequired: false },
  });
  await expect(second.listen()).rejects.toThrow(`127.0.0.1:${open.port} is already in use`);
  await second.close();
});

test('an address that others can reach is refused without tokens', () => {
  const make = () =>
    createHttpDoor({
      broker: open.broker,
      telemetry: createTelemetry({ level: 'silent' }),
      settings: { host: '0.0.0.0', port: 0, version: '1', tokensRequired: false },
    });
  expect(make).toThrow('tokens are needed');
});

test('a finished task shows its result and no lease', async () => {
  open.broker.script('complete', async () => ({ ...task, lease: null, state: 'done' }));
  const { json } = await call('POST', `${TASK}/complete`, token);
  expect(json).toMatchObject({ state: 'done', lease: null, result: { comments: ['why?'] } });
});
