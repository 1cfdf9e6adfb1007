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
const TASKS_PER_RUN = 500;
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
  const trips = ['evalsha', 'eval', 'fcall'].reduce((all, name) => all + (calls.get(name) ?? 0), 0);
  return { trips: trips / tasks, inner: (sum - trips) / tasks };
}

interface Side {
  /** Of the last drain. */
  calls: Calls;
  rates: number[];
  /** Fills the queue, drains it with all callers, and returns the milliseconds of draining. */
  drain(): Promise<number>;
}

interface Queue {
  once(caller: number, task: number): Promise<void>;
  close(): Promise<void>;
}

function createSide(server: RedisServer, fill: () => Promise<Queue>): Side {
  const side: Side = {
    calls: { trips: 0, inner: 0 },
    rates: [],
    async drain() {
      await server.raw.flushall();
      const queue = await fill();
      let tookMs = 0;
      side.calls = await callsDuring(server, TASKS, async () => {
        tookMs = await byCallers(CALLERS, TASKS, queue.once);
      });
      side.rates.push((TASKS / tookMs) * 1000);
      await queue.close();
      return tookMs;
    },
  };
  return side;
}

async function fillBanto(server: RedisServer, follows: boolean): Promise<Queue> {
  const connection = { url: server.url };
  const store = await openRedisStore({ connection, repositories: [REPOSITORY] });
  const chooser = createChooser(store);
  await grow(store, 1, TASKS);
  // The fleet is known: labels are learned and buckets ranked before the first task is asked for.
  const seeker = { agentId: 'a', capabilities: CAPABILITIES, kinds: null, repositories: null };
  await chooser.choose(seeker);
  return {
    once: (caller, task) => handOut(store, chooser, `agent-${caller}`, `token-${task}`, follows),
    close: () => store.close(),
  };
}

async function fillRival(server: RedisServer): Promise<Queue> {
  const rival = await openRival(server.port);
  await rival.fill(TASKS);
  return {
    once: (caller) => rival.fetchAndComplete(`token-${caller}`),
    close: () => rival.close(),
  };
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
  about: `hand-out and completion in Redis, ${CALLERS} callers, ${TASKS} tasks of three priorities; BullMQ by getNextJob and moveToCompleted`,
  async run(report) {
    const server = await startRedisServer();
    const banto = createSide(server, () => fillBanto(server, true));
    const plain = createSide(server, () => fillBanto(server, false));
    const rival = createSide(server, () => fillRival(server));
    await report.measure(
      [
        {
          name: "Banto's rate over BullMQ's",
          unit: 'ratio',
          goal: { least: 3 },
          run: async () => (await rival.drain()) / (await plain.drain()),
        },
        {
          name: 'the same, with a review made of each task',
          unit: 'ratio',
          run: async () => (await rival.drain()) / (await banto.drain()),
        },
      ],
      { repetitions: 3, warmUps: 0, repeats: 2 },
    );
    const figure = (name: string, unit: string, value: () => number) => ({
      name,
      unit,
      run: value,
    });
    const median = ({ rates }: Side) => rates.toSorted((a, b) => a - b)[rates.length >> 1] ?? 0;
    await report.measure(
      [
        figure('Banto', 'tasks/s', () => median(plain)),
        figure('Banto, a review made of each task', 'tasks/s', () => median(banto)),
        figure('BullMQ', 'jobs/s', () => median(rival)),
        figure('Banto, round trips', 'per task', () => plain.calls.trips),
        figure('Banto, commands inside scripts', 'per task', () => plain.calls.inner),
        figure('Banto with reviews, commands inside scripts', 'per task', () => banto.calls.inner),
        figure('BullMQ, round trips', 'per job', () => rival.calls.trips),
        figure('BullMQ, commands inside scripts', 'per job', () => rival.calls.inner),
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
            const base = await small.run(TASKS_PER_RUN);
            return (await large.run(TASKS_PER_RUN)) / base;
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
