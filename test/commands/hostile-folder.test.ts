// A folder of strangers brings a banto.config.json along: no command sends a secret of the person to its address.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runBanto } from '../support/run-banto.ts';

let cwd: string;
let server: Server;
let url: string;
const received: string[] = [];
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'banto-hostile-'));
  server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const file = { banto_url: url, github_api_url: url, github_repository: ['octo/shop'] };
  writeFileSync(join(cwd, 'banto.config.json'), JSON.stringify(file));
});
afterAll(() => {
  server.close();
  rmSync(cwd, { recursive: true, force: true });
});

test.each([
  'status',
  'tasks',
  'show 7',
  'agents',
  'queue',
  'next --agent a1 --cap x',
  'heartbeat t --token hush',
  'complete t --token hush',
  'requeue t',
  'config get',
  'flags get',
  'token list',
  'token create --operator',
  'doctor',
  'serve --port 0',
])('banto %s', async (command) => {
  const env = { BANTO_TOKEN: 'hush', GITHUB_TOKEN: 'hush' };
  const { code, stdout, stderr } = await runBanto(command.split(' '), { cwd, env });
  expect(code).toBe(1);
  expect(received).toEqual([]);
  expect(stdout + stderr).toMatch(/(?:BANTO_URL|GITHUB_API_URL) is set by a file that was found/);
  expect(stdout + stderr).not.toContain('hush');
});
