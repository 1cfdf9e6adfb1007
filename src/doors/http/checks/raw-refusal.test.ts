import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type OpenDoor, openDoor, sendRaw } from '../../../../test/support/http-door.ts';

let open: OpenDoor;
beforeAll(async () => {
  open = await openDoor();
});
afterAll(() => open.door.close());
afterEach(() => {
  open.broker.calls.length = 0;
});

test.each([
  ['garbage', 'nonsense\r\n\r\n', 400],
  ['no host', 'GET /health HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
  ['a NUL in a header', 'GET /health HTTP/1.1\r\nhost: localhost\r\nx: a\u0000b\r\n\r\n', 400],
  [
    'two lengths',
    'POST /api/v1/request-task HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
    400,
  ],
  [
    'a length and chunks',
    'POST /api/v1/request-task HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  [
    'huge headers',
    `GET /health HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
    413,
  ],
  ['an address of 20 kB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 413],
])('raw HTTP with %s is refused', async (_what, bytes, status) => {
  const told = await sendRaw(open.port, bytes);
  expect(told).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(told).toMatch(/\{"error":"[^"]+\.","code":"\w+"\}$/);
  expect(told).toContain("default-src 'none'");
  expect(open.broker.calls).toEqual([]);
});

test('garbage pipelined behind a request is never taken for the answer to that request', async () => {
  const asks = 'GET /api/v1/queue HTTP/1.1\r\nhost: localhost\r\n\r\n';
  open.broker.script('queue', () => new Promise(() => {}));
  expect(await sendRaw(open.port, `${asks}\u0001garbage\r\n\r\n`)).toBe('');
});

test('an expectation nobody knows is no reason to refuse', async () => {
  const asks =
    'GET /health HTTP/1.1\r\nhost: localhost\r\nexpect: tea\r\nconnection: close\r\n\r\n';
  expect(await sendRaw(open.port, asks)).toMatch(/^HTTP\/1.1 200 /);
});
