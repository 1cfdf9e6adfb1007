// A whole broker on a store in memory, with a forge in memory that the test writes: everything between the doors and
// the outside, in milliseconds. The loops do not run by themselves unless the test starts them.

import type { Assignment, TaskRequest } from '../../src/broker/broker.ts';
import {
  type BrokerOptions,
  createBroker,
  type RunningBroker,
} from '../../src/broker/create-broker.ts';
import type { Forge, ForgeChange } from '../../src/core/forge.ts';
import type { Issue } from '../../src/core/issue.ts';
import { type Desk, type DeskOptions, makeDesk } from './desk.ts';
import { issue } from './planning.ts';

export interface WholeBroker extends Desk {
  readonly broker: RunningBroker;
  readonly issues: Map<number, Issue>;
  readonly branches: Set<string>;
  /** Puts an issue on the forge, or changes it there. */
  put(number: number, over?: Partial<Issue>): Issue;
  /** The forge tells by itself that something changed. */
  tell(change: Partial<ForgeChange>): void;
  /** Mirrors, sweeps, writes and matches until all is quiet. */
  idle(): Promise<void>;
  request(agentId: string, over?: Partial<TaskRequest>): Promise<Assignment | null>;
}

export const REPOSITORY = 'octo/park';

export function makeWholeBroker(
  options: DeskOptions = {},
  brokerOptions: Partial<BrokerOptions> = {},
): WholeBroker {
  const issues = new Map<number, Issue>();
  const branches = new Set<string>();
  const listeners = new Set<(change: ForgeChange) => void>();
  const forge: Partial<Forge> = {
    async *list(repository) {
      const open = [...issues.values()].filter(({ state }) => state === 'open');
      yield open.filter((one) => one.repository === repository);
    },
    read: async (_repository, number) => issues.get(number) ?? null,
    hasBranch: async (_repository, branch) => branches.has(branch),
    async createBranch(_repository, branch) {
      const isNew = !branches.has(branch);
      branches.add(branch);
      return isNew ? 'created' : 'exists';
    },
    async setLabels(_repository, number, { add, remove }) {
      const known = issues.get(number);
      if (known === undefined) return;
      const kept = known.labels.filter((label) => !remove.includes(label) && !add.includes(label));
      issues.set(number, { ...known, labels: [...kept, ...add] });
    },
    watch(listener) {
      listeners.add(listener);
      return async () => void listeners.delete(listener);
    },
    ...options.forge,
  };
  const desk = makeDesk({ ...options, forge });
  const { context } = desk;
  const broker = createBroker({
    store: desk.store,
    forge: context.forge,
    policy: context.policy(),
    log: context.log,
    timers: context.timers,
    random: context.random,
    newSecret: context.newSecret,
    ...brokerOptions,
  });
  const { mirror, sweep, outbox, matcher } = broker.loops;
  return {
    ...desk,
    broker,
    issues,
    branches,
    put(number, over = {}) {
      const base = issues.get(number) ?? issue({ repository: REPOSITORY, number });
      const put = { ...base, updatedAt: desk.time.now(), ...over };
      issues.set(number, put);
      return put;
    },
    tell(change) {
      for (const listener of listeners) {
        listener({ repository: REPOSITORY, issues: [], gone: [], ...change });
      }
    },
    async idle() {
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
  };
}
