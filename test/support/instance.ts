// A real Banto as a process of its own, as people start it: on a repository and a Redis of the test.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const BIN = resolve(import.meta.dirname, '../../bin/banto.js');

export interface Instance {
  readonly url: string;
  /** What it logged so far. */
  log(): string;
  /** kill -9. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface InstanceOptions {
  readonly repoDir: string;
  /** Settings, by the names of their variables. */
  readonly env: Readonly<Record<string, string>>;
}

export async function startInstance({ repoDir, env }: InstanceOptions): Promise<Instance> {
  const child = spawn(process.execPath, [BIN, 'serve'], {
    cwd: repoDir,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      BROKER_PORT: '0',
      BANTO_REPO: repoDir,
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = once(child, 'exit');
  const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
  const first = await Promise.race([line, ended.then(() => null)]);
  const url = /http:\S+/.exec(first?.[0] ?? '')?.[0];
  if (url === undefined) throw new Error(`Banto did not start: ${log}`);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  return {
    url,
    log: () => log,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}
