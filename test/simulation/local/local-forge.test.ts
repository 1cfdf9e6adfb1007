// The simulation with a real git repository and a real file: a small fleet under random faults. Agents that die, that share a name, that wait twice, that give up and ask again;
// answers lost after the step, a forge that hangs up, a clock that jumps, operators who pause. Safety is checked all along; then everything heals, and progress is
// required. A seed reproduces any run: SIMULATION_SEED=7.

import { afterEach, describe, expect, it } from 'vitest';
import type { Assignment, TaskRequest } from '../../../src/broker/broker.ts';
import { BantoError, type ErrorCode } from '../../../src/core/errors.ts';
import type { Fact } from '../../../src/core/facts.ts';
import { checkInvariants } from '../../support/invariants.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { createFaults } from './faults.ts';

const ISSUES = 6;
/** Some names are there twice: two processes that know nothing of each other. One only reviews: with everybody an author, nobody would be left to review. */
const AGENTS = ['hana', 'kenji', 'taro', 'yuki', 'rei', 'hana', 'kenji'];
const capabilitiesOf = (id: string) => (id === 'rei' ? ['review'] : ['python', 'review']);
const FLAGS = ['maintenance', 'maintenance:hana', 'maintenance:repo'];
const STEPS = 90;
const HEALING_ROUNDS = 80;
const only = process.env['SIMULATION_SEED'];
const SEEDS =
  only === undefined ? Array.from({ length: 12 }, (_, index) => index + 1) : [Number(only)];

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

let world: World;
afterEach(() => world.close());

interface Agent {
  readonly id: string;
  /** What it says of its work: another process with the same id says something else. */
  readonly summary: string;
  /** The request it repeats until it hears an answer. */
  requestId: number;
  task: Assignment | null;
  /** What it repeats until it hears an answer. */
  ending: 'complete' | 'fail' | 'release' | null;
}

const EXPECTED = ['busy', 'maintenance', 'lease_lost', 'conflict', 'too_many_requests'] as const;
type Refusal = (typeof EXPECTED)[number];
const isExpected = (code: ErrorCode): code is Refusal =>
  (EXPECTED as readonly string[]).includes(code);

/** What an agent may hear: try again later, or that somebody was faster. Anything else is a bug. */
async function tolerant<T>(call: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof BantoError && isExpected(error.code)) return error.code;
    throw error;
  }
}

/** Fences of the leases that some process was told of. */
let heard: Set<number>;
/** Requests that wait while their process does something else. */
let waits: Promise<void>[];

function requestOf(agent: Agent, over: Partial<TaskRequest>): TaskRequest {
  return {
    agentId: agent.id,
    capabilities: capabilitiesOf(agent.id),
    waitSeconds: 0,
    leaseSeconds: 60,
    requestId: `${agent.summary}-${agent.requestId}`,
    kinds: null,
    repositories: null,
    onUnfinished: 'resume',
    ...over,
  };
}

async function hear(agent: Agent, given: Assignment | null | Refusal): Promise<void> {
  if (typeof given === 'string') return;
  agent.requestId += 1;
  if (given === null) return;
  heard.add(given.lease.fence);
  agent.task = given;
  await world.broker.answered(given);
}

/** The process asks, does not wait for the answer, and hears nothing of it. */
async function giveUp(agent: Agent, request: TaskRequest, random: () => number): Promise<void> {
  const gone = new AbortController();
  const answer = tolerant(() => world.broker.requestTask(request, gone.signal));
  for (let turns = Math.floor(random() * 6); turns > 0; turns -= 1) await new Promise(setImmediate);
  gone.abort();
  await answer;
  // Its next request is a repetition of this one, or another one.
  if (random() < 0.5) agent.requestId += 1;
}

async function finish(agent: Agent, random: () => number): Promise<void> {
  const { task } = agent;
  if (task === null) return;
  agent.ending ??= random() < 0.7 ? 'complete' : random() < 0.6 ? 'fail' : 'release';
  const held = { taskId: task.task.id, token: task.lease.token };
  const review = task.task.kind === 'review';
  const verdict = review ? (task.task.number % 2 === 0 ? 'approve' : 'request_changes') : null;
  const { ending } = agent;
  const said = await tolerant(() => {
    if (ending === 'fail') {
      return world.broker.fail({ ...held, reason: 'x', retryable: true, delaySeconds: null });
    }
    if (ending === 'release') return world.broker.release({ ...held, reason: null });
    const { summary } = agent;
    const comments = verdict === 'request_changes' ? ['once more, please'] : [];
    const result = { summary, prNumber: null, verdict, comments } as const;
    return world.broker.complete({ ...held, ...result });
  });
  if (said === 'busy') return;
  agent.task = null;
  agent.ending = null;
}

async function act(agent: Agent, random: () => number): Promise<void> {
  if (agent.task !== null) {
    const choice = random();
    const { task } = agent;
    // It dies and is started again: it remembers nothing but its name.
    if (choice < 0.1) agent.task = agent.ending = null;
    else if (choice < 0.4 && agent.ending === null) {
      const beat = { taskId: task.task.id, token: task.lease.token, progress: 'going on' };
      const said = await tolerant(() => world.broker.heartbeat(beat));
      if (said === 'lease_lost') agent.task = null;
    } else await finish(agent, random);
    return;
  }
  const how = random();
  const request = requestOf(agent, {
    onUnfinished: how < 0.3 ? 'release' : how < 0.6 ? 'resume' : 'complete',
    ...(random() < 0.3 ? { requestId: null } : {}),
  });
  const choice = random();
  if (choice < 0.25) return giveUp(agent, request, random);
  if (choice < 0.45) {
    const waiting = { ...request, waitSeconds: 1 + Math.floor(random() * 30) };
    const poll = tolerant(() => world.broker.requestTask(waiting));
    waits.push(poll.then((given) => hear(agent, given)));
    return;
  }
  await hear(agent, await tolerant(() => world.broker.requestTask(request)));
}

/** Only what some process was told of may be completed by asking for more. */
function completedUnheard(facts: readonly Fact[]): Fact[] {
  return facts.filter(
    (fact) =>
      fact.type === 'completed' &&
      fact.summary?.startsWith('finished: the agent asked') === true &&
      !heard.has(fact.fence),
  );
}

/** Loops fail alone and go on; here their failure is part of the game. */
async function turn(): Promise<void> {
  await tolerant(() => world.broker.loops.mirror.fullPass());
  await world.broker.loops.sweep.runOnce();
  await world.broker.loops.outbox.runOnce();
  await world.broker.loops.matcher.runOnce();
}

async function live(seed: number): Promise<number> {
  const random = createRandom(seed);
  const faults = createFaults(random, 0.12);
  heard = new Set();
  waits = [];
  world = await makeWorld({
    ...faults,
    policy: { reviewDelaySeconds: 30, authorFirstSeconds: 30, maxAttempts: 50, maxReviewRounds: 4 },
  });
  for (let number = 1; number <= ISSUES; number += 1) await world.repository.write(number);
  const agents = AGENTS.map(
    (id, index): Agent => ({
      id,
      summary: `${id}-${index}`,
      requestId: 1,
      task: null,
      ending: null,
    }),
  );
  for (let step = 0; step < STEPS; step += 1) {
    world.time.advance(random() < 0.05 ? 120_000 : Math.floor(random() * 8000));
    if (random() < 0.3) await turn();
    const flag = FLAGS[Math.floor(random() * FLAGS.length)] ?? '';
    if (random() < 0.1) await world.broker.putFlag(flag, random() < 0.5);
    const agent = agents[Math.floor(random() * agents.length)];
    if (agent !== undefined) await act(agent, random);
  }

  faults.heal();
  for (const flag of FLAGS) await world.broker.putFlag(flag, false);
  world.time.advance(61_000);
  await Promise.all(waits);
  for (let round = 0; round < HEALING_ROUNDS; round += 1) {
    world.time.advance(61_000);
    await turn();
    for (const agent of agents) {
      const request = requestOf(agent, { onUnfinished: 'release', requestId: null });
      agent.task = null;
      await hear(agent, await world.broker.requestTask(request));
      agent.ending = 'complete';
      await finish(agent, random);
    }
    const { counts } = await world.broker.queue();
    const open = counts.filter((row) => row.count > 0 && !['done', 'dead'].includes(row.state));
    if (open.length === 0) break;
  }
  await turn();
  return faults.count();
}

describe('a fleet under faults', () => {
  it.each(SEEDS)(
    'keeps its promises and finishes its work (seed %i)',
    { timeout: 120_000 },
    async (seed) => {
      const faults = await live(seed);
      expect(faults).toBeGreaterThan(5);
      const facts = await world.store.facts(0, 100_000);
      const { tasks } = await world.store.tasks({ limit: 200 });
      const states = new Map(tasks.map((task) => [task.id, task.state]));
      expect(checkInvariants(facts, states)).toEqual([]);
      expect(completedUnheard(facts)).toEqual([]);
      // Progress: every issue was approved, or ended with a person.
      expect(tasks.filter((task) => !['done', 'dead'].includes(task.state))).toEqual([]);
      for (let number = 1; number <= ISSUES; number += 1) {
        const labels = await world.repository.labels(number);
        expect(['approved', 'needs-human']).toContain(labels.at(-1));
        expect(labels).toHaveLength(2);
      }
    },
  );
});
