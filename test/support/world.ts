// A whole Banto without its doors: real SQLite, real git, a clock that the test moves. The loops do not run
// by themselves; `runUntilIdle` runs each of them until nothing is left to do.

import type { Assignment, TaskRequest } from '../../src/broker/broker.ts';
import type { Context } from '../../src/broker/context.ts';
import { createBroker, type RunningBroker } from '../../src/broker/create-broker.ts';
import type { Forge } from '../../src/core/forge.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/core/settings.ts';
import type { Store } from '../../src/core/store.ts';
import { openLocalForge } from '../../src/forge/local/local-forge.ts';
import { loadPrompts } from '../../src/prompts/load-prompts.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { type BacklogRepository, makeBacklogRepository } from './backlog-repository.ts';
import { createFakeTime, type FakeTime } from './fake-time.ts';

export const silentLog: Context['log'] = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface World {
  readonly repository: BacklogRepository;
  readonly time: FakeTime;
  readonly store: Store;
  readonly forge: Forge;
  readonly broker: RunningBroker;
  /** Mirrors, sweeps, writes and matches until all is quiet. */
  runUntilIdle(): Promise<void>;
  /** As a door does it: the answer is given, and then marked as given. */
  request(agentId: string, over?: Partial<TaskRequest>): Promise<Assignment | null>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly policy?: Partial<Policy>;
  readonly wrapForge?: (forge: Forge) => Forge;
  readonly wrapStore?: (store: Store) => Store;
}

export async function makeWorld(options: WorldOptions = {}): Promise<World> {
  const repository = await makeBacklogRepository();
  const time = createFakeTime();
  const opened = await openSqliteStore({ dataDir: repository.dataDir, clock: time });
  const store = options.wrapStore?.(opened) ?? opened;
  const local = await openLocalForge({
    repoDir: repository.repoDir,
    backlogDir: 'backlog',
    now: time.now,
    graceMs: 0,
  });
  const forge = options.wrapForge?.(local) ?? local;
  const broker = createBroker({
    store,
    forge,
    policy: { ...DEFAULT_POLICY, ...options.policy },
    prompts: loadPrompts(),
    log: silentLog,
    timers: time.timers,
    random: () => 0.5,
  });
  const { mirror, sweep, outbox, matcher } = broker.loops;
  return {
    repository,
    time,
    store,
    forge,
    broker,
    async runUntilIdle() {
      await mirror.fullPass();
      await sweep.runOnce();
      await outbox.runOnce();
      await matcher.runOnce();
    },
    async request(agentId, over = {}) {
      const given = await broker.requestTask({
        agentId,
        capabilities: ['python'],
        waitSeconds: 0,
        leaseSeconds: null,
        requestId: null,
        kinds: null,
        repositories: null,
        onUnfinished: 'complete',
        ...over,
      });
      if (given !== null) await broker.answered(given);
      return given;
    },
    async close() {
      await broker.stop();
      await forge.close();
      await store.close();
      await repository.remove();
    },
  };
}
