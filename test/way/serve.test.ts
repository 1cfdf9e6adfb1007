// The server as it is put together: what the composition root alone decides.

import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Config } from '../../src/config/shape.ts';
import { type Served, serve } from '../../src/serve.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { configFor } from '../support/serve-config.ts';

let repository: BacklogRepository;
let served: Served | null = null;
beforeEach(async () => {
  repository = await makeBacklogRepository();
});
afterEach(async () => {
  await served?.stop();
  served = null;
  await repository.remove();
});

async function start(over: Partial<Config> = {}): Promise<Served> {
  const telemetry = createTelemetry({ level: 'silent' });
  served = await serve({ ...configFor(repository), ...over }, telemetry);
  return served;
}

/** `fetch` chooses Host by itself. */
function statusFor(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v1/flags/debug`, { method: 'PUT', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    sent.on('error', reject).end('{"value":false}');
  });
}

test('the names of a proxy are let in, and no others', async () => {
  const { url } = await start({ allowedHosts: ['banto.example'] });
  const put = (host: string, origin: string) =>
    statusFor(url, { host, origin, 'content-type': 'application/json' });
  expect(await put('banto.example', 'https://banto.example')).toBe(200);
  expect(await put('127.0.0.1', 'https://banto.example')).toBe(200);
  expect(await put('evil.example', 'https://evil.example')).toBe(403);
  expect(await put('127.0.0.1', 'https://evil.example')).toBe(403);
});

test('an address that others can reach needs a token first, and is refused without a trace', async () => {
  const open = { host: '0.0.0.0', tokensRequired: true };
  await expect(start(open)).rejects.toMatchObject({
    code: 'misconfigured',
    message: expect.stringMatching(/0\.0\.0\.0 .*banto token create --operator/),
  });
  // The store is closed again: a token can be made in it, and then it starts.
  const store = await openSqliteStore({ dataDir: repository.dataDir });
  await store.putSetting('tokens:x', { agentId: null, note: null });
  await store.close();
  const { url } = await start(open);
  expect((await fetch(`${url.replace('0.0.0.0', '127.0.0.1')}/api/v1/queue`)).status).toBe(401);
});
