// Hand-out and completion over HTTP, and how soon one of a thousand waiting requests is answered.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { CAPABILITIES } from './backlog.ts';
import type { Bench } from './measure.ts';

const TASKS_PER_RUN = 300;
const CALLERS = 50;
const WAITING = 1000;

interface Assigned {
  readonly task_id: string;
  readonly lease: { readonly token: string };
}

interface Server {
  post(path: string, body: object): Promise<Assigned | null>;
  /** Makes issues appear; resolves when they are stored. */
  grow(by: number): Promise<void>;
  /** Makes one issue appear, without waiting. */
  appear(): void;
  waiting(): Promise<number>;
  close(): void;
}

async function startServer(): Promise<Server> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'http-server.ts'));
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const agent = new Agent({ keepAlive: true, maxSockets: WAITING + CALLERS });
  let made = 0;
  const next = (by: number) => Array.from({ length: by }, () => (made += 1));

  function call(method: string, path: string, body?: object): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => {
          if (response.statusCode === 200) resolve(text);
          else if (response.statusCode === 204) resolve(null);
          else reject(new Error(`${response.statusCode}: ${text}`));
        });
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  return {
    async post(path, body) {
      const text = await call('POST', path, body);
      return text === null ? null : (JSON.parse(text) as Assigned);
    },
    async grow(by) {
      child.send({ mirror: next(by) });
      await once(child, 'message');
    },
    appear() {
      child.send({ mirror: next(1) });
    },
    async waiting() {
      const text = await call('GET', '/api/v1/queue');
      return (JSON.parse(text ?? '{}') as { waiting: number }).waiting;
    },
    close() {
      agent.destroy();
      child.disconnect();
    },
  };
}

let calls = 0;

async function ask(server: Server, waitSeconds: number): Promise<Assigned | null> {
  calls += 1;
  return server.post('/api/v1/request-task', {
    agent_id: `agent-${calls}`,
    capabilities: waitSeconds > 0 ? ['*'] : CAPABILITIES,
    wait_seconds: waitSeconds,
  });
}

async function complete(server: Server, task: Assigned): Promise<void> {
  await server.post(`/api/v1/tasks/${task.task_id}/complete`, { lease_token: task.lease.token });
}

async function rate(server: Server): Promise<number> {
  await server.grow(TASKS_PER_RUN * 2);
  const startedAt = performance.now();
  let left = TASKS_PER_RUN;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      const task = await ask(server, 0);
      if (task === null) throw new Error('the bench ran out of tasks');
      await complete(server, task);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return (TASKS_PER_RUN / (performance.now() - startedAt)) * 1000;
}

/** Keeps a thousand requests waiting; returns the milliseconds from an issue's appearance to its answer. */
function createCrowd(server: Server): { wake(): Promise<number>; fill(): Promise<void> } {
  let served = Promise.withResolvers<number>();
  const wait = async () => {
    // 300 s is far longer than the benchmark; those left over end with the server.
    const task = await ask(server, 300).catch(() => null);
    if (task !== null) served.resolve(performance.now());
  };
  const full = async () => {
    while ((await server.waiting()) < WAITING);
  };
  return {
    async fill() {
      for (let index = 0; index < WAITING; index += 1) void wait();
      await full();
    },
    async wake() {
      served = Promise.withResolvers<number>();
      const startedAt = performance.now();
      server.appear();
      const tookMs = (await served.promise) - startedAt;
      void wait();
      await full();
      return tookMs;
    },
  };
}

export const httpBench: Bench = {
  name: 'http',
  about: `request-task and complete over HTTP, server in its own process, ${CALLERS} callers`,
  async run(report) {
    const busy = await startServer();
    await report.measure(
      [{ name: 'hand-out and completion', unit: 'tasks/s', run: () => rate(busy) }],
      { repetitions: 7 },
    );
    busy.close();
    const patient = await startServer();
    const crowd = createCrowd(patient);
    await crowd.fill();
    await report.measure([
      { name: `wake-up with ${WAITING} waiting`, unit: 'ms', run: () => crowd.wake() },
    ]);
    patient.close();
  },
};
