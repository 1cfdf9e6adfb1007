// banto keys as people run it: the real command line against a real Redis.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { runBanto } from '../support/run-banto.ts';
import { scratchDir } from '../support/scratch.ts';

let server: RedisServer;
let dir: string;

beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.raw.flushall();
  await server.raw.hset('banto:issue:status:7', 'state', 'ready');
  await server.raw.set('banto:process:heartbeat:a1', '1', 'EX', 1800);
  await server.raw.set('banto2:issue:status:7', 'not ours');
  dir = scratchDir();
});

const keys = (...args: string[]) =>
  runBanto(['keys', ...args], { cwd: dir, env: { REDIS_URL: server.url } });

it('lists, counts and weighs for people and for programs', async () => {
  const listed = await keys('list');
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(/hash +- +banto:issue:status:7\n/);
  expect(listed.stdout).toMatch(/string +30 min +banto:process:heartbeat:a1\n/);
  expect(listed.stdout).not.toContain('banto2');

  expect(JSON.parse((await keys('list', 'issue', '--json')).stdout)).toEqual({
    namespace: 'banto',
    keys: [{ key: 'banto:issue:status:7', type: 'hash', ttl_ms: null }],
  });
  expect(JSON.parse((await keys('count', '--json')).stdout)).toEqual({
    namespace: 'banto',
    total: 2,
    components: [
      { component: 'issue', keys: 1 },
      { component: 'process', keys: 1 },
    ],
  });
  const memory = JSON.parse((await keys('memory', '--json')).stdout) as {
    total: { keys: number; bytes: number };
  };
  expect(memory.total.keys).toBe(2);
  expect(memory.total.bytes).toBeGreaterThan(50);
});

it('saves a namespace, puts it under another name and tidies up', async () => {
  const saved = await keys('backup', 'all.backup');
  expect(saved).toMatchObject({ code: 0, stderr: '' });
  expect(saved.stdout).toMatch(/^Saved 2 keys of banto/);
  const restored = await keys('restore', 'all.backup', '--namespace', 'rehearsal', '--json');
  expect(JSON.parse(restored.stdout)).toMatchObject({ namespace: 'rehearsal', keys: 2 });
  expect(await server.raw.hget('rehearsal:issue:status:7', 'state')).toBe('ready');

  const again = await keys('restore', 'all.backup');
  expect(again.code).toBe(1);
  expect(again.stderr).toContain('--replace');
  expect((await keys('restore', 'all.backup', '--replace')).code).toBe(0);

  await server.raw.sadd('banto:tickets:index', 'stale');
  const planned = await keys('clean', '--dry-run', '--json');
  expect(JSON.parse(planned.stdout)).toMatchObject({ dry_run: true, removed: { tickets: 1 } });
  expect(await server.raw.exists('banto:tickets:index')).toBe(1);
  expect((await keys('clean')).stdout).toMatch(/tickets +1\n/);
  expect(await server.raw.exists('banto:tickets:index')).toBe(0);
});

it('ends with the exit code and the sentence that fit', async () => {
  expect((await keys()).code).toBe(2);
  expect((await keys('backup')).code).toBe(2);
  expect((await keys('restore', 'missing.backup')).code).toBe(1);
  writeFileSync(join(dir, 'foreign'), '{"name":"something else"}\n');
  const foreign = await keys('restore', 'foreign', '--namespace', 'other');
  expect(foreign.code).toBe(1);
  expect(foreign.stderr).toContain('not made by banto keys backup');

  const noRedis = await runBanto(['keys', 'count'], { cwd: dir });
  expect(noRedis.code).toBe(1);
  expect(noRedis.stderr).toContain('REDIS_URL');
  const env = { REDIS_URL: 'redis://127.0.0.1:1' };
  const away = await runBanto(['keys', 'count'], { cwd: dir, env });
  expect(away.code).toBe(5);
  expect(away.stderr).toContain('Redis cannot be reached');
  const bad = await keys('count', '--namespace', 'ban*');
  expect(bad.code).toBe(1);
  expect(bad.stderr).toContain('REDIS_NAMESPACE');
});

it('shows progress where it is asked for, and keeps it out of the answer', async () => {
  const pipe = server.raw.pipeline();
  for (let n = 0; n < 20_000; n += 1) pipe.set(`banto:setting:${n}`, 'x'.repeat(200));
  await pipe.exec();
  const shown = await keys('backup', 'all.backup', '--progress', '--json');
  expect(shown.stderr).toMatch(/\d+ keys\n/);
  expect(JSON.parse(shown.stdout)).toMatchObject({ keys: 20_002 });
  expect((await keys('memory')).stderr).toBe('');
});
