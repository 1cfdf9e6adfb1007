// Hand-out and completion through the SQLite store, and what they cost when the backlog grows.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChooser } from '../src/broker/chooser.ts';
import { outcomeOf } from '../src/core/follow-up.ts';
import { byKind, leasedLedger } from '../src/core/ledger.ts';
import { DEFAULT_POLICY } from '../src/core/settings.ts';
import type { Store } from '../src/core/store.ts';
import { parseTaskId } from '../src/core/task.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { benchEntry, CAPABILITIES } from './backlog.ts';
import type { Bench } from './measure.ts';

const TASKS_PER_RUN = 500;
const CALLERS = 50;
const BATCH = 500;

interface Scene {
  readonly store: Store;
  /** Hands out and completes so many tasks with many callers at once; returns the milliseconds. */
  run(tasks: number): Promise<number>;
  close(): Promise<void>;
}

async function createScene(ready: number): Promise<Scene> {
  const dataDir = mkdtempSync(join(tmpdir(), 'banto-bench-'));
  const store = await openSqliteStore({ dataDir });
  const chooser = createChooser(store);
  let made = 0;
  let calls = 0;

  async function grow(by: number): Promise<void> {
    for (let left = by; left > 0; left -= BATCH) {
      const size = Math.min(BATCH, left);
      const entries = Array.from({ length: size }, (_, index) => benchEntry(made + index + 1));
      made += size;
      await store.mirror(entries);
    }
  }

  async function handOut(): Promise<void> {
    calls += 1;
    const agentId = `agent-${calls}`;
    const seeker = { agentId, capabilities: CAPABILITIES, kinds: null, repositories: null };
    for (;;) {
      const { groups, version } = await chooser.choose(seeker);
      const result = await store.claim({
        agentId,
        capabilities: CAPABILITIES,
        requestId: null,
        token: `token-${calls}-${agentId}`,
        leaseSeconds: 600,
        groups,
        registryVersion: version,
        ledger: byKind((kind) => leasedLedger(kind, agentId)),
        writeLockMs: 30_000,
      });
      if (result.outcome === 'stale') {
        await chooser.refresh();
        continue;
      }
      if (result.outcome !== 'leased') throw new Error(`the bench got ${result.outcome}`);
      const { task, lease } = result.handOut;
      const name = parseTaskId(task.id);
      if (name === null) throw new Error(task.id);
      await store.complete({
        taskId: task.id,
        token: lease.token,
        summary: 'done',
        prNumber: null,
        verdict: null,
        comments: [],
        ...outcomeOf(name, null, [], DEFAULT_POLICY, true),
      });
      return;
    }
  }

  await grow(ready);
  return {
    store,
    async run(tasks) {
      const startedAt = performance.now();
      let left = tasks;
      const caller = async () => {
        while (left > 0) {
          left -= 1;
          await handOut();
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
      const tookMs = performance.now() - startedAt;
      await grow(tasks);
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
