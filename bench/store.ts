// Hand-out and completion through the SQLite store, over what SQLite itself can do, and as the backlog grows.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChooser } from '../src/broker/hand-out/chooser.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { byCallers, grow, handOut } from './hand-out.ts';
import type { Bench } from './measure.ts';
import { createRawScene, type RawScene } from './raw-sqlite.ts';

const TASKS_PER_RUN = 1000;
const CALLERS = 50;
const ROUNDS = { repetitions: 11, warmUps: 3, repeats: 9 };
const SIZES = [
  { name: '1k', ready: 1000 },
  { name: '10k', ready: 10_000 },
  { name: '100k', ready: 100_000 },
] as const;

/** Milliseconds of processor time that this process has used. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** In milliseconds, by the clock and of the processor. */
interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

interface Scene {
  readonly name: string;
  readonly raw: RawScene;
  readonly dataDir: string;
  /** Hands out and completes so many tasks with many callers at once. */
  run(tasks: number): Promise<Cost>;
  close(): Promise<void>;
}

async function createScene(name: string, ready: number): Promise<Scene> {
  const dataDir = mkdtempSync(join(tmpdir(), 'banto-bench-'));
  const store = await openSqliteStore({ dataDir });
  const chooser = createChooser(store);
  const raw = createRawScene(ready);
  let made = ready;
  let calls = 0;

  await grow(store, 1, ready);
  return {
    name,
    raw,
    dataDir,
    async run(tasks) {
      const before = cpuMs();
      const wallMs = await byCallers(CALLERS, tasks, (caller) => {
        calls += 1;
        return handOut(store, chooser, `agent-${caller}`, `token-${calls}`);
      });
      const cost = { wallMs, cpuMs: cpuMs() - before };
      await grow(store, made + 1, tasks);
      made += tasks;
      return cost;
    },
    async close() {
      raw.close();
      await store.close();
    },
  };
}

/** What opening it costs, and what each of its tasks takes in memory. */
async function opened(
  dataDir: string,
): Promise<{ tasks: number; heapBytes: number; cpuMs: number }> {
  const file = join(import.meta.dirname, 'open-store.ts');
  const child = fork(file, [dataDir], { execArgv: ['--expose-gc'] });
  const [found] = (await once(child, 'message')) as [Awaited<ReturnType<typeof opened>>];
  await once(child, 'exit');
  return found;
}

export const storeBench: Bench = {
  name: 'store',
  about: `hand-out and completion in SQLite (synchronous=FULL), ${CALLERS} agents, ${TASKS_PER_RUN} tasks a run; raw is a bare claim and completion, 50 in a transaction`,
  async run(report) {
    const scenes: Scene[] = [];
    for (const { name, ready } of SIZES) scenes.push(await createScene(name, ready));
    const perSecond = (tookMs: number) => (TASKS_PER_RUN / tookMs) * 1000;
    const took = new Map<string, { store: number; raw: number; cpuMs: number }>();
    const [small] = scenes;
    const large = scenes.at(-1);
    await report.measure(
      scenes.flatMap((scene) => [
        {
          id: `store.over_raw.${scene.name}`,
          name: `rate over raw, ${scene.name} ready`,
          unit: 'ratio',
          goal: { least: 0.3 },
          async run() {
            const raw = scene.raw.run(TASKS_PER_RUN);
            const { wallMs: store, cpuMs } = await scene.run(TASKS_PER_RUN);
            took.set(scene.name, { store, raw, cpuMs });
            return raw / store;
          },
        },
        // The rates of the run just made: both sides of the ratio, seen.
        ...(['store', 'raw'] as const).map((side) => ({
          id: `store.${side}_per_second.${scene.name}`,
          name: `${side}, ${scene.name} ready`,
          unit: 'tasks/s',
          run: () => perSecond(took.get(scene.name)?.[side] ?? 0),
        })),
        {
          id: `store.cpu_us.${scene.name}`,
          name: `processor time for a task, ${scene.name} ready`,
          unit: 'µs',
          run: () => ((took.get(scene.name)?.cpuMs ?? 0) * 1000) / TASKS_PER_RUN,
        },
      ]),
      ROUNDS,
    );
    await report.measure(
      [
        {
          id: 'store.growth',
          name: 'cost at 100k over cost at 1k',
          unit: 'ratio',
          goal: { most: 1.5 },
          async run() {
            const base = await small?.run(TASKS_PER_RUN);
            return ((await large?.run(TASKS_PER_RUN))?.wallMs ?? 0) / (base?.wallMs ?? 0);
          },
        },
      ],
      ROUNDS,
    );
    for (const scene of scenes) await scene.close();
    let found = { tasks: 1, heapBytes: 0, cpuMs: 0 };
    await report.measure(
      [
        {
          id: 'store.open_us',
          name: 'processor time of a start for each task',
          unit: 'µs',
          async run() {
            found = await opened(large?.dataDir ?? '');
            return (found.cpuMs * 1000) / found.tasks;
          },
        },
        {
          id: 'store.heap_bytes',
          name: 'memory for each task',
          unit: 'bytes',
          run: () => found.heapBytes / found.tasks,
        },
      ],
      { repetitions: 3, warmUps: 0, repeats: 3 },
    );
    for (const { dataDir } of scenes) rmSync(dataDir, { recursive: true, force: true });
  },
};
