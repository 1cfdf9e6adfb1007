// A working day on GitHub in simulated time: people open issues, agents take, work, open pull requests, review and
// fix, people merge. GitHub's published limits are enforced by the double; nothing in Banto is told that it is a play.

import { rmSync } from 'node:fs';
import type { Assignment } from '../../../src/broker/broker.ts';
import { createBroker } from '../../../src/broker/create-broker.ts';
import { BantoError } from '../../../src/core/errors.ts';
import type { Fact } from '../../../src/core/facts.ts';
import { DEFAULT_POLICY } from '../../../src/core/settings.ts';
import { openGithubForge } from '../../../src/forge/github/github-forge.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { scratchDir } from '../scratch.ts';
import { createSimulatedTime } from '../simulated-time.ts';
import { silentLog } from '../world.ts';
import { type GithubDouble, startGithubDouble } from './double.ts';
import { SECRET } from './forge.ts';
import { startReceiver } from './receiver.ts';

export interface DayOptions {
  readonly hours: number;
  readonly agents: number;
  /** Issues that are there when the day begins. */
  readonly waiting: number;
  /** Issues that people open in an hour; each is implemented, reviewed, approved and merged. */
  readonly issuesPerHour: number;
  readonly webhooks: boolean;
  /** The share of reviews that ask for changes. */
  readonly changesShare: number;
  readonly seed?: number;
}

export interface Day {
  readonly github: GithubDouble;
  /** Simulated milliseconds from the first issue to the last merge. */
  readonly tookMs: number;
  readonly issues: readonly number[];
  readonly facts: readonly Fact[];
  readonly handOuts: readonly HandOutSeen[];
  /** Ledger writes that were due or under way, once a simulated minute. */
  readonly backlog: readonly number[];
  readonly wanted: ReadonlyMap<number, readonly string[]>;
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

interface HandOutSeen {
  /** From the lease to the answer: what branch and labels cost the agent. */
  readonly answeredMs: number;
  readonly ledger: 'written' | 'pending';
}

export const SHOP = 'octo/shop';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long GitHub takes for an answer. */
const READ_MS = 200;
const WRITE_MS = 400;
const LABELS = ['python', 'docs', 'web'];

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

export async function liveDay(options: DayOptions): Promise<Day> {
  const random = createRandom(options.seed ?? 7);
  const time = createSimulatedTime();
  const { now, sleep } = time;
  const startedAt = now();
  const between = (least: number, most: number) => (least + random() * (most - least)) * MINUTE_MS;

  const github = await startGithubDouble({ repositories: [SHOP], clock: now });
  github.setRole(SHOP, 'ann', 'write');
  const ann = github.as('ann');
  const fleet = github.as('fleet');
  const dataDir = scratchDir();
  const store = time.watched(await openSqliteStore({ dataDir, clock: { now } }));
  const warnings: string[] = [];
  const forge = openGithubForge({
    repositories: [SHOP],
    apiUrl: github.url,
    auth: { kind: 'token', token: github.token },
    webhookSecret: options.webhooks ? SECRET : null,
    now,
    after: time.timers.after,
    async fetch(url, init) {
      await sleep(init?.method === 'GET' ? READ_MS : WRITE_MS);
      return time.busy(
        (async () => {
          const answer = await fetch(url, init);
          const { status, headers } = answer;
          const body = await answer.arrayBuffer();
          return new Response([204, 304].includes(status) ? null : body, { status, headers });
        })(),
      );
    },
  });
  const receiver = await startReceiver(forge);
  if (options.webhooks) github.webhooks.pointTo({ url: receiver.url, secret: SECRET });
  const broker = createBroker({
    store,
    forge,
    policy: DEFAULT_POLICY,
    log: {
      ...silentLog,
      warn: (data, message) =>
        warnings.push(`${message}: ${String((data as { err?: unknown }).err)}`),
    },
    timers: time.timers,
    random,
  });

  const total = options.waiting + Math.round(options.issuesPerHour * options.hours);
  const issues: number[] = [];
  const handOuts: HandOutSeen[] = [];
  const backlog: number[] = [];
  let merged = 0;
  let tookMs = 0;
  let allClosed = false;
  const ended = new AbortController();
  const failures: unknown[] = [];
  const background = (work: Promise<void>) => {
    work.catch((error: unknown) => failures.push(error));
  };

  async function people(): Promise<void> {
    for (let index = 0; index < total; index += 1) {
      const label = LABELS[index % LABELS.length] ?? '';
      const body = `## Deliverables\n\n- number ${index}\n`;
      const labels = [label, index % 10 === 0 ? 'P0' : 'nice'];
      issues.push(ann.openIssue(SHOP, { title: `Issue ${index}`, body, labels }).number);
      if (index >= options.waiting) await sleep(HOUR_MS / options.issuesPerHour);
    }
  }

  async function finish(given: Assignment): Promise<void> {
    const { task, lease } = given;
    const held = { taskId: task.id, token: lease.token };
    const said = { ...held, summary: 'done', comments: [] as string[] };
    if (task.kind === 'review') {
      await sleep(between(2, 4));
      // The third round would end with a person.
      const again = random() < options.changesShare && task.round < 3;
      const verdict = again ? 'request_changes' : 'approve';
      await broker.complete({ ...said, prNumber: null, verdict, comments: again ? ['more'] : [] });
      const { prNumber } = task;
      if (again || prNumber === null) return;
      background(
        (async () => {
          await sleep(between(1, 5));
          ann.merge(SHOP, prNumber);
          merged += 1;
          if (merged === total) await evening();
        })(),
      );
      return;
    }
    await sleep(between(2, 4));
    await broker.heartbeat({ ...held, progress: 'half of it' });
    await sleep(between(2, 4));
    let { prNumber } = task;
    if (prNumber === null) {
      const pull = {
        title: given.issue.title,
        body: `Closes #${task.number}`,
        head: task.branch,
      };
      prNumber = fleet.openPull(SHOP, pull).number;
    } else fleet.push(SHOP, task.branch);
    await broker.complete({ ...said, prNumber, verdict: null });
  }

  async function agent(id: string): Promise<void> {
    while (!ended.signal.aborted) {
      const given = await broker.requestTask({
        agentId: id,
        capabilities: [...LABELS, 'review'],
        waitSeconds: 300,
        leaseSeconds: null,
        requestId: null,
        kinds: null,
        repositories: null,
        onUnfinished: 'resume',
      });
      if (given === null) continue;
      handOuts.push({ answeredMs: now() - given.lease.leasedAt, ledger: given.ledger });
      try {
        await finish(given);
      } catch (error) {
        // A person may have merged or closed meanwhile.
        if (!(error instanceof BantoError && error.code === 'lease_lost')) throw error;
      }
    }
  }

  /** The last closing has to be seen, and the last labels written. */
  async function evening(): Promise<void> {
    tookMs = now() - startedAt;
    await sleep(2 * MINUTE_MS);
    while ((await store.queue(1)).outbox.pending > 0) await sleep(1000);
    allClosed = true;
  }

  async function watchBacklog(): Promise<void> {
    while (!ended.signal.aborted) {
      backlog.push((await store.queue(1)).outbox.pending);
      await sleep(MINUTE_MS);
    }
  }

  await time.busy(broker.start());
  background(people());
  background(watchBacklog());
  for (let index = 1; index <= options.agents; index += 1) background(agent(`agent-${index}`));

  try {
    const isOver = () => failures.length > 0 || (merged === total && allClosed);
    await time.runUntil(isOver, (options.hours + 3) * HOUR_MS, github.webhooks.settled);
  } catch (error) {
    const { counts, outbox } = await store.queue(1);
    const state = JSON.stringify({ merged, total, counts, outbox, warnings: warnings.slice(-5) });
    throw new Error(`The day did not end: ${state}`, { cause: error });
  } finally {
    ended.abort();
  }
  if (failures.length > 0) throw failures[0];

  const facts: Fact[] = [];
  for (let page = await store.facts(0, 10_000); page.length > 0; ) {
    facts.push(...page);
    page = await store.facts(page.at(-1)?.seq ?? 0, 10_000);
  }
  const wanted = new Map<number, readonly string[]>();
  for (const { issue } of await store.issuesNumbered(SHOP, issues)) {
    wanted.set(issue.number, issue.wanted);
  }
  return {
    github,
    tookMs,
    issues,
    facts,
    handOuts,
    backlog,
    wanted,
    warnings,
    async close() {
      await broker.stop();
      await forge.close();
      await receiver.close();
      await store.close();
      await github.close();
      time.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}
