// Hand-out and completion in Redis against BullMQ on the same server in the same run, what they cost when
// the backlog grows, and how many commands each transition takes.

import { createChooser } from '../src/broker/chooser.ts';
import { openRedisStore } from '../src/store/redis/redis-store.ts';
import { type RedisServer, startRedisServer } from '../test/support/redis-server.ts';
import { CAPABILITIES, REPOSITORY } from './backlog.ts';
import { openRival } from './bullmq.ts';
import { byCallers, grow, handOut } from './hand-out.ts';
import type { Bench } from './measure.ts';

const TASKS = 20_000;
const TASKS_PER_RUN = 2000;
const CALLERS = 50;

interface Calls {
  /** What the client sent. */
  readonly trips: number;
  /** What scripts called inside the server. */
  readonly inner: number;
}

/** Redis counts the commands of scripts among all others; what went over the wire it counts by script. */
async function callsDuring(server: RedisServer, tasks: number, act: () => Promise<void>) {
  await server.raw.config('RESETSTAT');
  await act();
  const stats = await server.raw.info('commandstats');
  const calls = new Map(
    [...stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name = '', n]) => [
      name,
      Number(n),
    ]),
  );
  const sum = [...calls.values()].reduce((all, n) => all + n, 0);
  const trips = (calls.get('evalsha') ?? 0) + (calls.get('eval') ?? 0);
  return { trips: trips / tasks, inner: (sum - trips) / tasks };
}

interface Side {
  readonly calls: Calls | null;
  /** Fills the queue, drains it with all callers, and returns the milliseconds of draining. */
  drain(): Promise<number>;
}

function bantoSide(server: RedisServer): Side {
  const side = { calls: null as Calls | null, drain };
  async function drain(): Promise<number> {
    await server.raw.flushall();
    const store = await openRedisStore({
      connection: { url: server.url },
      repositories: [REPOSITORY],
    });
    const chooser = createChooser(store);
    await grow(store, 1, TASKS);
    // The fleet is known: labels are learned and buckets ranked before the first task is asked for.
    await chooser.choose({
      agentId: 'a',
      capabilities: CAPABILITIES,
      kinds: null,
      repositories: null,
    });
    let tookMs = 0;
    side.calls = await callsDuring(server, TASKS, async () => {
      tookMs = await byCallers(CALLERS, TASKS, (caller, task) =>
        handOut(store, chooser, `agent-${caller}`, `token-${task}`),
      );
    });
    await store.close();
    return tookMs;
  }
  return side;
}

function rivalSide(server: RedisServer): Side {
  const side = { calls: null as Calls | null, drain };
  async function drain(): Promise<number> {
    await server.raw.flushall();
    const rival = await openRival(server.port);
    await rival.fill(TASKS);
    let tookMs = 0;
    side.calls = await callsDuring(server, TASKS, async () => {
      tookMs = await byCallers(CALLERS, TASKS, (caller) =>
        rival.fetchAndComplete(`token-${caller}`),
      );
    });
    await rival.close();
    return tookMs;
  }
  return side;
}

/** A namespace that always has so many ready tasks; each run takes some and puts as many back. */
async function createScene(server: RedisServer, ready: number) {
  const store = await openRedisStore({
    connection: { url: server.url },
    namespace: `bench-${ready}`,
    repositories: [REPOSITORY],
  });
  const chooser = createChooser(store);
  let made = ready;
  await grow(store, 1, ready);
  return {
    async run(tasks: number): Promise<number> {
      const from = made;
      const tookMs = await byCallers(CALLERS, tasks, (caller, task) =>
        handOut(store, chooser, `agent-${caller}`, `token-${from + task}`),
      );
      await grow(store, made + 1, tasks);
      made += tasks;
      return tookMs;
    },
    close: () => store.close(),
  };
}

export const redisBench: Bench = {
  name: 'redis',
  about: `hand-out and completion in Redis, ${CALLERS} callers, three priorities; BullMQ by getNextJob and moveToCompleted`,
  async run(report) {
    const server = await startRedisServer();
    const banto = bantoSide(server);
    const rival = rivalSide(server);
    const rate = async (side: Side) => (TASKS / (await side.drain())) * 1000;
    await report.measure(
      [
        { name: 'Banto, 20,000 tasks', unit: 'tasks/s', run: () => rate(banto) },
        { name: 'BullMQ, 20,000 jobs', unit: 'jobs/s', run: () => rate(rival) },
        {
          name: "Banto's rate over BullMQ's",
          unit: 'ratio',
          goal: { least: 3 },
          run: async () => (await rival.drain()) / (await banto.drain()),
        },
      ],
      { repetitions: 3, warmUps: 1 },
    );
    const counted = (name: string, unit: string, figure: () => number | undefined) => ({
      name,
      unit,
      run: () => figure() ?? 0,
    });
    await report.measure(
      [
        counted('Banto, round trips', 'per task', () => banto.calls?.trips),
        counted('Banto, commands inside scripts', 'per task', () => banto.calls?.inner),
        counted('BullMQ, round trips', 'per job', () => rival.calls?.trips),
        counted('BullMQ, commands inside scripts', 'per job', () => rival.calls?.inner),
      ],
      { repetitions: 1, warmUps: 0 },
    );
    await server.raw.flushall();
    const small = await createScene(server, 1000);
    const large = await createScene(server, 100_000);
    await report.measure(
      [
        {
          name: 'cost at 100,000 ready over cost at 1,000',
          unit: 'ratio',
          goal: { most: 1.5 },
          async run() {
            const base = await small.run(TASKS_PER_RUN / 4);
            return (await large.run(TASKS_PER_RUN / 4)) / base;
          },
        },
      ],
      { repetitions: 11, warmUps: 3 },
    );
    await small.close();
    await large.close();
    await server.stop();
  },
};
