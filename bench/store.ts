// Hand-out and completion through the SQLite store, and what they cost when the backlog grows.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChooser } from '../src/broker/chooser.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { byCallers, grow, handOut } from './hand-out.ts';
import type { Bench } from './measure.ts';

const TASKS_PER_RUN = 500;
const CALLERS = 50;

interface Scene {
  /** Hands out and completes so many tasks with many callers at once; returns the milliseconds. */
  run(tasks: number): Promise<number>;
  close(): Promise<void>;
}

async function createScene(ready: number): Promise<Scene> {
  const dataDir = mkdtempSync(join(tmpdir(), 'banto-bench-'));
  const store = await openSqliteStore({ dataDir });
  const chooser = createChooser(store);
  let made = ready;
  let calls = 0;

  await grow(store, 1, ready);
  return {
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
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export const storeBench: Bench = {
  name: 'store',
  about: `hand-out and completion in SQLite (synchronous=FULL), ${CALLERS} callers, ${TASKS_PER_RUN} tasks a run`,
  async run(report) {
    const small = await createScene(1000);
    const large = await createScene(100_000);
    const rate = async (scene: Scene) => (TASKS_PER_RUN / (await scene.run(TASKS_PER_RUN))) * 1000;
    await report.measure([
      { name: '1,000 ready tasks', unit: 'tasks/s', run: () => rate(small) },
      { name: '100,000 ready tasks', unit: 'tasks/s', run: () => rate(large) },
      {
        name: 'cost at 100,000 over cost at 1,000',
        unit: 'ratio',
        goal: { most: 1.5 },
        async run() {
          const base = await small.run(TASKS_PER_RUN);
          return (await large.run(TASKS_PER_RUN)) / base;
        },
      },
    ]);
    await small.close();
    await large.close();
  },
};
