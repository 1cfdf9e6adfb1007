// A small world around a store under test: issues are mirrored and agents ask the way the broker does.

import { afterEach, beforeEach } from 'vitest';
import type { Fact, FactBody } from '../../../src/core/facts.ts';
import type { Issue } from '../../../src/core/issue.ts';
import { byKind, deadLedger, waitingLedger } from '../../../src/core/ledger.ts';
import { parseBucketKey, rankBuckets } from '../../../src/core/pairing/match.ts';
import type {
  ClaimInput,
  ClaimResult,
  CompleteInput,
  Ended,
  FailInput,
  FollowUp,
  HandOut,
  MirrorEntry,
  ReleaseInput,
  Store,
  SweepInput,
  TaskPlan,
} from '../../../src/core/store.ts';
import { type Task, type TaskKind, taskId } from '../../../src/core/task.ts';
import { expectFactsHold } from '../../support/invariants.ts';

export interface StoreUnderTest {
  readonly store: Store;
  /** Moves the store's clock; a negative number sets the clock it was given back. */
  readonly advance: (ms: number) => void;
  /** Closes and opens it again on the same data. */
  reopen?: () => Promise<Store>;
  readonly close: () => Promise<void>;
}
export type StoreSetup = () => Promise<StoreUnderTest>;

export const REPOSITORY = 'octo/park';
export const LEASE_SECONDS = 600;

export const idOf = (number: number, kind: TaskKind = 'implement', round = 1): string =>
  taskId({ repository: REPOSITORY, number, kind, round });

function issue(number: number, over: Partial<Issue> = {}): Issue {
  return {
    subject: 'issue',
    repository: REPOSITORY,
    number,
    title: `Issue ${number}`,
    body: '## Deliverables\nIt works.',
    url: `https://forge.example/${number}`,
    labels: ['python'],
    state: 'open',
    author: 'someone',
    createdAt: 0,
    updatedAt: 0,
    priority: null,
    blockedBy: [],
    pull: null,
    problem: null,
    ...over,
  };
}

export function plan(id: string, over: Partial<TaskPlan> = {}): TaskPlan {
  return {
    id,
    want: { state: 'ready' },
    priority: 50,
    branch: 'feature/issue',
    prNumber: null,
    reviewComments: [],
    authors: [],
    authorFirstMs: 0,
    create: true,
    ...over,
  };
}

export interface EntryOptions {
  readonly issue?: Partial<Issue>;
  readonly plan?: Partial<TaskPlan>;
  readonly plans?: readonly TaskPlan[];
  readonly labels?: readonly string[];
  readonly dependsOn?: readonly number[];
  readonly ledger?: readonly string[];
}

export function entry(number: number, options: EntryOptions = {}): MirrorEntry {
  const labels = options.labels ?? ['python'];
  return {
    issue: issue(number, { labels, ...options.issue }),
    matchLabels: labels.map((label) => label.toLowerCase()),
    dependsOn: options.dependsOn ?? [],
    plans: options.plans ?? [plan(idOf(number), options.plan)],
    ...(options.ledger === undefined ? {} : { ledger: options.ledger }),
  };
}

export function followUp(id: string, over: Partial<FollowUp> = {}): FollowUp {
  return {
    id,
    state: 'ready',
    reason: null,
    delayMs: 0,
    priority: 100,
    authorFirstMs: 0,
    reviewComments: [],
    ...over,
  };
}

export const sweepInput = (over: Partial<SweepInput> = {}): SweepInput => ({
  limit: 100,
  maxAttempts: 3,
  ledger: byKind(waitingLedger),
  deadLedger: byKind(deadLedger),
  factsKeptMs: 1e12,
  resultsKeptMs: 1e12,
  ...over,
});

export interface World extends StoreUnderTest {
  readonly mirror: (...entries: MirrorEntry[]) => Promise<void>;
  readonly claim: (agentId: string, over?: Partial<ClaimInput>) => Promise<ClaimResult>;
  /** A claim that must be granted. */
  readonly take: (agentId: string, over?: Partial<ClaimInput>) => Promise<HandOut>;
  readonly complete: (handOut: HandOut, over?: Partial<CompleteInput>) => Promise<Ended>;
  readonly fail: (handOut: HandOut, over?: Partial<FailInput>) => Promise<Ended>;
  readonly release: (handOut: HandOut, over?: Partial<ReleaseInput>) => Promise<Ended>;
  readonly task: (id: string) => Promise<Task>;
  readonly facts: () => Promise<Fact[]>;
  /** Facts of one task without their heads. */
  readonly history: (id: string) => Promise<FactBody[]>;
}

let tokens = 0;

export function createWorld(under: StoreUnderTest): World {
  const { store } = under;

  async function claim(agentId: string, over: Partial<ClaimInput> = {}): Promise<ClaimResult> {
    const capabilities = over.capabilities ?? ['python'];
    for (;;) {
      const unlearned = new Set((await store.registry()).unlearned);
      const fresh = capabilities.filter((name) => unlearned.has(name));
      if (fresh.length > 0) await store.learn(fresh);
      const registry = await store.registry();
      const seeker = { agentId, capabilities, kinds: null, repositories: null };
      const buckets = registry.buckets.map((key) => [key, parseBucketKey(key)] as const);
      tokens += 1;
      const result = await store.claim({
        agentId,
        capabilities,
        requestId: null,
        token: `token-${tokens}`,
        leaseSeconds: LEASE_SECONDS,
        groups: rankBuckets(
          seeker,
          buckets.map(([key, bucket]) => [key, bucket]),
        ),
        registryVersion: registry.version,
        writeLockMs: 5_000,
        ...over,
      });
      if (result.outcome !== 'stale' || over.registryVersion !== undefined) return result;
    }
  }

  const world: World = {
    ...under,
    mirror: (...entries) => store.mirror(entries),
    claim,
    async take(agentId, over) {
      const result = await claim(agentId, over);
      if (result.outcome !== 'leased') throw new Error(`${agentId} got ${result.outcome}`);
      return result.handOut;
    },
    complete: (handOut, over) =>
      store.complete({
        taskId: handOut.task.id,
        token: handOut.lease.token,
        summary: 'did it',
        prNumber: null,
        verdict: null,
        comments: [],
        followUp: null,
        ledger: ['needs-review'],
        ...over,
      }),
    fail: (handOut, over) =>
      store.fail({
        taskId: handOut.task.id,
        token: handOut.lease.token,
        reason: 'it broke',
        retryable: true,
        retryDelaysMs: [30_000, 60_000],
        delayMs: null,
        ledger: [],
        deadLedger: ['needs-human'],
        ...over,
      }),
    release: (handOut, over) =>
      store.release({
        taskId: handOut.task.id,
        token: handOut.lease.token,
        reason: null,
        ledger: [],
        ...over,
      }),
    async task(id) {
      const detail = await store.task(id);
      if (detail === null) throw new Error(`${id} is unknown`);
      return detail.task;
    },
    facts: () => store.facts(0, 100_000),
    async history(id) {
      const detail = await store.task(id);
      return (detail?.history ?? []).map(({ seq: _seq, at: _at, ...body }) => body);
    },
  };
  const { reopen } = under;
  if (reopen !== undefined) {
    world.reopen = async () => {
      const store = await reopen();
      Object.assign(world, createWorld({ ...under, store }));
      return store;
    };
  }
  return world;
}

/** A fresh world for each test; after it, the invariants must hold in everything that was recorded. */
export function useWorld(setup: StoreSetup): () => World {
  let world: World;
  beforeEach(async () => {
    world = createWorld(await setup());
  });
  afterEach(async () => {
    const facts = await world.facts();
    await world.close();
    expectFactsHold(facts);
  });
  return () => world;
}

/** Twenty at once; the answers in order. */
export function twenty<T>(call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: 20 }, (_, index) => call(index)));
}
