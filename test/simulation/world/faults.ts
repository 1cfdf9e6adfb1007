// The table of faults: one row each, with its name, what it does and how often it is drawn. A step draws one; the run
// counts how often each really happened.

import type { Operator } from '../actors/operator.ts';
import type { Dice } from '../engine/dice.ts';
import type { Instance } from './instance.ts';
import type { World } from './world.ts';

export interface Fault {
  readonly name: string;
  readonly what: string;
  /** How often, compared with the others. */
  readonly weight: number;
  /** Not for this kind of store, and why. */
  readonly not?: { readonly store: 'memory' | 'sqlite' | 'redis'; readonly why: string };
  readonly strike: (parts: Parts, dice: Dice) => void | Promise<void>;
}

export interface Parts {
  readonly world: World;
  readonly operator: Operator;
  readonly agentNames: (dice: Dice) => string;
}

/** Verbs that change something: a lost answer to one of these is what hurts. */
const WRITES = new Set(
  'claim recall markAnswered heartbeat complete fail release refuse sweep mirror learn settleWrite takeWrites touchLabels create assign'.split(
    ' ',
  ),
);
const isWrite = (verb: string) => WRITES.has(verb);
const FORGE_WRITES = new Set(['createBranch', 'setLabels', 'comment']);
const isForgeWrite = (verb: string) => FORGE_WRITES.has(verb);

/** Leases run on while nobody answers: longer than any of them, also one that waits for a person's answer. */
const NO_QUARANTINE_MS = 150_000;

function mark({ world }: Parts, name: string, instance: Instance): () => void {
  return () => {
    world.count(name);
    world.tell(() => `Fault: ${name} (instance ${instance.name}).`);
  };
}

function lossAt(name: string, what: string, when: 'before' | 'after', weight: number): Fault {
  return {
    name,
    what,
    weight,
    strike(parts, dice) {
      const instance = parts.world.anInstance(dice);
      const struck = mark(parts, name, instance);
      instance.storeLink.troubles.arm({ what: 'lost', when }, dice.below(8), isWrite, struck);
    },
  };
}

function forgeLoss(name: string, what: string, when: 'before' | 'after', weight: number): Fault {
  return {
    name,
    what,
    weight,
    strike(parts, dice) {
      const instance = parts.world.anInstance(dice);
      const struck = mark(parts, name, instance);
      instance.forgeLink.troubles.arm({ what: 'lost', when }, dice.below(3), isForgeWrite, struck);
    },
  };
}

function cut(name: string, what: string, link: 'storeLink' | 'forgeLink', weight: number): Fault {
  return {
    name,
    what,
    weight,
    strike(parts, dice) {
      const { world } = parts;
      const instance = world.anInstance(dice);
      if (instance[link].cut) return;
      mark(parts, name, instance)();
      instance[link].cut = true;
      world.time.after(500 + dice.below(20_000), () => {
        instance[link].cut = false;
      });
    },
  };
}

export const FAULTS: readonly Fault[] = [
  lossAt('store: lost before', 'a call never reaches the store', 'before', 16),
  lossAt('store: lost after', 'the store does it, the answer is lost', 'after', 24),
  {
    name: 'store: slow',
    what: 'a call, or its answer, is seconds late',
    weight: 24,
    strike(parts, dice) {
      const instance = parts.world.anInstance(dice);
      const when = dice.pick(['before', 'after'] as const);
      const ms = 1 + dice.below(dice.chance(0.2) ? 15_000 : 400);
      const struck = mark(parts, 'store: slow', instance);
      for (let many = 1 + dice.below(4); many > 0; many -= 1) {
        instance.storeLink.troubles.arm(
          { what: 'slow', when, ms },
          dice.below(10),
          undefined,
          struck,
        );
      }
    },
  },
  {
    name: 'instance: killed',
    what: 'a process ends before or after one of its calls; its memory is gone, nothing under way is answered',
    weight: 6,
    strike(parts, dice) {
      const instance = parts.world.anInstance(dice);
      const when = dice.pick(['before', 'after'] as const);
      const link = dice.chance(0.7) ? instance.storeLink : instance.forgeLink;
      link.troubles.arm(
        { what: 'killed', when },
        dice.below(40),
        undefined,
        mark(parts, 'instance: killed', instance),
      );
    },
  },
  {
    name: 'instance: stopped',
    what: 'a process is asked to stop and is started again, as for a new version',
    weight: 2,
    strike(parts, dice) {
      const instance = parts.world.anInstance(dice);
      if (instance.broker() === null) return;
      mark(parts, 'instance: stopped', instance)();
      instance
        .stop()
        .catch((error: unknown) =>
          parts.world.find('error', `a stop failed with ${String(error)}`),
        );
    },
  },
  cut('store: cut off', 'an instance cannot reach the store for up to 20 s', 'storeLink', 4),
  cut('forge: cut off', 'an instance cannot reach the forge for up to 20 s', 'forgeLink', 4),
  forgeLoss('forge: lost before', 'a write never reaches the forge', 'before', 8),
  forgeLoss('forge: lost after', 'the forge does it and hangs up', 'after', 8),
  {
    name: 'forge: slow',
    what: 'a write takes up to 12 s, longer than a hand-out waits for it',
    weight: 6,
    strike(parts, dice) {
      const instance = parts.world.anInstance(dice);
      const when = dice.pick(['before', 'after'] as const);
      const struck = mark(parts, 'forge: slow', instance);
      const ms = 500 + dice.below(12_000);
      instance.forgeLink.troubles.arm(
        { what: 'slow', when, ms },
        dice.below(3),
        isForgeWrite,
        struck,
      );
    },
  },
  {
    name: 'forge: rate limit',
    what: 'the forge asks for patience, for up to 30 s',
    weight: 4,
    strike(parts, dice) {
      const instance = parts.world.anInstance(dice);
      const struck = mark(parts, 'forge: rate limit', instance);
      const ms = 1000 + dice.below(30_000);
      instance.forgeLink.troubles.arm({ what: 'limited', ms }, dice.below(5), undefined, struck);
    },
  },
  {
    name: 'forge: refuses for good',
    what: 'a branch or label write is forbidden',
    weight: 1,
    strike(parts, dice) {
      const instance = parts.world.anInstance(dice);
      const struck = mark(parts, 'forge: refuses for good', instance);
      const meant = (verb: string) => verb === 'createBranch' || verb === 'setLabels';
      instance.forgeLink.troubles.arm({ what: 'refused' }, dice.below(3), meant, struck);
    },
  },
  {
    name: 'forge: stale',
    what: 'listings, polls and reads show what was true up to 30 s ago',
    weight: 4,
    strike({ world }, dice) {
      if (world.remote.lagMs > 0) return;
      world.count('forge: stale');
      world.remote.lagMs = 1000 + dice.below(30_000);
      world.tell(() => `Fault: the forge shows what was true ${world.remote.lagMs} ms ago.`);
      world.time.after(dice.below(40_000), () => {
        world.remote.lagMs = 0;
      });
    },
  },
  ...(['missing', 'twice', 'late'] as const).map(
    (fault): Fault => ({
      name: `hint: ${fault}`,
      what: {
        missing: 'a hint never comes',
        twice: 'a hint comes twice',
        late: 'a hint comes after 20 s, out of order',
      }[fault],
      weight: 5,
      strike({ world }) {
        world.count(`hint: ${fault}`);
        world.remote.hintFaults.push(fault);
      },
    }),
  ),
  {
    name: 'clock: forward',
    what: 'the store’s clock jumps ahead, by up to two minutes',
    weight: 0.6,
    strike({ world }, dice) {
      world.count('clock: forward');
      const ms = 1 + dice.below(dice.chance(0.5) ? 3000 : 120_000);
      world.tell(() => `Fault: the clock jumps ${ms} ms ahead.`);
      world.clock.jump(ms);
    },
  },
  {
    name: 'clock: back',
    what: 'the store’s clock is set back, by up to two minutes',
    weight: 0.6,
    not: {
      store: 'sqlite',
      why: 'a process that starts behind the forge’s clock is a known limit',
    },
    strike({ world }, dice) {
      world.count('clock: back');
      const ms = 1 + dice.below(120_000);
      world.tell(() => `Fault: the clock is set back by ${ms} ms.`);
      world.clock.jump(-ms);
    },
  },
  {
    name: 'maintenance',
    what: 'an operator pauses everything, the repository or one agent, for up to 15 s',
    weight: 5,
    strike({ world, operator, agentNames }, dice) {
      world.count('maintenance');
      operator.pause(dice, agentNames(dice));
    },
  },
  {
    name: 'store: kept',
    what: 'a backup is made, and a replica is as far as this; the two below go back to it',
    weight: 1,
    async strike({ world }) {
      world.count('store: kept');
      await world.keep();
    },
  },
  {
    name: 'store: failover',
    what: 'the last writes are lost while the instances run: a new generation with its quarantine',
    weight: 0.06,
    not: { store: 'sqlite', why: 'one process owns the file' },
    async strike({ world }) {
      if (!(await world.goBack('failover'))) return;
      world.count('store: failover');
      world.tell(() => 'Fault: the store lost its last writes.');
    },
  },
  {
    name: 'store: restored',
    what: 'all instances end, one lease time passes where the store cannot keep a quarantine, the backup is put back',
    weight: 0.03,
    async strike({ world }) {
      if (!world.backing.shared) world.noStartFor(NO_QUARANTINE_MS);
      for (const instance of world.instances) instance.kill();
      await world.time.rest();
      if (!(await world.goBack('backup'))) return;
      world.count('store: restored');
      world.tell(() => 'Fault: the backup was put back.');
    },
  },
];
const TOTAL = FAULTS.reduce((sum, { weight }) => sum + weight, 0);

export function aFault(dice: Dice): Fault {
  let left = dice.next() * TOTAL;
  return FAULTS.find(({ weight }) => (left -= weight) < 0) ?? (FAULTS[0] as Fault);
}
