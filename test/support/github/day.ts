// A working day on GitHub in simulated time: people open issues, agents take, work, open pull requests, review and
// fix, people merge. GitHub's published limits are enforced by the double; nothing in Banto is told that it is a play.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { GithubDouble } from '../../../github-double/double.ts';
import type { Assignment } from '../../../src/broker/broker.ts';
import { BantoError } from '../../../src/core/errors.ts';
import type { Fact } from '../../../src/core/facts.ts';
import { SHOP, startSimulatedBanto } from './simulated-banto.ts';

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
  /** The most requests that were under way at once. */
  readonly atOnce: number;
  /** Memory in use by everything, the double included, after each simulated hour. */
  readonly liveMb: readonly number[];
  close(): Promise<void>;
}

interface HandOutSeen {
  /** From the lease to the answer: what branch and labels cost the agent. */
  readonly answeredMs: number;
  readonly ledger: 'written' | 'pending';
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LABELS = ['python', 'docs', 'web'];

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** What is left after everything unused was collected. */
function liveMemory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

export async function liveDay(options: DayOptions): Promise<Day> {
  const random = createRandom(options.seed ?? 7);
  const banto = await startSimulatedBanto({ webhooks: options.webhooks, random });
  const { time, github, store, broker, warnings } = banto;
  const { now, sleep } = time;
  const startedAt = now();
  const between = (least: number, most: number) => (least + random() * (most - least)) * MINUTE_MS;
  const ann = github.as('ann');
  const fleet = github.as('fleet');

  const total = options.waiting + Math.round(options.issuesPerHour * options.hours);
  const issues: number[] = [];
  const handOuts: HandOutSeen[] = [];
  const backlog: number[] = [];
  const liveMb: number[] = [];
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
      if (backlog.length % 60 === 59) liveMb.push(liveMemory());
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
    await time.runUntil(isOver, (options.hours + 3) * HOUR_MS, github.webhooks.delivered);
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
    atOnce: banto.atOnce(),
    liveMb,
    close: banto.close,
  };
}
