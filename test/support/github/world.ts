// A whole Banto on the double, without its doors: real SQLite, real HTTP to GitHub, a clock that the test moves for
// all of them. The loops do not run by themselves.

import type { Person } from '../../../github-double/acts/person.ts';
import {
  type DoubleOptions,
  type GithubDouble,
  startGithubDouble,
} from '../../../github-double/double.ts';
import type { Assignment, TaskRequest } from '../../../src/broker/broker.ts';
import { createBroker, type RunningBroker } from '../../../src/broker/create-broker.ts';
import { DEFAULT_POLICY, type Policy } from '../../../src/core/settings.ts';
import type { Store } from '../../../src/core/store.ts';
import type { GithubForge, GithubForgeOptions } from '../../../src/forge/github/github-forge.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { createFakeTime, type FakeTime } from '../fake-time.ts';
import { checkInvariants } from '../invariants.ts';
import { scratchDir } from '../scratch.ts';
import { silentLog } from '../world.ts';
import { forgeOn } from './forge.ts';

export const SHOP = 'octo/shop';

export interface GithubWorld {
  readonly github: GithubDouble;
  readonly forge: GithubForge;
  readonly store: Store;
  readonly broker: RunningBroker;
  readonly time: FakeTime;
  /** Ann may write to the repository. */
  readonly ann: Person;
  /** An issue that suits an agent with the capability `python`. */
  openIssue(over?: { title?: string; body?: string; labels?: string[]; by?: string }): number;
  /** As a door does it: the answer is given, and then marked as given. */
  request(agentId: string, over?: Partial<TaskRequest>): Promise<Assignment | null>;
  /** One full pass of the mirror, then sweep, outbox and matcher. */
  runUntilIdle(): Promise<void>;
  /** The same with what changed only. */
  poll(): Promise<void>;
  /** Hands deliveries to the forge in this order and waits until it has looked at all of them. */
  deliver(deliveries: readonly { readonly event: string; readonly body: string }[]): Promise<void>;
  /** Moves time on and works until no ledger write is left. */
  converge(): Promise<void>;
  /** What the issue shows, and what the store wants there (I6). */
  ledger(number: number): Promise<{ shown: string[]; wanted: string[] }>;
  states(): Promise<Record<string, string>>;
  /** Broken invariants, from the facts. */
  violations(): Promise<unknown[]>;
  close(): Promise<void>;
}

export interface GithubWorldOptions {
  readonly policy?: Partial<Policy>;
  readonly double?: DoubleOptions;
  readonly forge?: Partial<GithubForgeOptions>;
  /** Banto is an App, not a person with a token. */
  readonly asApp?: boolean;
}

const STEP_MS = 5000;
const MOST_STEPS = 200;

export async function makeGithubWorld(options: GithubWorldOptions = {}): Promise<GithubWorld> {
  const time = createFakeTime();
  const github = await startGithubDouble({
    repositories: [SHOP],
    limits: false,
    clock: time.now,
    ...options.double,
  });
  github.setRole(SHOP, 'ann', 'write');
  const scratch = scratchDir();
  const store = await openSqliteStore({ dataDir: scratch, clock: time });
  const { id: appId, privateKey, installationId } = github.app;
  const forge = forgeOn(github, {
    ...(options.asApp === true
      ? { auth: { kind: 'app', appId, privateKey, installationId } as const }
      : {}),
    now: time.now,
    after: time.timers.after,
    ...options.forge,
  });
  const broker = createBroker({
    store,
    forge,
    policy: { ...DEFAULT_POLICY, ...options.policy },
    log: silentLog,
    timers: time.timers,
    random: () => 0.5,
  });
  const { mirror, sweep, outbox, matcher } = broker.loops;
  let cursor: string | null = null;
  let taken: Promise<void> = Promise.resolve();
  forge.watch((change) => {
    broker.loops.replies.hint(change);
    taken = taken.then(() => mirror.take(change));
  });

  const work = async () => {
    await sweep.runOnce();
    await outbox.runOnce();
    await matcher.runOnce();
  };

  return {
    github,
    forge,
    store,
    broker,
    time,
    ann: github.as('ann'),
    openIssue({
      title = 'An issue',
      body = '## Deliverables\n\n- it',
      labels = ['python'],
      by = 'ann',
    } = {}) {
      return github.as(by).openIssue(SHOP, { title, body, labels }).number;
    },
    async request(agentId, over = {}) {
      const given = await broker.requestTask({
        agentId,
        capabilities: ['python'],
        waitSeconds: 0,
        leaseSeconds: 86_400,
        requestId: null,
        kinds: null,
        repositories: null,
        onUnfinished: 'complete',
        ...over,
      });
      if (given !== null) await broker.answered(given);
      return given;
    },
    async runUntilIdle() {
      await mirror.fullPass();
      await work();
    },
    async poll() {
      const next = await forge.changes(SHOP, cursor);
      await mirror.take(next.change);
      cursor = next.cursor;
      await work();
    },
    async deliver(deliveries) {
      for (const { event, body } of deliveries) forge.webhook?.receive(event, JSON.parse(body));
      await forge.readHints();
      await taken;
    },
    async converge() {
      for (let step = 0; step < MOST_STEPS; step += 1) {
        time.advance(STEP_MS);
        await work();
        if ((await store.queue(1)).outbox.pending === 0) return;
      }
      throw new Error('the ledger did not converge');
    },
    async ledger(number) {
      const [known] = await store.issuesNumbered(SHOP, [number]);
      return {
        shown: github.labels(SHOP, number).toSorted(),
        wanted: [...(known?.issue.wanted ?? [])].toSorted(),
      };
    },
    async states() {
      const { tasks } = await store.tasks({ limit: 200 });
      return Object.fromEntries(
        tasks.map((task) => [
          task.id.replace('octo~shop~', ''),
          task.reason === null ? task.state : `${task.state}: ${task.reason}`,
        ]),
      );
    },
    async violations() {
      const { tasks } = await store.tasks({ limit: 200 });
      const facts = await store.facts(0, 100_000);
      return checkInvariants(facts, new Map(tasks.map((task) => [task.id, task.state])));
    },
    async close() {
      await broker.stop();
      await forge.close();
      await store.close();
      await github.close();
    },
  };
}
