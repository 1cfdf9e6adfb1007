// Hand-out and completion through the SQLite store, over what SQLite itself can do, and as the backlog grows.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChooser } from '../src/broker/chooser.ts';
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

interface Scene {
  readonly name: string;
  readonly raw: RawScene;
  /** Hands out and completes so many tasks with many callers at once; returns the milliseconds. */
  run(tasks: number): Promise<number>;
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
    async run(tasks) {
      const tookMs = await byCallers(CALLERS, tasks, () => {
        calls += 1;
        return handOut(store, chooser, `agent-${calls}`, `token-${calls}`);
      });
      await grow(store, made + 1, tasks);
      made += tasks;
      return tookMs;
    },
    async close() {
      raw.close();
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export const storeBench: Bench = {
  name: 'store',
  about: `hand-out and completion in SQLite (synchronous=FULL), ${CALLERS} callers, ${TASKS_PER_RUN} tasks a run; raw is a bare claim and completion, 50 in a transaction`,
  async run(report) {
    const scenes: Scene[] = [];
    for (const { name, ready } of SIZES) scenes.push(await createScene(name, ready));
    const perSecond = (tookMs: number) => (TASKS_PER_RUN / tookMs) * 1000;
    const took = new Map<string, { store: number; raw: number }>();
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
            const store = await scene.run(TASKS_PER_RUN);
            took.set(scene.name, { store, raw });
            return raw / store;
          },
        },
        // The rates of the run just made: both sides of the ratio, seen.
        ...(['store', 'raw'] as const).map((side) => ({
          name: `${side}, ${scene.name} ready`,
          unit: 'tasks/s',
          run: () => perSecond(took.get(scene.name)?.[side] ?? 0),
        })),
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
            const base = (await small?.run(TASKS_PER_RUN)) ?? 0;
            return ((await large?.run(TASKS_PER_RUN)) ?? 0) / base;
          },
        },
      ],
      ROUNDS,
    );
    for (const scene of scenes) await scene.close();
  },
};
