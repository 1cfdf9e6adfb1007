// Everything that takes part in a run: the shared store, the forge, the instances, and the checks that watch them.

import type { RunningBroker } from '../../../src/broker/create-broker.ts';
import { createInvariantCheck, type InvariantCheck } from '../../support/invariants.ts';
import { type Answers, createAnswers } from '../checks/answers.ts';
import { createLeases, type Leases } from '../checks/leases.ts';
import type { Dice } from '../engine/dice.ts';
import { createShiftedClock, type ShiftedClock } from '../engine/shifted-clock.ts';
import { createVirtualTime, type VirtualTime } from '../engine/virtual-time.ts';
import type { Backing, Loss, StoreKind } from '../stores/backing.ts';
import { openBacking } from '../stores/open-backing.ts';
import { createInstance, type Instance, type Wraps } from './instance.ts';
import { LEASE_SECONDS, POLICY } from './policy.ts';
import { createRemote, REPOSITORY, type Remote } from './remote.ts';

export interface WorldOptions {
  readonly store: StoreKind;
  readonly instances: number;
  readonly plant?: Wraps | undefined;
  /** Sentences about what happens, where somebody listens. */
  readonly tell?: ((sentence: string) => void) | undefined;
}

export interface Finding {
  readonly rule: string;
  readonly message: string;
}

export interface World {
  readonly time: VirtualTime;
  readonly clock: ShiftedClock;
  readonly backing: Backing;
  readonly remote: Remote;
  readonly instances: readonly Instance[];
  readonly invariants: InvariantCheck;
  readonly leases: Leases;
  readonly answers: Answers;
  readonly findings: Finding[];
  /** What happened, and how often. */
  readonly counts: Map<string, number>;
  find(rule: string, message: string): void;
  tell(sentence: () => string): void;
  count(what: string): void;
  anInstance(dice: Dice): Instance;
  /** One that is up; null: none is. */
  anyBroker(): RunningBroker | null;
  /** Whatever dies now stays down for so long. */
  noStartFor(ms: number): void;
  /** Called when the instance dies before `done`: a connection that is cut off. */
  connected(instance: Instance, cutOff: () => void): () => void;
  /** The store is what it was when `keep` was called last; true: it was, once. */
  keep(): Promise<void>;
  goBack(how: Loss): Promise<boolean>;
  close(): Promise<void>;
}

const START_AT = Date.UTC(2026, 10, 16);
const FIRST_RESTART_MS = 1500;
const NEXT_RESTART_MS = 3500;

export async function createWorld(options: WorldOptions): Promise<World> {
  const time = createVirtualTime(START_AT);
  const clock = createShiftedClock(time);
  const leaseSeconds = LEASE_SECONDS;
  const backing = await openBacking(options.store, {
    clock,
    leaseSeconds,
    repository: REPOSITORY,
    time,
  });
  const remote = createRemote(time);
  const findings: Finding[] = [];
  const counts = new Map<string, number>();
  const connections = new Map<number, Set<() => void>>();
  let restore: (() => void)[] = [];
  let downUntil = 0;

  function find(rule: string, message: string): void {
    findings.push({ rule, message });
    tell(() => `FOUND ${rule}: ${message}.`);
  }

  function tell(sentence: () => string): void {
    if (options.tell === undefined) return;
    const seconds = ((time.now() - START_AT) / 1000).toFixed(3);
    options.tell(`${seconds} s: ${sentence()}`);
  }

  const invariants = createInvariantCheck(({ invariant, seq, taskId, message }) =>
    find(invariant, `${taskId}: ${message} (fact ${seq})`),
  );
  const leases = createLeases(find);
  const answers = createAnswers(leases, clock.latest, find);
  backing.onFacts((facts) => {
    invariants.take(facts);
    leases.take(facts);
  });

  const instances: Instance[] = [];
  function died(name: number): void {
    tell(() => `Instance ${name} is dead.`);
    const cutOff = [...(connections.get(name) ?? [])];
    connections.delete(name);
    for (const tellIt of cutOff) tellIt();
    const soon = FIRST_RESTART_MS + name * NEXT_RESTART_MS;
    time.after(Math.max(soon, downUntil - time.now()), () => instances[name]?.start());
  }
  const complained = (about: unknown, message: string) =>
    tell(() => {
      const { err } = about as { err?: unknown };
      return `Banto says: ${message}${err instanceof Error ? ` (${err.message})` : ''}`;
    });
  const count = backing.shared ? options.instances : 1;
  for (let name = 0; name < count; name += 1) {
    const { plant } = options;
    instances.push(
      createInstance({ name, time, backing, remote, policy: POLICY, plant, complained, died }),
    );
  }
  for (const instance of instances) {
    instance.start();
    await time.rest();
  }

  return {
    time,
    clock,
    backing,
    remote,
    instances,
    invariants,
    leases,
    answers,
    findings,
    counts,
    find,
    tell,
    count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1),
    anInstance(dice) {
      const [first, ...others] = instances;
      if (first === undefined) throw new Error('A world without instances.');
      return dice.pick([first, ...others]);
    },
    anyBroker() {
      for (const instance of instances) {
        const broker = instance.broker();
        if (broker !== null) return broker;
      }
      return null;
    },
    noStartFor(ms) {
      downUntil = time.now() + ms;
    },
    connected({ name }, cutOff) {
      const open = connections.get(name) ?? new Set();
      connections.set(name, open.add(cutOff));
      return () => open.delete(cutOff);
    },
    async keep() {
      await time.rest();
      await backing.keep(() => {
        restore = [invariants.keep(), leases.keep()];
      });
    },
    async goBack(how) {
      await time.rest();
      return backing.goBack(how, () => {
        for (const back of restore) back();
        answers.lost();
        remote.storeLost();
      });
    },
    async close() {
      for (const instance of instances) instance.kill();
      // What was under way is answered, or never will be, before the store goes.
      await time.rest();
      await backing.close();
    },
  };
}
