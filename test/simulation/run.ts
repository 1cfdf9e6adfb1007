// One run: steps with faults among them, and after every so many of them peace, in which everything must come to its end.

import { type Agent, createAgent } from './actors/agents.ts';
import { createOperator } from './actors/operator.ts';
import { createPeople } from './actors/people.ts';
import { offerProblem } from './checks/offer.ts';
import { bestFor } from './checks/order.ts';
import { makePeace } from './checks/peace.ts';
import { createDice, type Dice, mix } from './engine/dice.ts';
import { type Step, stepAt } from './engine/steps.ts';
import type { StoreKind } from './stores/backing.ts';
import { aFault, type Parts } from './world/faults.ts';
import type { Wraps } from './world/instance.ts';
import { createWorld, type Finding, type World } from './world/world.ts';

export interface RunOptions {
  readonly seed: number;
  readonly steps: number;
  readonly store: StoreKind;
  readonly instances: number;
  readonly agents: number;
  readonly issues: number;
  /** Steps between two times of peace. */
  readonly season: number;
  /** Only these places of the run, in this order; everything else is left out. */
  readonly only?: readonly number[] | undefined;
  /** Time that passes before a step, where it is not the step's own. */
  readonly gaps?: ReadonlyMap<number, number> | undefined;
  /** Ends with the last step: nothing heals, and no progress is required. */
  readonly noPeace?: boolean | undefined;
  readonly plant?: Wraps | undefined;
  readonly tell?: ((sentence: string) => void) | undefined;
  readonly progress?: ((done: number) => void) | undefined;
  /** Aborted: the run ends with the peace that comes next. */
  readonly enough?: AbortSignal | undefined;
}

export interface RunResult {
  readonly findings: readonly Finding[];
  /** It was found in peace, and not while faults happened. */
  readonly inPeace: boolean;
  /** Steps that were made. */
  readonly steps: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly facts: number;
  /** How much time passed in the simulation. */
  readonly virtualMs: number;
  /** A number that two equal runs have in common. */
  readonly fingerprint: number;
}

/** What is over is forgotten: by people first, then by the checks, and after an hour by Banto. */
const TIDY_EVERY_MS = 120_000;
const CHECKED_FOR_MS = 1_800_000;
const TELL_EVERY = 1000;

interface Stage {
  readonly world: World;
  readonly act: (step: Step) => Promise<void>;
  readonly peace: () => Promise<void>;
  readonly fill: (dice: Dice) => void;
  readonly tidy: () => void;
}

async function setStage(options: RunOptions): Promise<Stage> {
  const world = await createWorld(options);
  const people = createPeople(world, options.issues);
  const operator = createOperator(world);
  const agents = new Map<number, Agent>();

  function agent(dice: Dice): Agent {
    const index = dice.below(options.agents);
    const found = agents.get(index) ?? createAgent(world, index);
    agents.set(index, found);
    return found;
  }

  const someAgents = (dice: Dice) => Array.from({ length: 10 }, () => agent(dice));

  /** A lone request while nothing else moves: it must get exactly what the rules say. */
  async function checkOrder(dice: Dice): Promise<void> {
    const asker = someAgents(dice).find((one) => one.isFree());
    const raw = world.backing.raw();
    if (asker === undefined || raw === null || world.backing.kind === 'redis') return;
    const before = world.invariants.lastSeq();
    const holds = await raw.holding([asker.agentId]);
    const best = await bestFor(raw, asker);
    if (holds.has(asker.agentId)) return;
    const answer = await asker.probe();
    if (answer === null) return;
    const { given } = answer;
    // Refused, under maintenance, in quarantine; or somebody else was served first.
    if (given === null) return;
    if (world.leases.get(given.task.id, given.lease.fence)?.seq !== before + 1) return;
    world.count('order checked');
    const problem = await offerProblem(raw, given, world.time.now());
    if (problem !== null) world.find('offer', problem);
    if (given.task.id === best?.id) return;
    const instead = best?.id ?? 'nothing';
    world.find('order', `${asker.agentId} was given ${given.task.id} instead of ${instead}`);
  }

  const parts: Parts = { world, operator, agentNames: (dice) => agent(dice).agentId };
  return {
    world,
    fill(dice) {
      while (world.remote.issues.size < options.issues) people.openIssue(dice);
    },
    tidy() {
      people.tidy();
      world.leases.forgetOld();
      const isGone = (taskId: string) => !world.remote.issues.has(Number(taskId.split('~').at(-2)));
      world.invariants.forget(world.leases.at() - CHECKED_FOR_MS, isGone);
    },
    async peace() {
      for (const one of agents.values()) one.quit();
      await makePeace({ world, people, operator });
    },
    async act({ act, dice }) {
      switch (act) {
        case 'agent':
          return agent(dice).act(dice);
        case 'person':
          return people.act(dice);
        case 'operator':
          return operator.act(dice);
        case 'order':
          return checkOrder(dice);
        case 'fault': {
          const fault = aFault(dice);
          if (fault.not?.store !== world.backing.kind) await fault.strike(parts, dice);
        }
      }
    },
  };
}

export async function run(options: RunOptions): Promise<RunResult> {
  const { seed, steps, season, only, gaps, agents } = options;
  const stage = await setStage(options);
  const { world } = stage;
  const { time, findings } = world;
  const startedAt = time.now();
  const places = only ?? null;
  const total = places?.length ?? steps;
  let fingerprint = 0;
  let made = 0;
  let tidyAt = startedAt + TIDY_EVERY_MS;
  let inPeace = false;
  world.backing.onFacts((facts) => {
    for (const { seq, at } of facts) fingerprint = mix(fingerprint, mix(seq, at % 2_147_483_648));
  });
  try {
    stage.fill(createDice(seed));
    await time.rest();
    while (made < total && findings.length === 0) {
      const place = places?.[made] ?? made;
      const step = stepAt(seed, place, agents);
      await time.advance(gaps?.get(place) ?? step.afterMs);
      if (findings.length > 0) break;
      await stage.act(step);
      await time.rest();
      made += 1;
      if (made % TELL_EVERY === 0) options.progress?.(made);
      if (time.now() >= tidyAt) {
        stage.tidy();
        tidyAt = time.now() + TIDY_EVERY_MS;
      }
      if (findings.length > 0 || (made % season !== 0 && made < total)) continue;
      if (options.noPeace === true) continue;
      inPeace = true;
      await stage.peace();
      if (findings.length > 0) break;
      inPeace = false;
      world.count('peace');
      if (options.enough?.aborted === true) break;
      if (made < total) stage.fill(createDice(mix(seed, made)));
    }
  } catch (error) {
    world.find('error', error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await world.close();
  }
  const { counts, invariants } = world;
  const virtualMs = time.now() - startedAt;
  return {
    findings,
    inPeace,
    steps: made,
    counts,
    facts: invariants.lastSeq(),
    virtualMs,
    fingerprint,
  };
}
