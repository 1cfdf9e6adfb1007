import { afterEach, describe, expect, test } from 'vitest';
import { assignmentAnswer, READY, taskAnswer } from '../../test/support/api-answers.ts';
import {
  NOT_BANTO,
  refusal,
  type Script,
  type ScriptedApi,
  scriptedApi,
} from '../../test/support/scripted-api.ts';
import { BantoError } from '../core/errors.ts';
import type { RequestTaskBody } from '../doors/schema/request-task.ts';
import { createClient } from './client.ts';
import { createTransport } from './transport.ts';

const open: ScriptedApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api.close();
});

const retry = { delaysMs: [5, 5, 5], random: () => 0 };

async function talkTo(script: Script, token: string | null = null) {
  const api = await scriptedApi(script);
  open.push(api);
  return { api, client: createClient({ url: api.url, token, retry }) };
}

async function nobodyAt(): Promise<string> {
  const api = await scriptedApi(() => ({}));
  await api.close();
  return api.url;
}

/** The first `times` calls get the one reply, the later ones the other. */
function afterwards(times: number, first: ReturnType<Script>, then: ReturnType<Script>): Script {
  let calls = 0;
  return () => {
    calls += 1;
    return calls <= times ? first : then;
  };
}

const BUSY = {
  ...refusal(503, 'busy', 'Server is busy. Please try again later.'),
  headers: { 'retry-after': '0' },
};

describe('asking for a task', () => {
  test('answers with the task, and with null when there is none', async () => {
    const script = afterwards(1, { json: assignmentAnswer() }, { status: 204 });
    const { client, api } = await talkTo(script);
    const body = { agent_id: 'a1', capabilities: ['go'] };
    expect(await client.requestTask(body)).toEqual(assignmentAnswer());
    expect(await client.requestTask(body)).toBeNull();
    expect(api.received[0]).toMatchObject({ method: 'POST', path: '/api/v1/request-task' });
  });

  test('an answer lost on the way is asked for again under the same request id', async () => {
    const { client, api } = await talkTo(afterwards(2, 'lost', { json: assignmentAnswer() }));
    const task = await client.requestTask({ agent_id: 'a1', capabilities: [], wait_seconds: 7 });
    expect(task?.task_id).toBe('shop~7~implement.1');
    const ids = api.received.map(({ body }) => (body as { request_id: string }).request_id);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a task that is held is answered again unless the caller says otherwise', async () => {
    const { client, api } = await talkTo(() => ({
      status: 204,
      headers: { 'banto-completed-task': 'shop~3~implement.1' },
    }));
    const body = { agent_id: 'a1', capabilities: [] };
    const completed: string[] = [];
    await client.requestTask(body, { completed: (id) => completed.push(id) });
    await client.requestTask({ ...body, on_unfinished: 'complete' });
    expect(api.received.map((each) => (each.body as RequestTaskBody).on_unfinished)).toEqual([
      'resume',
      'complete',
    ]);
    expect(completed).toEqual(['shop~3~implement.1']);
  });

  test('two requests have two ids, and a given id is kept', async () => {
    const { client, api } = await talkTo(() => ({ status: 204 }));
    const body = { agent_id: 'a1', capabilities: [] };
    await client.requestTask(body);
    await client.requestTask(body);
    await client.requestTask({ ...body, request_id: 'mine' });
    const ids = api.received.map(({ body }) => (body as { request_id: string }).request_id);
    expect(new Set(ids).size).toBe(3);
    expect(ids[2]).toBe('mine');
  });

  test('a busy server is not asked again: that is for the caller to decide', async () => {
    const { client, api } = await talkTo(() => BUSY);
    await expect(client.requestTask({ agent_id: 'a1', capabilities: [] })).rejects.toMatchObject({
      code: 'busy',
      retryAfterSeconds: 0,
    });
    expect(api.received).toHaveLength(1);
  });
});

describe('a server that cannot answer now', () => {
  const told =
    (json: object): Script =>
    () => ({
      status: 503,
      headers: { 'retry-after': '7' },
      json: { error: 'Server is busy. Please try again later.', ...json },
    });

  test('says why, whatever word it has for it', async () => {
    const words = {
      busy: 'Redis is away since 12 s.',
      maintenance: 'Hand-out is paused',
      later: 'x',
    };
    for (const [code, detail] of Object.entries(words)) {
      const { client, api } = await talkTo(told({ code, detail }));
      await expect(client.queue()).rejects.toMatchObject({
        message: `Banto at ${api.url} cannot answer now: ${detail.replace(/[.]$/, '')}. Try again in 7 s.`,
        retryAfterSeconds: 7,
      });
    }
  });

  test('is not called busy where it gives no reason', async () => {
    const { client, api } = await talkTo(told({ code: 'busy' }));
    await expect(client.queue()).rejects.toThrow(
      `Banto at ${api.url} cannot answer now and does not say why. Try again in 7 s.`,
    );
  });
});

describe('what is repeated', () => {
  const lease_token = 't';
  type Named = [string, (client: ReturnType<typeof createClient>) => Promise<unknown>];
  const work: Named[] = [
    ['heartbeat', (client) => client.heartbeat('x', { lease_token })],
    ['complete', (client) => client.complete('x', { lease_token })],
    ['fail', (client) => client.fail('x', { lease_token, reason: 'r' })],
    ['release', (client) => client.release('x', { lease_token })],
  ];

  test.each(work)('%s outlives a lost answer', async (_, call) => {
    const { client, api } = await talkTo(afterwards(1, 'lost', { json: taskAnswer() }));
    await call(client);
    expect(api.received).toHaveLength(2);
  });

  test.each(work)('%s outlives a busy server', async (_, call) => {
    const { client, api } = await talkTo(afterwards(2, BUSY, { json: taskAnswer() }));
    await call(client);
    expect(api.received).toHaveLength(3);
  });

  test('only so often', async () => {
    const { client, api } = await talkTo(() => 'lost');
    await expect(client.complete('x', { lease_token })).rejects.toMatchObject({
      code: 'unreachable',
    });
    expect(api.received).toHaveLength(1 + retry.delaysMs.length);
  });

  test('a lost lease is final', async () => {
    const reply = refusal(409, 'lease_lost', 'The lease is lost.');
    const { client, api } = await talkTo(() => reply);
    await expect(client.heartbeat('x', { lease_token })).rejects.toMatchObject({
      code: 'lease_lost',
      message: 'The lease is lost.',
    });
    expect(api.received).toHaveLength(1);
  });

  test.each<Named>([
    ['unlock', (client) => client.unlock('x')],
    ['cancel', (client) => client.cancel('x')],
    ['createToken', (client) => client.createToken({ agent_id: null })],
    ['revokeToken', (client) => client.revokeToken('x')],
  ])('%s is never sent twice', async (_, call) => {
    const { client, api } = await talkTo(() => 'lost');
    await expect(call(client)).rejects.toMatchObject({ code: 'unreachable' });
    expect(api.received).toHaveLength(1);
  });
});

describe('a server that is not there', () => {
  test('is named, with what to do', async () => {
    const url = await nobodyAt();
    const error: unknown = await createClient({ url })
      .queue()
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BantoError);
    expect(error).toMatchObject({
      code: 'unreachable',
      message: `Banto cannot be reached at ${url} (ECONNREFUSED). Start it with \`banto serve\`, or set BANTO_URL to where it is.`,
    });
  });

  test('does not show a password that was in its address', async () => {
    const url = (await nobodyAt()).replace('http://', 'http://me:hush@');
    await expect(createClient({ url }).queue()).rejects.not.toThrow(/hush/);
  });

  test('stays silent: the call ends and says so', async () => {
    const api = await scriptedApi(() => 'taken');
    open.push(api);
    const transport = createTransport({ url: api.url, token: null });
    const call = transport.send({ method: 'GET', path: '/x', silenceMs: 30 });
    await expect(call).rejects.toThrow(/no answer for 0 s/);
  });

  test('is another program: that is told too', async () => {
    const { client } = await talkTo(() => ({ text: '<html>hello</html>' }));
    await expect(client.queue()).rejects.toMatchObject({ code: 'unreachable' });
    await expect(client.queue()).rejects.toThrow(/does not look like a Banto server/);
  });

  test.each([
    ['{}', { json: {} }],
    ['a list', { json: [] }],
    ['nothing', { text: '' }],
  ])('is another program that answers with %s: nothing is read into it', async (_name, reply) => {
    const { client } = await talkTo(() => ({ ...reply, headers: NOT_BANTO }));
    const stranger = { code: 'unreachable', message: expect.stringMatching(/Check the address/) };
    const body = { agent_id: 'a1', capabilities: [] };
    await expect(client.tasks()).rejects.toMatchObject(stranger);
    await expect(client.requestTask(body)).rejects.toMatchObject(stranger);
    await expect(client.heartbeat('t', { lease_token: 'x' })).rejects.toMatchObject(stranger);
    await expect(client.putFlag('maintenance', true)).rejects.toMatchObject(stranger);
    await expect(client.events().next()).rejects.toMatchObject(stranger);
  });

  test('is understood without its header, which a proxy may have taken away', async () => {
    const answers = [
      { json: { tasks: [], next_cursor: null } },
      { status: 204 },
      refusal(404, 'not_found', 'No such task.'),
    ];
    const { client } = await talkTo(() => ({ ...answers.shift(), headers: NOT_BANTO }));
    expect(await client.tasks()).toMatchObject({ tasks: [] });
    expect(await client.requestTask({ agent_id: 'a1', capabilities: [] })).toBeNull();
    await expect(client.task('t')).rejects.toMatchObject({ code: 'not_found' });
  });

  test.each(['nonsense', 'ftp://x'])('the address %s is refused', (url) => {
    expect(() => createClient({ url })).toThrow(/begins with http/);
  });
});

describe('answers', () => {
  test('the token goes with every call, ids and queries are escaped', async () => {
    const { client, api } = await talkTo(() => ({ json: {} }), 'secret');
    await client.why('a/../b', 'r1');
    await client.tasks({ state: 'held', label: 'a&b' });
    expect(api.received[0]?.path).toBe('/api/v1/tasks/a%2F..%2Fb/why');
    expect(api.received[0]?.headers.authorization).toBe('Bearer secret');
    expect(api.received[1]?.query.get('label')).toBe('a&b');
    expect([...(api.received[1]?.query.keys() ?? [])]).toEqual(['state', 'label']);
  });

  test('not being ready is an answer', async () => {
    const { client } = await talkTo(() => ({ status: 503, json: { ...READY, ready: false } }));
    expect(await client.ready()).toMatchObject({ ready: false });
  });

  test('a missing token is told with the variable that holds it', async () => {
    const { client } = await talkTo(() => refusal(401, 'unauthenticated', 'A token is needed.'));
    await expect(client.queue()).rejects.toThrow('A token is needed. Set BANTO_TOKEN.');
  });

  test('an aborted call ends with the abort, not as unreachable', async () => {
    const { client, api } = await talkTo(() => 'taken');
    const leaving = new AbortController();
    const call = client.requestTask(
      { agent_id: 'a1', capabilities: [], wait_seconds: 30 },
      { signal: leaving.signal },
    );
    await expect.poll(() => api.received.length).toBe(1);
    leaving.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });
});
