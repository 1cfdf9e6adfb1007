// Hand-out and completion over HTTP, over what bare fastify can do, and how soon one of a thousand waiting
// requests is answered.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CAPABILITIES } from './backlog.ts';
import { type Caller, createCaller } from './http-client.ts';
import type { Bench } from './measure.ts';

const TASKS_PER_RUN = 2000;
const CALLERS = 50;
const WAITING = 1000;

interface Assigned {
  readonly task_id: string;
  readonly lease: { readonly token: string };
}

interface Server {
  readonly url: string;
  readonly callers: readonly Caller[];
  /** Makes issues appear; resolves when they are stored. */
  grow(by: number): Promise<void>;
  /** Makes one issue appear, without waiting. */
  appear(): void;
  /** Milliseconds of processor time until now. */
  cpuMs(): Promise<number>;
  close(): void;
}

async function startServer(file: string, callers: number, input?: object): Promise<Server> {
  const args = input === undefined ? [] : [JSON.stringify(input)];
  const child: ChildProcess = fork(join(import.meta.dirname, file), args);
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const all = Array.from({ length: callers }, () => createCaller(url));
  let made = 0;
  const next = (by: number) => Array.from({ length: by }, () => (made += 1));

  return {
    url,
    callers: all,
    async grow(by) {
      child.send({ mirror: next(by) });
      await once(child, 'message');
    },
    appear() {
      child.send({ mirror: next(1), quiet: true });
    },
    async cpuMs() {
      child.send({ cpu: true });
      const [{ cpu }] = (await once(child, 'message')) as [{ cpu: NodeJS.CpuUsage }];
      return (cpu.user + cpu.system) / 1000;
    },
    close() {
      for (const caller of all) caller.close();
      child.disconnect();
    },
  };
}

async function post(caller: Caller, path: string, body: object): Promise<string> {
  const { status, text } = await caller.post(`/api/v1${path}`, body);
  if (status === 200) return text;
  throw new Error(`the bench got ${status}: ${text}`);
}

const ask = (caller: Caller, agent: string) =>
  post(caller, '/request-task', { agent_id: agent, capabilities: CAPABILITIES });

const complete = (caller: Caller, { task_id: id, lease }: Assigned) =>
  post(caller, `/tasks/${id}/complete`, { lease_token: lease.token });

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Asks for so many tasks and completes them, 50 agents at once. */
async function work(server: Server): Promise<Cost> {
  const cpuBefore = await server.cpuMs();
  const startedAt = performance.now();
  let left = TASKS_PER_RUN;
  await Promise.all(
    server.callers.map(async (caller, index) => {
      while (left > 0) {
        left -= 1;
        await complete(caller, JSON.parse(await ask(caller, `agent-${index}`)) as Assigned);
      }
    }),
  );
  const wallMs = performance.now() - startedAt;
  return { wallMs, cpuMs: (await server.cpuMs()) - cpuBefore };
}

/** Banto's own two answers, for the bare server to repeat. */
async function answersOf(server: Server): Promise<object> {
  const [caller] = server.callers;
  if (caller === undefined) throw new Error('the bench has no callers');
  await server.grow(1);
  const given = JSON.parse(await ask(caller, 'agent-0')) as Assigned;
  return { given, done: JSON.parse(await complete(caller, given)) as object };
}

/** Keeps a thousand requests waiting; returns the milliseconds from an issue's appearance to its answer. */
function createCrowd(server: Server): { wake(): Promise<number>; fill(): Promise<void> } {
  const asking = createCaller(server.url);
  let served = Promise.withResolvers<number>();
  let calls = 0;
  const wait = async (caller: Caller) => {
    calls += 1;
    const body = { agent_id: `agent-${calls}`, capabilities: ['*'], wait_seconds: 300 };
    // 300 s is far longer than the benchmark; those left over end with the server.
    const answer = await caller.post('/api/v1/request-task', body).catch(() => null);
    if (answer?.status !== 200) return;
    served.resolve(performance.now());
    await wait(caller);
  };
  const full = async () => {
    for (;;) {
      const { text } = await asking.get('/api/v1/queue');
      if ((JSON.parse(text) as { waiting: number }).waiting === WAITING) return;
    }
  };
  return {
    async fill() {
      for (const caller of server.callers) void wait(caller);
      await full();
    },
    async wake() {
      served = Promise.withResolvers<number>();
      const startedAt = performance.now();
      server.appear();
      const tookMs = (await served.promise) - startedAt;
      await full();
      return tookMs;
    },
  };
}

export const httpBench: Bench = {
  name: 'http',
  about: `request-task and complete over HTTP, ${CALLERS} callers; bare is fastify with the same schemas and nothing behind them; servers in processes of their own`,
  async run(report) {
    const banto = await startServer('http-server.ts', CALLERS);
    const bare = await startServer('bare-server.ts', CALLERS, await answersOf(banto));
    const perSecond = ({ wallMs }: Cost) => (TASKS_PER_RUN / wallMs) * 1000;
    const none = { wallMs: 0, cpuMs: 0 };
    let took = { banto: none, bare: none };
    await report.measure(
      [
        {
          id: 'http.over_bare',
          name: 'rate over bare fastify',
          unit: 'ratio',
          goal: { least: 0.25 },
          async run() {
            await banto.grow(TASKS_PER_RUN);
            took = { bare: await work(bare), banto: await work(banto) };
            return took.bare.wallMs / took.banto.wallMs;
          },
        },
        // Of the run just made: both sides of the ratio, and what the server's processor had to do.
        {
          id: 'http.tasks_per_second',
          name: 'hand-out and completion',
          unit: 'tasks/s',
          run: () => perSecond(took.banto),
        },
        {
          id: 'http.bare_per_second',
          name: 'bare fastify',
          unit: 'tasks/s',
          run: () => perSecond(took.bare),
        },
        {
          id: 'http.cpu_us',
          name: 'processor time of the server for a task',
          unit: 'µs',
          run: () => (took.banto.cpuMs * 1000) / TASKS_PER_RUN,
        },
        {
          id: 'http.cpu_over_bare',
          name: 'bare processor time over Banto’s',
          unit: 'ratio',
          run: () => took.bare.cpuMs / took.banto.cpuMs,
        },
      ],
      { repetitions: 7, warmUps: 3 },
    );
    banto.close();
    bare.close();
    const patient = await startServer('http-server.ts', WAITING);
    const crowd = createCrowd(patient);
    await crowd.fill();
    await report.measure([
      {
        id: 'http.wake_ms',
        name: `wake-up with ${WAITING} waiting`,
        unit: 'ms',
        run: () => crowd.wake(),
      },
    ]);
    patient.close();
  },
};
