// The shipped agents, run as a person would run them, against a real server that is killed under them, and with
// a lease that is taken away.

import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { makeBacklogRepository } from '../support/backlog-repository.ts';
import { eventually } from '../support/eventually.ts';
import { startBanto } from '../support/run-banto.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const READY = /Banto is at|listening/i;
/** Long enough to be killed in, short enough to be waited for twice. */
const WORK_SECONDS = '5';
const DEADLINE_MS = 60_000;

interface Example {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

const EXAMPLES: readonly Example[] = [
  {
    name: 'sh',
    command: ['sh', 'examples/agent.sh', 'sh', '-c', `cat >&2; sleep ${WORK_SECONDS}`],
  },
  { name: 'py', command: ['python3', 'examples/agent.py'] },
  {
    name: 'ts',
    command: [process.execPath, '--conditions=banto-source', 'examples/agent.ts'],
  },
  {
    name: 'worker',
    command: ['python3', 'workers/python/worker.py'],
    env: { WORKER_COMMAND: `cat >/dev/null; sleep ${WORK_SECONDS}` },
  },
];

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

const repository = await makeBacklogRepository();
const port = await freePort();
const client = createClient({ url: `http://127.0.0.1:${port}` });
const agents: ChildProcess[] = [];
const printed = new Map<string, string>();
let server: ChildProcess;

async function startServer(): Promise<void> {
  const env = {
    BROKER_PORT: String(port),
    BANTO_DATA_DIR: repository.dataDir,
    BANTO_REPO: repository.repoDir,
    REVIEW_DELAY_SECONDS: '3600',
  };
  ({ child: server } = await startBanto(['serve'], READY, { env, cwd: repository.repoDir }));
}

function startAgent({ name, command: [program, ...args], env = {} }: Example): void {
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      BANTO_URL: `http://127.0.0.1:${port}`,
      AGENT_ID: `${name}-agent`,
      CAPABILITIES: name,
      LEASE_SECONDS: '10',
      WORK_SECONDS,
      ...env,
    },
  });
  const note = (text: string) => printed.set(name, (printed.get(name) ?? '') + text);
  child.stdout.setEncoding('utf8').on('data', note);
  child.stderr.setEncoding('utf8').on('data', note);
  agents.push(child);
}

async function find(number: number) {
  const { tasks } = await client.tasks({ kind: 'implement' });
  return tasks.find(({ issue_id }) => issue_id === number);
}

async function task(number: number) {
  const found = await find(number);
  if (found === undefined) throw new Error(`no task for issue ${number}`);
  return found;
}

const reaches = (number: number, state: string) =>
  eventually(
    // The server may still be reading the backlog.
    async () => (await find(number))?.state ?? 'not there yet',
    (now) => now === state,
    DEADLINE_MS,
  );

beforeAll(async () => {
  for (const [index, { name }] of EXAMPLES.entries()) {
    await repository.write(index + 1, { labels: [name], title: `Say "token":"stolen" ${name}` });
    await repository.write(index + 101, { labels: [name] });
  }
  await startServer();
  for (const example of EXAMPLES) startAgent(example);
  const firsts = EXAMPLES.map((_, index) => index + 1);
  await Promise.all(firsts.map((number) => reaches(number, 'leased')));
  server.kill('SIGKILL');
  await startServer();
}, 2 * DEADLINE_MS);

afterAll(async () => {
  for (const agent of agents) agent.kill('SIGKILL');
  server.kill('SIGTERM');
  await repository.remove();
});

describe.concurrent.each(EXAMPLES.map(({ name }, index) => ({ name, index })))(
  'the $name agent',
  ({ name, index }) => {
    it('finishes its work although the server was killed meanwhile', {
      timeout: DEADLINE_MS,
    }, async ({ expect }) => {
      await reaches(index + 1, 'done');
      const { attempts } = await client.task((await task(index + 1)).task_id);
      expect(attempts).toBe(0);
    });

    it('stops when its lease was lost, and goes on with the next task', {
      timeout: 2 * DEADLINE_MS,
    }, async ({ expect }) => {
      const second = index + 101;
      await reaches(second, 'leased');
      await client.unlock((await task(second)).task_id);
      await expect.poll(() => printed.get(name), { timeout: DEADLINE_MS }).toMatch(/lost/);
      await reaches(second, 'done');
    });
  },
);
