// The parts of a hand-out on a store in memory, for tests of one part at a time: a clock that the test moves, a
// forge that takes every write and remembers it, and a log that can be read.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../src/broker/context.ts';
import type { Forge } from '../../src/core/forge.ts';
import { bareTemplates } from '../../src/core/prompt/prompt-template.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/core/settings.ts';
import type { Store } from '../../src/core/store.ts';
import type { Ticket } from '../../src/core/ticket.ts';
import { createWorld, type World } from '../contract/store/world.ts';
import { createFakeTime, type FakeTime } from './fake-time.ts';
import { createMapArchive } from './memory-store/map-archive.ts';
import { createMemoryStore } from './memory-store/memory-store.ts';

export interface Desk extends World {
  readonly time: FakeTime;
  readonly context: Context;
  /** What was asked of the forge, oldest first. */
  readonly asked: string[];
  /** Messages of the level `warn` and above. */
  readonly warnings: string[];
  ticket(agentId: string, over?: Partial<Ticket>): Ticket;
  /** Lets everything that is under way come to its end, or to where it waits for the time. */
  rest(): Promise<void>;
  /** Moves the time in steps, so that what falls due can do its work. */
  pass(ms: number): Promise<void>;
}

export interface DeskOptions {
  readonly policy?: Partial<Policy>;
  /** Only for what a store in memory cannot do, such as failing. */
  readonly wrapStore?: (store: Store) => Store;
  readonly forge?: Partial<Forge>;
  readonly instanceId?: string;
  /** Another instance beside this one. */
  readonly beside?: Desk;
}

const TURNS = 25;
const STEP_MS = 500;

export function makeDesk(options: DeskOptions = {}): Desk {
  const time = options.beside?.time ?? createFakeTime();
  const opened = options.beside?.store ?? createMemoryStore(createMapArchive(), { clock: time });
  const store = options.wrapStore?.(opened) ?? opened;
  const policy = { ...DEFAULT_POLICY, ...options.policy };
  const asked: string[] = [];
  const warnings: string[] = [];
  let secrets = 0;
  let tickets = 0;
  const warn = (_data: object, message: string) => warnings.push(message);
  const forge: Forge = {
    kind: 'local',
    repositories: ['octo/park'],
    hasPullRequests: false,
    list: async function* () {},
    changes: async (repository) => ({ change: { repository, issues: [], gone: [] }, cursor: null }),
    watch: () => async () => undefined,
    read: async () => null,
    hasBranch: async () => false,
    async createBranch(_repository, branch) {
      asked.push(`branch ${branch}`);
      return 'created';
    },
    async setLabels(_repository, number, { add, remove }) {
      asked.push(
        `labels of #${number}: ${[...add.map((l) => `+${l}`), ...remove.map((l) => `-${l}`)].join(' ')}`,
      );
    },
    async comment(_repository, number, key) {
      asked.push(`comment on #${number}: ${key}`);
    },
    check: async () => undefined,
    defaultBranch: async () => 'main',
    close: async () => undefined,
    ...options.forge,
  };
  const context: Context = {
    store,
    forge,
    policy: () => policy,
    prompts: bareTemplates(),
    instanceId: options.instanceId ?? 'here',
    timers: time.timers,
    random: () => 0.5,
    newSecret: () => `${options.instanceId ?? 'here'}-secret-${(secrets += 1)}`,
    log: { debug: () => undefined, info: () => undefined, warn, error: warn },
    reached: () => undefined,
  };

  async function rest(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
  }

  return {
    ...createWorld({ store, advance: time.advance, close: () => store.close() }),
    time,
    context,
    asked,
    warnings,
    ticket: (agentId, over = {}) => ({
      id: `ticket-${(tickets += 1)}-${context.instanceId}`,
      requestId: `request-${tickets}-${context.instanceId}`,
      agentId,
      capabilities: ['python'],
      kinds: null,
      repositories: null,
      leaseSeconds: 600,
      instanceId: context.instanceId,
      createdAt: time.now(),
      ...over,
    }),
    rest,
    async pass(ms) {
      for (let left = ms; left > 0; left -= STEP_MS) {
        time.advance(Math.min(STEP_MS, left));
        await rest();
      }
    },
  };
}
