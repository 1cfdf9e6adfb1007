// An afternoon of a fleet in a few seconds: a real Banto whose store's clock is moved by hand, until it is now.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assignment } from '../../src/broker/broker.ts';
import { createBroker } from '../../src/broker/create-broker.ts';
import type { Forge } from '../../src/core/forge.ts';
import type { Issue } from '../../src/core/issue.ts';
import { DEFAULT_POLICY } from '../../src/core/settings.ts';
import type { Usage } from '../../src/core/usage.ts';
import { createHttpDoor } from '../../src/doors/http/door.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { shopIssues } from './backlog.ts';

const MINUTE = 60_000;
const STEP_MS = MINUTE / 2;
const HOURS = 5;

interface Worker {
  readonly id: string;
  readonly capabilities: readonly string[];
  /** How long its work takes, in minutes: from, to. */
  readonly takes: readonly [number, number];
  readonly model: string;
}

const FLEET: readonly Worker[] = [
  {
    id: 'hinoki-1',
    capabilities: ['checkout', 'ledger', 'frontend', 'catalog'],
    takes: [18, 42],
    model: 'opus',
  },
  {
    id: 'sugi-2',
    capabilities: ['frontend', 'forms', 'i18n', 'a11y'],
    takes: [20, 50],
    model: 'opus',
  },
  {
    id: 'matsu-1',
    capabilities: ['tax', 'payments', 'tests', 'api'],
    takes: [15, 45],
    model: 'gpt',
  },
  { id: 'keyaki-1', capabilities: ['review', 'search'], takes: [8, 20], model: 'sonnet' },
  { id: 'ume-1', capabilities: ['docs', 'api', 'review'], takes: [12, 34], model: 'sonnet' },
  {
    id: 'take-1',
    capabilities: ['catalog', 'search', 'chore', 'mail'],
    takes: [14, 40],
    model: 'flash',
  },
];

const NOTES = ['reading the code', 'writing a test', 'one test left', 'all tests pass'];
const FAILURES = ['the test database is locked', 'e2e: the page did not load in 30 s'];
/** This one fails until it is given up; this agent is not heard of any more. */
const HOPELESS = 388;
/** What a model costs for a minute of work. */
const DOLLARS: Readonly<Record<string, number>> = {
  opus: 0.07,
  gpt: 0.05,
  sonnet: 0.03,
  flash: 0.01,
};
const ASKS = {
  id: 'matsu-1',
  beforeEndMs: 9 * MINUTE,
  question:
    'Old invoices round the total, the new tax table rounds each line. Round each line now, or keep the total for orders placed before 1 April?',
};
const LOG = [
  '$ git switch feature/issue',
  'edit src/form.ts',
  'run npm test -- form',
  '✓ 12 passed',
  '✗ 1 failed: keeps its value after back',
  'edit test/form.test.ts',
];
const LEAVES = { id: 'take-1', beforeEndMs: 45 * MINUTE };

/** The same afternoon every time. */
function createDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 12)) >>> 0) / 4_294_967_296;
  };
}

/** `ledger`: the labels that Banto wrote, by issue. */
function createShopForge(
  issues: readonly Issue[],
  ledger: Map<string, readonly string[]>,
  now: () => number,
): Forge {
  const budget = () => ({
    limit: 5000,
    remaining: 3912,
    resetAt: now() + 23 * MINUTE,
    blockedUntil: null,
  });
  return {
    kind: 'github',
    repositories: [...new Set(issues.map(({ repository }) => repository))],
    hasPullRequests: false,
    list: async function* () {},
    changes: async (repository) => ({ change: { repository, issues: [], gone: [] }, cursor: null }),
    watch: () => async () => undefined,
    read: async (repository, number) =>
      issues.find((issue) => issue.repository === repository && issue.number === number) ?? null,
    createBranch: async () => 'created',
    hasBranch: async () => false,
    async setLabels(repository, number, { add, remove }) {
      const key = `${repository}#${number}`;
      const before = (ledger.get(key) ?? []).filter((label) => !remove.includes(label));
      ledger.set(key, [...new Set([...before, ...add])]);
    },
    comment: async () => undefined,
    check: async () => undefined,
    defaultBranch: async () => 'main',
    budget: async () => budget(),
    close: async () => undefined,
  };
}

interface Work {
  readonly assignment: Assignment;
  readonly startedAt: number;
  readonly endsAt: number;
}

export async function playAfternoon(): Promise<{ url: string; stop(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'banto-pictures-'));
  const telemetry = createTelemetry({ level: 'silent' });
  let at = Date.now() - HOURS * 60 * MINUTE;
  let isLive = false;
  const clock = { now: () => (isLive ? Date.now() : at) };
  const issues = shopIssues();
  const ledger = new Map<string, readonly string[]>();
  const store = await openSqliteStore({ dataDir, clock });
  const broker = createBroker({
    store,
    forge: createShopForge(issues, ledger, clock.now),
    policy: { ...DEFAULT_POLICY, maxCostPerTaskUsd: 6, maxCostPerDayUsd: 90 },
    log: telemetry.log,
    // Nothing happens by itself before the afternoon has come to now.
    timers: { after: () => () => undefined },
    random: () => 0.5,
  });
  const settings = { host: '127.0.0.1', port: 0, tokensRequired: false, version: '0.1.0' };
  const door = createHttpDoor({ broker, settings, telemetry });
  await broker.start();

  const dice = createDice(7);
  const between = ([from, to]: readonly [number, number]) => (from + dice() * (to - from)) * MINUTE;
  const working = new Map<string, Work>();
  const end = Date.now();
  const merged = new Set<Issue>();
  let gone = false;
  let asked = false;
  const callOf = ({ assignment: { task, lease } }: Work) => ({
    taskId: task.id,
    token: lease.token,
  });

  async function ask(worker: Worker): Promise<void> {
    const assignment = await broker.requestTask({
      agentId: worker.id,
      capabilities: worker.capabilities,
      waitSeconds: 0,
      leaseSeconds: 600,
      requestId: null,
      kinds: null,
      repositories: null,
      onUnfinished: 'resume',
    });
    if (assignment === null) return;
    working.set(worker.id, { assignment, startedAt: at, endsAt: at + between(worker.takes) });
  }

  function usageOf({ model }: Worker, { startedAt }: Work): Usage {
    const minutes = (at - startedAt) / MINUTE;
    return {
      model,
      inputTokens: Math.round(minutes * 48_000),
      outputTokens: Math.round(minutes * 1_600),
      cachedTokens: Math.round(minutes * 40_000),
      costUsd: Math.round(minutes * (DOLLARS[model] ?? 0) * 100) / 100,
      turns: Math.round(minutes * 1.5),
      sessionId: null,
    };
  }

  async function finish(worker: Worker, work: Work): Promise<void> {
    working.delete(worker.id);
    const { task, lease } = work.assignment;
    const usage = usageOf(worker, work);
    const call = { taskId: task.id, token: lease.token, usage };
    if (task.number === HOPELESS || dice() < 0.12) {
      const reason =
        task.number === HOPELESS
          ? 'coupon_stack_spec fails, discount applied twice'
          : (FAILURES[Math.floor(dice() * FAILURES.length)] ?? '');
      await broker.fail({ ...call, reason, retryable: true, delaySeconds: null });
      return;
    }
    const asksMore = task.kind === 'review' && task.round === 1 && dice() < 0.3;
    await broker.complete({
      ...call,
      summary: task.kind === 'review' ? 'Looks good.' : `Done on ${task.branch}.`,
      prNumber: task.kind === 'implement' ? task.number + 21 : null,
      verdict: task.kind === 'review' ? (asksMore ? 'request_changes' : 'approve') : null,
      comments: asksMore ? ['Please add a test for an empty cart.'] : [],
    });
  }

  async function turn(worker: Worker): Promise<void> {
    const work = working.get(worker.id);
    if (worker.id === LEAVES.id && at > end - LEAVES.beforeEndMs && (work !== undefined || gone)) {
      gone = true;
      return;
    }
    if (work === undefined) return ask(worker);
    if (worker.id === ASKS.id && at > end - ASKS.beforeEndMs) {
      if (!asked) await broker.ask({ ...callOf(work), question: ASKS.question });
      asked = true;
      return;
    }
    if (at >= work.endsAt && at < end - 2 * MINUTE) return finish(worker, work);
    const { task, lease } = work.assignment;
    const share = (at - work.startedAt) / (work.endsAt - work.startedAt);
    const progress = NOTES[Math.min(NOTES.length - 1, Math.floor(share * NOTES.length))] ?? null;
    try {
      await broker.heartbeat({
        taskId: task.id,
        token: lease.token,
        progress,
        usage: usageOf(worker, work),
      });
    } catch {
      working.delete(worker.id);
    }
  }

  for (let step = 0; at < end - STEP_MS; step += 1) {
    // A few issues are there at noon; others come in, and some are closed when they are approved.
    if (step % 24 === 0) await mirrorAll(issues.slice(0, 12 + Math.floor(step / 14)));
    await broker.loops.sweep.runOnce();
    for (const worker of FLEET) await turn(worker);
    await broker.loops.outbox.runOnce();
    if (step % 40 === 39) await closeApproved();
    at = Math.min(at + STEP_MS, end);
  }

  async function mirrorAll(some: readonly Issue[]): Promise<void> {
    const open = some.filter((issue) => !merged.has(issue));
    for (const [repository, theirs] of Map.groupBy(open, (issue) => issue.repository)) {
      const shown = theirs.map((issue) => ({
        ...issue,
        labels: [...issue.labels, ...(ledger.get(`${repository}#${issue.number}`) ?? [])],
        createdAt: at,
        updatedAt: at,
      }));
      await broker.loops.mirror.take({ repository, issues: shown, gone: [] });
    }
  }

  /** People merge what was approved, except what came last. */
  async function closeApproved(): Promise<void> {
    const { approved } = await broker.activity();
    for (const { task } of await broker.tasksNamed(approved.slice(2))) {
      const issue = issues.find(
        (each) => each.repository === task.repository && each.number === task.number,
      );
      if (issue === undefined || merged.has(issue)) continue;
      merged.add(issue);
      const closed = { ...issue, state: 'closed' as const, updatedAt: at };
      await broker.loops.mirror.take({ repository: task.repository, issues: [closed], gone: [] });
    }
  }

  for (const work of working.values()) {
    const text = `${LOG.join('\n')}\n`;
    await broker.appendLog({ ...callOf(work), offset: 0, text });
  }
  isLive = true;
  const url = await door.listen();
  return {
    url,
    async stop() {
      await Promise.all([door.close(), broker.stop()]);
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
