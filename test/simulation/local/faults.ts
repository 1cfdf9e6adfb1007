// A layer around store and forge that fails as real ones do: before the step, or, worse, after it.

import { busy } from '../../../src/core/errors.ts';
import type { Forge } from '../../../src/core/forge.ts';
import { ForgeBusy } from '../../../src/core/forge.ts';
import type { Store } from '../../../src/core/store.ts';

export interface Faults {
  /** Nothing fails any more. */
  heal(): void;
  readonly wrapStore: (store: Store) => Store;
  readonly wrapForge: (forge: Forge) => Forge;
  /** How often something failed, so that a run without faults is noticed. */
  count(): number;
}

const LOSABLE = [
  'claim',
  'recall',
  'markAnswered',
  'heartbeat',
  'complete',
  'fail',
  'release',
  'refuse',
  'sweep',
  'mirror',
  'learn',
  'settleWrite',
  'takeWrites',
] as const;

type Verb = (...args: unknown[]) => Promise<unknown>;

export function createFaults(random: () => number, share: number): Faults {
  let healed = false;
  let count = 0;

  /** 'before': the step never happened. 'after': it did, but the caller is told otherwise. */
  function draw(): 'before' | 'after' | null {
    if (healed || random() >= share) return null;
    count += 1;
    return random() < 0.5 ? 'before' : 'after';
  }

  function unreliable(verb: Verb, error: () => Error): Verb {
    return async (...args) => {
      const fault = draw();
      if (fault === 'before') throw error();
      const answer = await verb(...args);
      if (fault === 'after') throw error();
      return answer;
    };
  }

  return {
    heal() {
      healed = true;
    },
    count: () => count,
    wrapStore(store) {
      const verbs = LOSABLE.map((name) => [
        name,
        unreliable(store[name] as Verb, () => busy(new Error('lost'))),
      ]);
      return { ...store, ...(Object.fromEntries(verbs) as Partial<Store>) };
    },
    wrapForge(forge) {
      const error = () =>
        random() < 0.5 ? new Error('the forge hung up') : new ForgeBusy(1000, 'not now');
      return {
        ...forge,
        createBranch: unreliable(forge.createBranch as Verb, error) as Forge['createBranch'],
        setLabels: unreliable(forge.setLabels as Verb, error) as Forge['setLabels'],
        comment: unreliable(forge.comment as Verb, error) as Forge['comment'],
      };
    },
  };
}
