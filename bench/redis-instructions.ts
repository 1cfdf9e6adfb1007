// How many instructions Redis needs for a task, counted by callgrind around a redis-server of its own: unlike a time,
// the same from run to run.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../test/support/redis-server.ts';

export interface CountedServer {
  readonly port: number;
  readonly raw: Redis;
  /** Instructions that the server ran meanwhile. */
  count(work: () => Promise<void>): Promise<number>;
  stop(): Promise<void>;
}

const START_MS = 60_000;

export const canCount = (): boolean =>
  spawnSync('valgrind', ['--version'], { stdio: 'ignore' }).status === 0;

/** The totals of all that callgrind has written so far. */
function countedIn(folder: string): number {
  const files = readdirSync(folder).filter((name) => name.startsWith('callgrind.'));
  return files
    .map((name) => /^totals: (\d+)/m.exec(readFileSync(join(folder, name), 'utf8')))
    .reduce((sum, found) => sum + Number(found?.[1] ?? 0), 0);
}

export async function startCountedServer(): Promise<CountedServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'banto-callgrind-'));
  const valgrind = ['--tool=callgrind', '--instr-atstart=no'];
  const out = `--callgrind-out-file=${join(folder, 'callgrind.out')}`;
  const server = ['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--save', ''];
  const child = spawn('valgrind', [...valgrind, out, ...server, '--dir', folder], {
    stdio: 'ignore',
  });
  const raw = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null });
  raw.on('error', () => undefined);
  const deadline = setTimeout(() => child.kill('SIGKILL'), START_MS);
  await raw.ping();
  clearTimeout(deadline);
  const control = (...args: string[]): void => {
    const done = spawnSync('callgrind_control', [...args, String(child.pid)]);
    if (done.status !== 0) throw new Error(`callgrind_control ${args.join(' ')} failed`);
  };
  return {
    port,
    raw,
    async count(work) {
      const before = countedIn(folder);
      control('-i', 'on');
      await work();
      control('-i', 'off');
      control('-d');
      return countedIn(folder) - before;
    },
    async stop() {
      raw.disconnect();
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
