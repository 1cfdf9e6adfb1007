import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OpenDoor, openDoor, sendRaw } from '../../../../test/support/http-door.ts';
import type { ForgeWebhook } from '../../../core/forge.ts';
import { createWebhook } from '../../../forge/github/webhooks/webhook.ts';

const SECRET = 's3cret';
let open: OpenDoor;
let received: [string, unknown][];

const sign = (body: string | Buffer) =>
  `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;

const post = (body: string | Buffer, headers: Record<string, string> = {}, url = open.url) =>
  fetch(`${url}/api/v1/webhooks/github`, {
    method: 'POST',
    body: new Uint8Array(Buffer.from(body)),
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-hub-signature-256': sign(body),
      ...headers,
    },
  });

beforeEach(async () => {
  received = [];
  const { verify } = createWebhook(SECRET, new Map());
  const webhook: ForgeWebhook = {
    verify,
    receive: (event, payload) => void received.push([event, payload]),
  };
  open = await openDoor({}, webhook);
});
afterEach(() => open.door.close());

test('a delivery with a good signature is taken in and answered at once', async () => {
  const answer = await post('{"action":"opened","text":"日本語"}');
  expect(answer.status).toBe(202);
  expect(received).toEqual([['issues', { action: 'opened', text: '日本語' }]]);
});

test('events that nobody knows, and payloads of any shape, are accepted', async () => {
  for (const [event, body] of [
    ['no_such_event', '{}'],
    ['', '{}'],
    ['issues', '[]'],
    ['issues', 'null'],
  ] as const) {
    expect((await post(body, { 'x-github-event': event })).status).toBe(202);
  }
});

test('a wrong signature is refused before the body is parsed', async () => {
  for (const signature of [
    '',
    'sha256=',
    'sha256=00',
    sign('other'),
    sign('{ not json').slice(0, -1),
    sign('{ not json').replace('sha256', 'sha1'),
    'é'.repeat(71),
  ]) {
    const headers = { 'x-hub-signature-256': Buffer.from(signature).toString('latin1') };
    const answer = await post('{ not json', headers);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      401,
      'unauthenticated',
    ]);
  }
  const without = await fetch(`${open.url}/api/v1/webhooks/github`, { method: 'POST', body: '{}' });
  expect(without.status).toBe(401);
  const empty = await fetch(`${open.url}/api/v1/webhooks/github`, { method: 'POST' });
  expect(empty.status).toBe(401);
  expect(received).toEqual([]);
});

test('what is signed but not JSON is told so', async () => {
  for (const body of ['{ not json', 'payload=%7B%7D', '{} {}']) {
    const answer = await post(body, { 'content-type': 'application/x-www-form-urlencoded' });
    expect(answer.status).toBe(400);
  }
  expect(received).toEqual([]);
});

test('bodies up to 25 MB are taken on this route, and on no other', async () => {
  const padding = (bytes: number) => `{"padding":"${'x'.repeat(bytes - 14)}"}`;
  expect((await post(padding(26_214_400))).status).toBe(202);
  const late = await post(padding(26_214_401)).then(
    (answer) => answer.status,
    () => 413,
  );
  expect(late).toBe(413);
  const other = await fetch(`${open.url}/api/v1/request-task`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: padding(1_200_000),
  });
  expect(other.status).toBe(413);
  const unparsed = await fetch(`${open.url}/api/v1/request-task`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: '{}',
  });
  expect(unparsed.status).toBe(415);
});

test('a tunnel may bring it under any name, without a token', async () => {
  const answer = await post('{}', { host: 'tunnel.example.com', 'x-forwarded-for': '10.0.0.7' });
  expect(answer.status).toBe(202);
  const guarded = await openDoor(
    { tokensRequired: true },
    { verify: createWebhook(SECRET, new Map()).verify, receive: () => undefined },
  );
  expect((await post('{}', {}, guarded.url)).status).toBe(202);
  await guarded.door.close();
});

test('without a secret there is no such call', async () => {
  const plain = await openDoor();
  expect((await post('{}', {}, plain.url)).status).toBe(404);
  await plain.door.close();
});

/** Sends a head and then a body without end, until the server stops taking it; answers with what it said. */
function pour(port: number, head: string): Promise<{ sent: number; said: string }> {
  return new Promise((resolve) => {
    let sent = 0;
    let said = '';
    const piece = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    const socket = connect(port, '127.0.0.1', () => socket.write(head, more));
    function more(error?: Error | null): void {
      if (error || socket.destroyed || sent > 26_214_400) return void socket.destroy();
      sent += piece.length;
      socket.write(piece, more);
    }
    socket.on('data', (chunk) => (said += String(chunk)));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ sent, said }));
  });
}

const HEAD =
  'POST /api/v1/webhooks/github HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

test.each([
  ['no signature', ''],
  ['an empty one', 'x-hub-signature-256: \r\n'],
  ['half of one', 'x-hub-signature-256: sha256=00\r\n'],
  ['one that is no number', `x-hub-signature-256: sha256=${'g'.repeat(64)}\r\n`],
  ['one with more behind it', `x-hub-signature-256: sha256=${'0'.repeat(64)} \u00e9\r\n`],
])('a long body with %s is refused before it is read', async (_, header) => {
  const { sent, said } = await pour(
    open.port,
    `${HEAD}${header}transfer-encoding: chunked\r\n\r\n`,
  );
  // What the kernel holds on both sides is sent too; a body that was read would be 25 MB.
  expect(sent).toBeLessThan(16_000_000);
  if (said !== '') expect(said).toMatch(/^HTTP\/1\.1 401 /);
});

test('a short body without a signature is told so, and the connection stays', async () => {
  const unsigned = `${HEAD}content-length: 2\r\n\r\n{}`;
  const said = await sendRaw(
    open.port,
    unsigned,
    `GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
  );
  expect(said).toMatch(/^HTTP\/1\.1 401 /);
  expect(said).toContain('HTTP/1.1 200 OK');
});

test('a body that is announced as long is refused by its head alone', async () => {
  const said = await sendRaw(open.port, `${HEAD}content-length: 26214400\r\n\r\n`);
  expect(said).toMatch(/^HTTP\/1\.1 401 /);
  expect(said).toMatch(/connection: close/i);
});
