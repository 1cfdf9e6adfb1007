import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  eventually,
  type OpenDoor,
  openDoor,
  sendRaw,
} from '../../../../test/support/http-door.ts';
import { assignment } from '../../../../test/support/scripted-broker.ts';
import type { Assignment } from '../../../broker/broker.ts';
import { BUSY_SENTENCE, busy } from '../../../core/errors.ts';
import type { HttpLimits } from '../settings.ts';

let open: OpenDoor;
let polls: PromiseWithResolvers<Assignment | null>[];
let signals: AbortSignal[];

async function start(limits: Partial<HttpLimits>): Promise<void> {
  open = await openDoor({ limits: { closeMs: 400, ...limits } });
  polls = [];
  signals = [];
  open.broker.script('requestTask', (_request, signal) => {
    const poll = Promise.withResolvers<Assignment | null>();
    polls.push(poll);
    if (signal !== undefined) signals.push(signal);
    return poll.promise;
  });
}

beforeEach(() => start({}));
afterEach(() => open.door.close());

function poll(signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${open.url}/api/v1/request-task`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: 'a', capabilities: [], wait_seconds: 300 }),
    signal,
  });
}

test('a caller that goes away aborts its wait', async () => {
  const gone = new AbortController();
  const asked = poll(gone.signal).catch(() => 'gone');
  await eventually(() => expect(signals).toHaveLength(1));
  expect(signals[0]?.aborted).toBe(false);
  gone.abort();
  expect(await asked).toBe('gone');
  await eventually(() => expect(signals[0]?.aborted).toBe(true));
  polls[0]?.resolve(null);
});

test('a caller that got its answer is not said to be gone', async () => {
  const asked = poll();
  await eventually(() => expect(polls).toHaveLength(1));
  polls[0]?.resolve(assignment);
  expect((await asked).status).toBe(200);
  await open.door.close();
  expect(signals[0]?.aborted).toBe(false);
});

test('the limits that cut slow senders do not cut those who wait', async () => {
  await open.door.close();
  await start({ receiveMs: 300 });
  const asked = poll();
  const head = 'POST /api/v1/request-task HTTP/1.1\r\nhost: localhost\r\n';
  const slowHead = sendRaw(open.port, head);
  const slowBody = sendRaw(
    open.port,
    `${head}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"agent_id"`,
  );
  expect(await slowHead).toContain('did not arrive in time');
  await slowBody;
  expect(polls).toHaveLength(1);
  expect(signals[0]?.aborted).toBe(false);
  polls[0]?.resolve(assignment);
  expect((await asked).status).toBe(200);
});

test('a thousand can wait at once', async () => {
  const agent = new Agent({ keepAlive: false });
  const body = JSON.stringify({ agent_id: 'a', capabilities: [], wait_seconds: 300 });
  const statuses = Array.from(
    { length: 1000 },
    () =>
      new Promise<number>((resolve, reject) => {
        const sent = request(
          `${open.url}/api/v1/request-task`,
          { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
          (answer) => {
            answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
          },
        );
        sent.on('error', reject).end(body);
      }),
  );
  await eventually(() => expect(polls).toHaveLength(1000), 20_000);
  for (const each of polls) each.resolve(null);
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([204]));
});

test('closing lets the broker answer open polls with busy and accepts nobody new', async () => {
  const asked = [poll(), poll()];
  await eventually(() => expect(polls).toHaveLength(2));
  const closed = open.door.close();
  for (const each of polls) each.reject(busy());
  for (const answer of await Promise.all(asked)) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.get('connection')).toBe('close');
    expect(await answer.json()).toEqual({ error: BUSY_SENTENCE, code: 'busy' });
  }
  await closed;
  await expect(poll()).rejects.toThrow('fetch failed');
});

test('closing waits a bounded time for a poll that nobody answers', async () => {
  const asked = poll().catch(() => 'cut');
  await eventually(() => expect(polls).toHaveLength(1));
  await open.door.close();
  expect(await asked).toBe('cut');
  await eventually(() => expect(signals[0]?.aborted).toBe(true));
});

test('a request that is still arriving when the door closes is told that the server is stopping', async () => {
  const late = connect(open.port, '127.0.0.1');
  let told = '';
  late.on('data', (chunk) => {
    told += String(chunk);
  });
  late.write('GET /health HTTP/1.1\r\nhost: local');
  const asked = poll();
  await eventually(() => expect(polls).toHaveLength(1));
  const closed = open.door.close();
  late.write('host\r\n\r\n');
  await eventually(() => expect(told).toMatch(/^HTTP\/1.1 503 .*"code":"stopping"/s));
  polls[0]?.resolve(assignment);
  expect((await asked).status).toBe(200);
  await closed;
});
