// A whole Banto under random faults: agents that die, answers lost after the step, a forge that hangs up, a
// clock that jumps, people who edit. Safety is checked all along; then everything heals, and progress is
// required. A seed reproduces any run: SIMULATION_SEED=7.

import { afterEach, describe, expect, it } from 'vitest';
import type { Assignment } from '../../src/broker/broker.ts';
import { BantoError } from '../../src/core/errors.ts';
import { checkInvariants } from '../support/invariants.ts';
import { makeWorld, type World } from '../support/world.ts';
import { createFaults } from './faults.ts';

const ISSUES = 6;
/** The last one only reviews: with everybody an author, nobody would be left to review. */
const AGENTS = ['hana', 'kenji', 'taro', 'yuki', 'rei'];
const capabilitiesOf = (id: string) => (id === 'rei' ? ['review'] : ['python', 'review']);
const STEPS = 60;
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
  /** The request it repeats until it hears an answer. */
  requestId: number;
  task: Assignment | null;
  /** What it repeats until it hears an answer. */
  ending: 'complete' | 'fail' | 'release' | null;
}

/** What an agent may hear of a fault: try again later. Anything else is a bug. */
async function tolerant<T>(call: () => Promise<T>): Promise<T | 'busy' | 'lease_lost'> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof BantoError && (error.code === 'busy' || error.code === 'lease_lost')) {
      return error.code;
    }
    throw error;
  }
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
    const result = { summary: null, prNumber: null, verdict, comments: [] } as const;
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
  const answer = await tolerant(() =>
    world.request(agent.id, {
      capabilities: capabilitiesOf(agent.id),
      requestId: `${agent.id}-${agent.requestId}`,
      onUnfinished: random() < 0.5 ? 'release' : 'resume',
      leaseSeconds: 60,
    }),
  );
  if (answer === 'busy' || answer === 'lease_lost') return;
  agent.requestId += 1;
  agent.task = answer;
}

/** Loops fail alone and go on; here their failure is part of the game. */
async function turn(): Promise<void> {
  await tolerant(() => world.broker.loops.mirror.fullPass());
  await world.broker.loops.sweep.runOnce();
  await world.broker.loops.outbox.runOnce();
}

async function live(seed: number): Promise<number> {
  const random = createRandom(seed);
  const faults = createFaults(random, 0.12);
  world = await makeWorld({
    ...faults,
    policy: { reviewDelaySeconds: 30, authorFirstSeconds: 30, maxAttempts: 50, maxReviewRounds: 4 },
  });
  for (let number = 1; number <= ISSUES; number += 1) await world.repository.write(number);
  const agents = AGENTS.map((id): Agent => ({ id, requestId: 1, task: null, ending: null }));
  for (let step = 0; step < STEPS; step += 1) {
    world.time.advance(random() < 0.05 ? 120_000 : Math.floor(random() * 8000));
    if (random() < 0.3) await turn();
    const agent = agents[Math.floor(random() * agents.length)];
    if (agent !== undefined) await act(agent, random);
  }

  faults.heal();
  for (let round = 0; round < HEALING_ROUNDS; round += 1) {
    world.time.advance(61_000);
    await turn();
    for (const agent of agents) {
      const task = await world.request(agent.id, {
        capabilities: capabilitiesOf(agent.id),
        onUnfinished: 'release',
      });
      agent.task = task;
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
