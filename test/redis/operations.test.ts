// The ways to run Redis: with a user of the least rights, over TLS, as a Cluster; and those that are refused.

import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { openStore } from '../../src/compose/open-store.ts';
import { type LoadOptions, loadConfig } from '../../src/config/config.ts';
import { openNamespaceKeys } from '../../src/store/redis/keys-tool/namespace-keys.ts';
import { openRedisStore, type RedisStoreOptions } from '../../src/store/redis/redis-store.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { makeBacklogRepository } from '../support/backlog-repository.ts';
import { eventually } from '../support/eventually.ts';
import { startFakeRedis } from '../support/fake-redis.ts';
import { startInstance } from '../support/instance.ts';
import {
  freePort,
  type RedisServer,
  type RedisServerOptions,
  startRedisServer,
} from '../support/redis-server.ts';
import { runBanto } from '../support/run-banto.ts';
import { scratchDir } from '../support/scratch.ts';
import { liveWholeLife } from '../support/whole-life.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await startRedisServer(options);
  ends.push(() => server.stop());
  return server;
}

async function makeRepository() {
  const repository = await makeBacklogRepository();
  ends.push(() => repository.remove());
  await repository.write(1);
  return repository;
}

/** The whole life of a task on a real instance with these settings. */
async function liveWith(env: Record<string, string>): Promise<string> {
  const { repoDir } = await makeRepository();
  const instance = await startInstance({ repoDir, env });
  ends.push(() => instance.kill());
  const client = createClient({ url: instance.url });
  await eventually(
    () => client.ready(),
    (ready) => ready.mirrored,
  );
  const task = await client.requestTask({
    agent_id: 'hana',
    capabilities: ['python'],
    wait_seconds: 10,
  });
  const lease_token = task?.lease.token ?? '';
  await client.heartbeat(task?.task_id ?? '', { lease_token, progress: 'half of it' });
  await client.complete(task?.task_id ?? '', { lease_token });
  await client.stats('daily');
  await client.agents();
  // Long enough for every loop to have had its turn.
  const waited = await client.requestTask({
    agent_id: 'kenji',
    capabilities: ['docs'],
    wait_seconds: 3,
  });
  expect(waited).toBeNull();
  await instance.stop();
  return instance.log();
}

function open(env: NonNullable<LoadOptions['env']>) {
  const config = loadConfig({ env, cwd: tmpdir() });
  return openStore(config, createTelemetry({ level: 'silent' }).log);
}

const page = readFileSync(join(ROOT, 'docs', 'redis.md'), 'utf8');
const line = /^user banto .*$/m.exec(page)?.[0] ?? '';

/** A namespace in which every kind of key has been written. */
async function fill(url: string, more: Partial<RedisStoreOptions> = {}): Promise<void> {
  let now = Date.now();
  const clock = { now: () => now };
  const store = await openRedisStore({ connection: { url }, clock, ...more });
  if ((await store.lastSeq()) > 0) return store.close();
  const advance = (ms: number) => {
    now += ms;
  };
  await liveWholeLife({ store, now: () => now, advance });
  await store.resign('migration', 'i1');
  await store.close();
}

/** Other constants make another library of functions, as another version does. */
const OTHER_VERSION = { ttls: { tickets_agent: 601 } };

/** What goes wrong in everything that `banto keys` does. */
async function useKeys(url: string, file: string): Promise<string> {
  const connection = { url };
  const quiet = () => undefined;
  const own = await openNamespaceKeys({ connection, namespace: 'banto' });
  const other = await openNamespaceKeys({ connection, namespace: 'rehearsal' });
  const done = [];
  for (const act of [
    () => own.list(null, quiet),
    () => own.memory(null, quiet),
    () => own.backup(file, quiet),
    () => other.restore(file, true, quiet),
    () => own.clean({ dryRun: false, progress: quiet }),
  ]) {
    done.push(await act().then(() => '', String));
  }
  await own.close();
  await other.close();
  return done.join();
}

describe('a user with the least rights', () => {
  it('as docs/redis.md gives it is enough for everything an instance does', async () => {
    const server = await start();
    const [, , ...rules] = line.split(' ');
    await server.raw.acl('SETUSER', 'banto', ...rules);
    await server.raw.set('elsewhere', 'not ours');
    await server.raw.acl('LOG', 'RESET');
    const log = await liveWith({
      REDIS_HOST: '127.0.0.1',
      REDIS_PORT: String(server.port),
      REDIS_USERNAME: 'banto',
      REDIS_PASSWORD: 'secret',
    });
    expect(log).not.toContain('NOPERM');
    const denied = (await server.raw.call('ACL', 'LOG')) as unknown[][];
    const commands = denied.map((entry) => entry[entry.indexOf('object') + 1]);
    // What the client tries to say about itself, and what only makes a warning possible.
    expect(
      commands.filter((name) => !['client|setinfo', 'config|get'].includes(String(name))),
    ).toEqual([]);
    await server.raw.call('AUTH', 'banto', 'secret');
    await expect(server.raw.get('elsewhere')).rejects.toThrow(/NOPERM/);
    await expect(server.raw.keys('*')).rejects.toThrow(/NOPERM/);
  }, 60_000);

  it('with the rights that the page adds is enough for every `banto keys`', async () => {
    const server = await start();
    const more = /`banto keys` also needs `([^`]+)`/.exec(page)?.[1] ?? '';
    const [, , ...rules] = `${line} ~rehearsal:* ${more}`.split(' ');
    await server.raw.acl('SETUSER', 'banto', ...rules);
    const env = { REDIS_URL: server.url.replace('//', '//banto:secret@') };
    await fill(env.REDIS_URL, OTHER_VERSION);
    await fill(env.REDIS_URL);
    await server.raw.set('elsewhere', 'not ours');
    // A namespace whose name begins with this one's: it is told apart.
    await server.raw.hset('banto:inner:meta', 'generation', 'another');
    await server.raw.acl('LOG', 'RESET');
    const cwd = scratchDir();
    for (const args of [
      ['list'],
      ['count'],
      ['memory'],
      ['backup', 'all.backup'],
      ['restore', 'all.backup', '--namespace', 'rehearsal'],
      ['clean', '--dry-run'],
      ['clean'],
    ]) {
      const ran = await runBanto(['keys', ...args], { cwd, env });
      expect({ args, ...ran }).toMatchObject({ args, code: 0 });
    }
    const denied = (await server.raw.call('ACL', 'LOG')) as unknown[][];
    const commands = denied.map((entry) => String(entry[entry.indexOf('object') + 1]));
    expect(commands.filter((name) => name !== 'client|setinfo')).toEqual([]);
    const needless: string[] = [];
    for (const right of more.match(/(?<=\+)[a-z|]+/g) ?? []) {
      await fill(env.REDIS_URL, OTHER_VERSION);
      await server.raw.acl('SETUSER', 'banto', `-${right}`);
      const said = await useKeys(env.REDIS_URL, join(cwd, `${right}.backup`));
      if (!said.includes('NOPERM')) needless.push(right);
      await server.raw.acl('SETUSER', 'banto', `+${right}`);
    }
    expect(needless).toEqual([]);
  }, 60_000);

  it('has no right that nothing uses', () => {
    const rights = line.match(/(?<= \+)[a-z|]+/g) ?? [];
    const sources = globSync('src/store/redis/**/*.{lua,ts}', { cwd: ROOT })
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(ROOT, file), 'utf8'))
      .join('\n');
    // Called at once, or spelled as a change of a list that the generic step makes.
    const named = [
      ...sources.matchAll(/(?:\b(?:call|send|pairs)(?:<.+>)?\(\s*|[[{=]\s*)'([A-Z]{3,})'/g),
    ];
    const words = ['LIMIT', 'LOCK', 'HOLD', 'USE', 'WITHSCORES', 'DEBUG'];
    const used = new Set(
      named.flatMap(([, name = '']) => (words.includes(name) ? [] : [name.toLowerCase()])),
    );
    const connection = ['select', 'subscribe', 'unsubscribe', 'fcall'];
    const idle = rights.filter(
      (right) => !used.has(right.split('|')[0] ?? '') && !connection.includes(right),
    );
    expect(idle).toEqual([]);
    const missing = [...used].filter(
      (name) => name !== 'config' && !rights.some((right) => right.split('|')[0] === name),
    );
    expect(missing).toEqual([]);
  });

  it('is told when a right is missing, in words', async () => {
    const server = await start();
    await server.raw.acl('SETUSER', 'poor', 'on', '>secret', '~banto:*', '+info', '+ping');
    await expect(
      open({ REDIS_URL: server.url.replace('//', '//poor:secret@') }),
    ).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('NOPERM'),
    });
  });
});

describe('TLS', () => {
  function certificates(): string {
    const dir = mkdtempSync(join(tmpdir(), 'banto-tls-'));
    ends.push(() => rmSync(dir, { recursive: true, force: true }));
    const openssl = (...args: string[]) =>
      execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' });
    const subject = [
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost,IP:127.0.0.1',
    ];
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-keyout',
      'key.pem',
      '-out',
      'cert.pem',
      ...subject,
    );
    return dir;
  }

  it("works with an authority of one's own and a certificate of Banto's, and is never unchecked", async () => {
    const dir = certificates();
    const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
    const port = await freePort();
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
    await start({ args: ['--tls-port', String(port), '--tls-auth-clients', 'yes', ...files] });
    const place = { REDIS_HOST: '127.0.0.1', REDIS_PORT: String(port), REDIS_TLS: 'true' };
    const own = { REDIS_TLS_CERT: cert, REDIS_TLS_KEY: key };
    await liveWith({ ...place, ...own, REDIS_TLS_CA: cert });

    await expect(open({ ...place, ...own })).rejects.toMatchObject({ code: 'unreachable' });
    await expect(open({ ...place, REDIS_TLS_CA: cert })).rejects.toMatchObject({
      code: 'unreachable',
    });
    const url = `rediss://127.0.0.1:${port}`;
    const store = await open({ REDIS_URL: url, ...own, REDIS_TLS_CA: cert });
    await store.ping();
    await store.close();
    await expect(open({ REDIS_URL: url, REDIS_TLS_CA: join(dir, 'none.pem') })).rejects.toThrow(
      /REDIS_TLS_CA cannot be read/,
    );
  }, 60_000);
});

describe('a Cluster', () => {
  it('has every key in one slot, and the life of a task goes through', async () => {
    const server = await start({
      args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
    });
    await server.raw.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await eventually(
      () => server.raw.call('CLUSTER', 'INFO'),
      (info) => String(info).includes('cluster_state:ok'),
    );
    // With the rights that the page names for a Cluster.
    const more = /`(\+cluster[^`]*)`/.exec(page)?.[1] ?? '';
    const [, , ...rules] = `${line} ${more}`.replaceAll(/(?<=[~&])banto:/g, '{banto}:').split(' ');
    await server.raw.acl('SETUSER', 'banto', ...rules);
    const log = await liveWith({
      REDIS_CLUSTER: `127.0.0.1:${server.port}`,
      REDIS_USERNAME: 'banto',
      REDIS_PASSWORD: 'secret',
    });
    expect(log).not.toContain('NOPERM');
    const keys = await server.raw.keys('*');
    const slots = await Promise.all(keys.map((key) => server.raw.call('CLUSTER', 'KEYSLOT', key)));
    expect(keys.length).toBeGreaterThan(10);
    expect(new Set(slots).size).toBe(1);
    expect(keys.filter((key) => !key.startsWith('{banto}:'))).toEqual([]);
  }, 60_000);
});

describe('what cannot be trusted', () => {
  it('an eviction policy that loses keys is refused, until it is set as the sentence says', async () => {
    const server = await start();
    await server.raw.config('SET', 'maxmemory-policy', 'volatile-lru');
    const env = { REDIS_URL: server.url };
    await expect(open(env)).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('CONFIG SET maxmemory-policy noeviction'),
    });
    await server.raw.config('SET', 'maxmemory-policy', 'noeviction');
    await (await open(env)).close();
  });

  it('a version that is too old is refused', async () => {
    const old = await startFakeRedis('6.2.14');
    ends.push(old.close);
    await expect(open({ REDIS_URL: old.url })).rejects.toMatchObject({
      code: 'misconfigured',
      message: 'This Redis is version 6.2.14; Banto needs Redis 7 or newer, or Valkey.',
    });
  });

  it('the doctor says the same, and where nothing answers', async () => {
    const { repoDir } = await makeRepository();
    const doctor = async (url: string) => {
      const env = { REDIS_URL: url, BANTO_REPO: repoDir, BROKER_PORT: '0' };
      return runBanto(['doctor', '--json'], { env, cwd: repoDir });
    };
    const server = await start();
    const fine = await doctor(server.url);
    expect(fine.code).toBe(0);
    expect(fine.stdout).toMatch(/(Redis|Valkey) \d+\.\d+\.\d+, namespace banto/);
    expect(fine.stdout).toContain('appendonly yes');
    expect(await server.raw.dbsize()).toBe(0);
    await server.raw.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await doctor(server.url)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('maxmemory-policy noeviction'),
    });
    const gone = await doctor(`redis://user:hush@127.0.0.1:${await freePort()}`);
    expect(gone).toMatchObject({ code: 1, stdout: expect.stringContaining('cannot be reached') });
    expect(gone.stdout + gone.stderr).not.toContain('hush');
  }, 60_000);
});
