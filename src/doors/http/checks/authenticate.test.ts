import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type OpenDoor, openDoor } from '../../../../test/support/http-door.ts';
import { TASK_ID } from '../../../../test/support/scripted-broker.ts';
import { busy } from '../../../core/errors.ts';

const API = '/api/v1';
const TASK = `${API}/tasks/${TASK_ID}`;
const lease = { lease_token: 't' };
const ROUTES: [access: string, method: string, path: string, body?: object][] = [
  ['agent', 'POST', `${API}/request-task`, { agent_id: 'agent-1', capabilities: [] }],
  ['agent', 'POST', `${TASK}/heartbeat`, lease],
  ['agent', 'POST', `${TASK}/complete`, lease],
  ['agent', 'POST', `${TASK}/fail`, { ...lease, reason: 'x' }],
  ['agent', 'POST', `${TASK}/release`, lease],
  ['agent', 'POST', `${TASK}/ask`, { ...lease, question: 'x' }],
  ['agent', 'POST', `${TASK}/log`, { ...lease, offset: 0, text: 'x' }],
  ['read', 'GET', `${TASK}/log`],
  ['read', 'GET', `${API}/tasks`],
  ['read', 'GET', TASK],
  ['read', 'GET', `${TASK}/why`],
  ['read', 'GET', `${API}/agents`],
  ['read', 'GET', `${API}/agents/agent-1`],
  ['read', 'GET', `${API}/queue`],
  ['read', 'GET', `${API}/stats`],
  ['read', 'GET', `${API}/config`],
  ['read', 'GET', `${API}/flags`],
  ['operator', 'GET', `${API}/tokens`],
  ['read', 'GET', '/ready'],
  ['read', 'GET', '/metrics'],
  ['operator', 'POST', `${TASK}/requeue`, {}],
  ['operator', 'POST', `${TASK}/priority`, { priority: 50 }],
  ['operator', 'POST', `${TASK}/unlock`, {}],
  ['operator', 'POST', `${TASK}/answer`, { question_id: 'q1', answer: 'x' }],
  ['operator', 'POST', `${TASK}/budget`, { tokens: 5 }],
  ['operator', 'POST', `${API}/ledger/retry`, {}],
  ['operator', 'POST', `${TASK}/cancel`, {}],
  ['operator', 'PUT', `${API}/config/lease_seconds`, { value: 1 }],
  ['operator', 'PUT', `${API}/flags/debug`, { value: false }],
  ['operator', 'POST', `${API}/tokens`, { agent_id: null }],
  ['operator', 'DELETE', `${API}/tokens/0123456789ab`],
];

const doors: Record<'loopback' | 'guarded', OpenDoor> = {} as never;
beforeAll(async () => {
  doors.loopback = await openDoor();
  doors.guarded = await openDoor({ tokensRequired: true });
});
afterAll(() => Promise.all([doors.loopback.door.close(), doors.guarded.door.close()]));
afterEach(() => {
  doors.loopback.broker.calls.length = 0;
  doors.guarded.broker.calls.length = 0;
});

async function send(
  which: keyof typeof doors,
  authorization: string | null,
  [, method, path, body]: (typeof ROUTES)[number],
) {
  const answer = await fetch(doors[which].url + path, {
    method,
    headers: {
      ...(authorization === null ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, challenge: answer.headers.get('www-authenticate') };
}

describe.each(ROUTES)('%s: %s %s', (...route) => {
  const [access] = route;

  test('on loopback nobody needs a token', async () => {
    expect((await send('loopback', null, route)).status).toBe(200);
  });

  test.each([
    'Bearer wrong',
    'Bearer ',
    'Basic b3BlcmF0b3ItdG9rZW4=',
    'operator-token',
    'Bearer a b',
  ])('a token that is given must be valid: %s', async (header) => {
    for (const which of ['loopback', 'guarded'] as const) {
      const { status, text, challenge } = await send(which, header, route);
      expect([status, challenge]).toEqual([401, 'Bearer']);
      expect(JSON.parse(text).code).toBe('unauthenticated');
      expect(doors[which].broker.calls).toEqual([]);
    }
  });

  test('elsewhere a token is needed', async () => {
    const { status, text } = await send('guarded', null, route);
    expect(status).toBe(401);
    expect(JSON.parse(text).error).toContain('Authorization: Bearer');
    expect(doors.guarded.broker.calls).toEqual([]);
  });

  test('an operator may', async () => {
    expect((await send('guarded', 'Bearer operator-token', route)).status).toBe(200);
  });

  test("an agent's token is enough, unless it takes an operator", async () => {
    const refused = access === 'operator';
    for (const which of ['loopback', 'guarded'] as const) {
      const { status } = await send(which, 'Bearer agent-1-token', route);
      expect(status).toBe(refused ? 403 : 200);
      expect(doors[which].broker.calls.length > 0).toBe(!refused);
    }
  });
});

test.each(ROUTES)('a token that only reads, for a call of %s: %s %s', async (...route) => {
  const [access] = route;
  const { status, text } = await send('guarded', 'Bearer read-token', route);
  if (access === 'read') return expect(status).toBe(200);
  expect(status).toBe(403);
  expect(JSON.parse(text)).toMatchObject({
    code: 'forbidden',
    error: expect.stringContaining('scope read'),
  });
  expect(doors.guarded.broker.calls).toEqual([]);
});

test.each<[object, number]>([
  [{ agent_id: 'a1' }, 200],
  [{ agent_id: 'a1', scope: 'agent' }, 200],
  [{ agent_id: null }, 200],
  [{ scope: 'operator' }, 200],
  [{ scope: 'read', note: 'x' }, 200],
  [{}, 400],
  [{ note: 'x' }, 400],
  [{ scope: 'agent' }, 400],
  [{ scope: 'read', agent_id: 'a1' }, 400],
  [{ scope: 'operator', agent_id: 'a1' }, 400],
  [{ scope: 'everything' }, 400],
])('a token is asked for with %j: %s', async (body, status) => {
  const answer = await send('loopback', null, ['operator', 'POST', `${API}/tokens`, body]);
  expect(answer.status).toBe(status);
  expect(doors.loopback.broker.calls).toHaveLength(status === 200 ? 1 : 0);
});

test("an agent's token cannot ask for work in the name of another", async () => {
  const body = { agent_id: 'agent-2', capabilities: [] };
  const asks = ['agent', 'POST', `${API}/request-task`, body] as (typeof ROUTES)[number];
  const { status, text } = await send('guarded', 'Bearer agent-1-token', asks);
  expect(status).toBe(403);
  expect(JSON.parse(text).error).toContain('agent-1');
  expect(doors.guarded.broker.calls).toEqual([]);
});

test('the event stream needs a token too', async () => {
  const answer = await fetch(`${doors.guarded.url}${API}/events`);
  expect(answer.status).toBe(401);
});

test.each(['/health', '/', '/openapi.json', '/docs'])('%s needs none', async (path) => {
  expect((await fetch(doors.guarded.url + path)).status).toBe(200);
});

test('a store that cannot be asked about a token is busy, not a stranger', async () => {
  doors.guarded.broker.script('whoIs', async () => {
    throw busy();
  });
  const answer = await send('guarded', 'Bearer agent-1-token', ['read', 'GET', `${API}/queue`]);
  expect(answer.status).toBe(503);
});
