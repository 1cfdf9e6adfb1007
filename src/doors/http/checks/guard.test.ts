import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type OpenDoor, openDoor, sendRaw } from '../../../../test/support/http-door.ts';
import { isLoopback } from '../settings.ts';

let open: OpenDoor;
let guarded: OpenDoor;
beforeAll(async () => {
  open = await openDoor({ allowedHosts: ['banto.example'] });
  guarded = await openDoor({ tokensRequired: true });
});
afterAll(() => Promise.all([open.door.close(), guarded.door.close()]));
afterEach(() => {
  open.broker.calls.length = 0;
});

// `fetch` chooses Host by itself.
function ask(port: number, method: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }>(
    (resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        answer.resume();
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers }),
        );
      });
      sent.on('error', reject).end();
    },
  );
}

const UNLOCK = '/api/v1/tasks/octo~shop~7~implement.1/unlock';

test.each([
  'localhost',
  'LOCALHOST:8080',
  '127.0.0.1',
  '127.1.2.3:9',
  '[::1]:8080',
  'banto.example',
])('on loopback the name %s is known', async (host) => {
  expect((await ask(open.port, 'GET', '/api/v1/queue', { host })).status).toBe(200);
});

test.each([
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '10.0.0.1',
  'x@localhost',
])('on loopback the name %j is refused, whatever it resolves to', async (host) => {
  for (const path of ['/api/v1/queue', '/health', '/docs', '/nothing']) {
    expect((await ask(open.port, 'GET', path, { host })).status).toBe(403);
  }
  expect(open.broker.calls).toEqual([]);
});

test.each([
  ['forwarded', 'for=10.0.0.7'],
  ['x-forwarded-for', '10.0.0.7'],
  ['X-Forwarded-Host', 'banto.example'],
  ['x-forwarded-proto', 'https'],
  ['x-forwarded-anything', ''],
  ['x-real-ip', '10.0.0.7'],
  ['cf-connecting-ip', '10.0.0.7'],
  ['Via', '1.1 proxy'],
])('a server without tokens refuses what came through a proxy: %s', async (name, value) => {
  for (const [method, path] of [
    ['GET', '/api/v1/queue'],
    ['POST', '/api/v1/tokens'],
    ['GET', '/health'],
    ['GET', '/nothing'],
  ] as const) {
    const headers = { host: 'localhost', [name]: value, authorization: 'Bearer operator-token' };
    expect((await ask(open.port, method, path, headers)).status).toBe(403);
  }
  expect(open.broker.calls).toEqual([]);
  const answer = await fetch(`${open.url}/api/v1/queue`, { headers: { [name]: value || 'x' } });
  expect(await answer.json()).toEqual({
    code: 'forbidden',
    error: expect.stringMatching(new RegExp(`${name}.*REQUIRE_TOKENS=true`, 'i')),
  });
  const headers = { host: 'localhost', [name]: value, authorization: 'Bearer operator-token' };
  expect((await ask(guarded.port, 'GET', '/api/v1/queue', headers)).status).toBe(200);
});

test('no name, or an empty one, is refused too', async () => {
  const empty = 'GET /health HTTP/1.1\r\nhost: \r\nconnection: close\r\n\r\n';
  expect(await sendRaw(open.port, empty)).toMatch(/^HTTP\/1.1 403 /);
  for (const { port } of [open, guarded]) {
    expect(await sendRaw(port, 'GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  }
});

test('where tokens are needed any name will do', async () => {
  expect((await ask(guarded.port, 'GET', '/health', { host: 'banto.corp' })).status).toBe(200);
});

test.each([
  'http://evil.example',
  'null',
  'http://localhost:1',
  'garbage',
  'https://localhost.evil.example',
])('a page of %s cannot change anything', async (origin) => {
  const headers = { host: `localhost:${open.port}`, origin };
  expect((await ask(open.port, 'POST', UNLOCK, headers)).status).toBe(403);
  expect(open.broker.calls).toEqual([]);
});

test('a page of this server, or of a name it is known by, can', async () => {
  const host = `localhost:${open.port}`;
  for (const origin of [`http://${host}`, 'https://banto.example']) {
    expect((await ask(open.port, 'POST', UNLOCK, { host, origin })).status).toBe(200);
  }
});

test('every answer carries the security headers and none lets other origins read it', async () => {
  const host = 'localhost';
  const answers = [
    await ask(open.port, 'GET', '/api/v1/queue', { host }),
    await ask(open.port, 'GET', '/nothing', { host }),
    await ask(open.port, 'GET', '/%zz', { host }),
    await ask(open.port, 'OPTIONS', '/api/v1/queue', { host, origin: 'http://evil.example' }),
    await ask(open.port, 'POST', UNLOCK, { host, origin: 'http://evil.example' }),
    await ask(open.port, 'GET', '/docs', { host }),
    await ask(open.port, 'GET', '/docs/static/swagger-ui-bundle.js', { host }),
  ];
  for (const { headers } of answers) {
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('loopback is told from names that only look like it', () => {
  expect(['localhost', '127.0.0.1', '::1', '[::1]', 'a.localhost'].every(isLoopback)).toBe(true);
  expect(['0.0.0.0', '::', 'localhost.a', '1127.0.0.1', '128.0.0.1', ''].some(isLoopback)).toBe(
    false,
  );
});
