// A real redis-server for one test file: its own port and folder, stopped at the end; killed, frozen and
// started again in between where a test asks for it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

export interface RedisServerOptions {
  /** Written to disk at every change; without it nothing is kept. */
  readonly aof?: boolean;
  readonly replicaOf?: { readonly port: number };
  /** More lines of redis.conf, as arguments: `['--maxmemory-policy', 'allkeys-lru']`. */
  readonly args?: readonly string[];
  readonly sentinel?: boolean;
}

/** `BANTO_TEST_REDIS=valkey-server` runs the same tests on Valkey. */
const PROGRAM = process.env['BANTO_TEST_REDIS'] ?? 'redis-server';

// A test process that ends early takes its servers with it.
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface RedisServer {
  readonly port: number;
  readonly url: string;
  readonly dir: string;
  /** A connection of the test's own, to look and to meddle. */
  readonly raw: Redis;
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
  /** Starts it again on the same port and folder. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port was free.');
  return address.port;
}

function argumentsFor(port: number, dir: string, options: RedisServerOptions): string[] {
  const base = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--loglevel',
    'warning',
  ];
  if (options.sentinel === true) {
    // A Sentinel keeps what it knows in its file, and refuses to be without one.
    const file = join(dir, 'sentinel.conf');
    if (!existsSync(file)) writeFileSync(file, '');
    return [file, '--sentinel', ...base, ...(options.args ?? [])];
  }
  return [
    ...base,
    '--save',
    '',
    '--repl-diskless-sync-delay',
    '0',
    ...(options.aof === true ? ['--appendonly', 'yes', '--appendfsync', 'always'] : []),
    ...(options.replicaOf === undefined
      ? []
      : ['--replicaof', '127.0.0.1', String(options.replicaOf.port)]),
    ...(options.args ?? []),
  ];
}

export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'banto-redis-'));
  const raw = new Redis({ port, host: '127.0.0.1', lazyConnect: true, maxRetriesPerRequest: null });
  raw.on('error', () => undefined);
  let child: ChildProcess | null = null;
  let frozen = false;

  async function start(): Promise<void> {
    const started = spawn(PROGRAM, argumentsFor(port, dir, options), { stdio: 'ignore' });
    child = started;
    running.add(started);
    started.once('exit', () => running.delete(started));
    const deadline = Date.now() + 10_000;
    for (;;) {
      if (started.exitCode !== null) throw new Error('redis-server ended at once.');
      const probe = new Redis({ port, lazyConnect: true, retryStrategy: () => null });
      probe.on('error', () => undefined);
      try {
        await probe.connect();
        await probe.ping();
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      } finally {
        probe.disconnect();
      }
    }
  }

  function signal(name: NodeJS.Signals): void {
    child?.kill(name);
    frozen = name === 'SIGSTOP';
  }

  async function kill(): Promise<void> {
    const dying = child;
    child = null;
    if (dying === null || dying.exitCode !== null || dying.signalCode !== null) return;
    if (frozen) dying.kill('SIGCONT');
    frozen = false;
    dying.kill('SIGKILL');
    await once(dying, 'exit');
  }

  await start();
  if (options.sentinel !== true) await raw.connect();
  return {
    port,
    dir,
    raw,
    url: `redis://127.0.0.1:${port}`,
    kill,
    start,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async stop() {
      raw.disconnect();
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
