// Hand-out and completion in Redis against BullMQ on the same server in the same run, by time and by CPU, and what they
// cost when the backlog grows.

import { createChooser } from '../src/broker/hand-out/chooser.ts';
import { openRedisStore } from '../src/store/redis/redis-store.ts';
import { type RedisServer, startRedisServer } from '../test/support/redis-server.ts';
import { CAPABILITIES, REPOSITORY } from './backlog.ts';
import { openRival } from './bullmq.ts';
import { byCallers, grow, handOut } from './hand-out.ts';
import type { Bench, Report } from './measure.ts';
import { type CountedServer, canCount, startCountedServer } from './redis-instructions.ts';

const TASKS_PER_RUN = 500;
const CALLERS = 50;
const COUNTED_TASKS = 1000;
/** Under callgrind Redis takes some fifty times as long. */
const SLOW_MS = 120_000;

/** How many callers at once, and how many tasks they share. */
const RACES = [
  { callers: 1, tasks: 600, goal: 0.7 },
  { callers: 5, tasks: 2000, goal: 0.7 },
  { callers: 50, tasks: 6000, goal: 1 },
  { callers: 200, tasks: 6000, goal: 1.3 },
] as const;

interface Queue {
  once(caller: number, task: number): Promise<void>;
  /** What is still to be done once everybody has an answer. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

interface Drained {
  readonly tookMs: number;
  readonly cpuMs: number;
  readonly trips: number;
}

const numberOf = (text: string, name: RegExp): number => Number(name.exec(text)?.[1] ?? 0);

async function cpuMsOf({ raw }: RedisServer): Promise<number> {
  const info = await raw.info('cpu');
  const user = numberOf(info, /used_cpu_user:([\d.]+)/);
  return (user + numberOf(info, /used_cpu_sys:([\d.]+)/)) * 1000;
}

/** Fills a queue, and drains it with so many callers. */
async function drain(
  server: RedisServer,
  fill: (tasks: number) => Promise<Queue>,
  { callers, tasks }: { callers: number; tasks: number },
): Promise<Drained> {
  await server.raw.flushall();
  const queue = await fill(tasks);
  await server.raw.config('RESETSTAT');
  const cpuMs = await cpuMsOf(server);
  const began = performance.now();
  await byCallers(callers, tasks, queue.once);
  await queue.finish();
  const tookMs = performance.now() - began;
  const used = (await cpuMsOf(server)) - cpuMs;
  const stats = await server.raw.info('commandstats');
  const trips = numberOf(stats, /cmdstat_fcall:calls=(\d+)/);
  await queue.close();
  return { tookMs, cpuMs: used, trips: trips / tasks };
}

async function fillBanto(
  { port }: Pick<RedisServer, 'port'>,
  tasks: number,
  /** Where time must not count. */
  clock?: { now(): number },
): Promise<Queue> {
  const connection = { url: `redis://127.0.0.1:${port}` };
  const fixed = clock === undefined ? {} : { clock, commandTimeoutMs: SLOW_MS };
  const store = await openRedisStore({ connection, repositories: [REPOSITORY], ...fixed });
  const chooser = createChooser(store);
  await grow(store, 1, tasks);
  // The fleet is known: labels are learned and buckets ranked before the first task is asked for.
  const seeker = { agentId: 'a', capabilities: CAPABILITIES, kinds: null, repositories: null };
  await chooser.choose(seeker);
  await store.queue(0);
  return {
    once: (caller, task) => handOut(store, chooser, `agent-${caller}`, `token-${task}`, false),
    // Whoever reads statistics waits for everything that is derived from facts, and reads little besides.
    finish: async () => void (await store.stats('daily', 1)),
    close: () => store.close(),
  };
}

async function fillRival({ port }: Pick<RedisServer, 'port'>, tasks: number): Promise<Queue> {
  const rival = await openRival(port);
  await rival.fill(tasks);
  return {
    once: (caller) => rival.fetchAndComplete(`token-${caller}`),
    finish: () => Promise.resolve(),
    close: () => rival.close(),
  };
}

/** Instructions of Redis for one task; the clock stands still, so that nothing is written because time has passed. */
async function countInstructions(
  server: CountedServer,
  fill: (tasks: number) => Promise<Queue>,
): Promise<number> {
  await server.raw.flushall();
  const queue = await fill(COUNTED_TASKS);
  const counted = await server.count(async () => {
    await byCallers(CALLERS, COUNTED_TASKS, queue.once);
    await queue.finish();
  });
  await queue.close();
  return counted / COUNTED_TASKS;
}

async function measureInstructions(report: Report): Promise<void> {
  if (!canCount()) {
    console.error('redis.instructions is left out: it needs valgrind, which is not installed.');
    return;
  }
  const server = await startCountedServer();
  const now = Date.now();
  const rival = await countInstructions(server, (tasks) => fillRival(server, tasks));
  const banto = await countInstructions(server, (tasks) =>
    fillBanto(server, tasks, { now: () => now }),
  );
  await server.stop();
  await report.measure(
    [
      {
        id: 'redis.instructions',
        name: "Banto, Redis' instructions, 50 callers",
        unit: 'per task',
        run: () => banto,
      },
      {
        id: 'redis.instructions_over_bullmq',
        name: "Redis' instructions of Banto over BullMQ's",
        unit: 'ratio',
        run: () => banto / rival,
      },
    ],
    { repetitions: 1, warmUps: 0 },
  );
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
  about:
    'hand-out and completion in Redis, tasks of three priorities, all that is drawn from facts included; BullMQ by getNextJob and moveToCompleted',
  async run(report) {
    const server = await startRedisServer();
    const last = { banto: 0, rival: 0, bantoCpu: 0, rivalCpu: 0, trips: 0 };
    for (const race of RACES) {
      await report.measure(
        [
          {
            id: `redis.over_bullmq.${race.callers}`,
            name: `Banto's rate over BullMQ's, ${race.callers} callers`,
            unit: 'ratio',
            goal: { least: race.goal },
            async run() {
              const rival = await drain(server, (tasks) => fillRival(server, tasks), race);
              const banto = await drain(server, (tasks) => fillBanto(server, tasks), race);
              if (race.callers === CALLERS) {
                last.banto = (race.tasks / banto.tookMs) * 1000;
                last.rival = (race.tasks / rival.tookMs) * 1000;
                last.bantoCpu = (banto.cpuMs / race.tasks) * 1000;
                last.rivalCpu = (rival.cpuMs / race.tasks) * 1000;
                last.trips = banto.trips;
              }
              return rival.tookMs / banto.tookMs;
            },
          },
        ],
        { repetitions: 5, warmUps: 1, repeats: 1 },
      );
    }
    const figure = (id: string, name: string, unit: string, value: () => number) => ({
      id,
      name,
      unit,
      run: value,
    });
    await report.measure(
      [
        figure('redis.rate', 'Banto, 50 callers', 'tasks/s', () => last.banto),
        figure('redis.bullmq_rate', 'BullMQ, 50 callers', 'jobs/s', () => last.rival),
        figure('redis.cpu', "Banto, Redis' CPU", 'µs per task', () => last.bantoCpu),
        figure('redis.bullmq_cpu', "BullMQ, Redis' CPU", 'µs per job', () => last.rivalCpu),
        figure(
          'redis.cpu_over_bullmq',
          "Redis' CPU of Banto over BullMQ's",
          'ratio',
          () => last.bantoCpu / last.rivalCpu,
        ),
        figure('redis.trips', 'Banto, steps', 'per task', () => last.trips),
      ],
      { repetitions: 1, warmUps: 0 },
    );
    await measureInstructions(report);
    await server.raw.flushall();
    const small = await createScene(server, 1000);
    const large = await createScene(server, 100_000);
    await report.measure(
      [
        {
          id: 'redis.growth',
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
