// Faults that are put into Banto on purpose, one for each promise: a simulation that does not find them proves nothing.

import type { Store } from '../../src/core/store.ts';
import type { Wraps } from './world/instance.ts';

export interface Plant extends Wraps {
  /** What is wrong with this Banto. */
  readonly wrong: string;
  /** The rules that may notice it first. */
  readonly rules: readonly string[];
}

/** The last hand-out is given once more, to whoever asks next and would get nothing new. */
function handsOutTwice(store: Store): Store {
  let last: Extract<Awaited<ReturnType<Store['claim']>>, { outcome: 'leased' }> | null = null;
  let claims = 0;
  return {
    ...store,
    async claim(input) {
      claims += 1;
      if (claims % 40 === 0 && last !== null && last.handOut.lease.agentId !== input.agentId) {
        const { handOut } = last;
        const lease = { ...handOut.lease, agentId: input.agentId };
        return { outcome: 'leased', handOut: { ...handOut, lease } };
      }
      const result = await store.claim(input);
      if (result.outcome === 'leased') last = result;
      return result;
    },
  };
}

/** Whoever held the task last is taken at its word, although somebody else has it now. */
function takesStaleTokens(store: Store): Store {
  return {
    ...store,
    async complete(input) {
      const ended = await store.complete(input);
      if (ended.outcome !== 'lease_lost') return ended;
      const token = (await store.task(input.taskId))?.task.lease?.token;
      return token === undefined ? ended : store.complete({ ...input, token });
    },
  };
}

/** Every so manieth completion is acknowledged and dropped. */
function losesCompletions(store: Store): Store {
  let calls = 0;
  return {
    ...store,
    async complete(input) {
      calls += 1;
      const task = calls % 20 === 0 ? (await store.task(input.taskId))?.task : undefined;
      return task === undefined ? store.complete(input) : { outcome: 'ok', task };
    },
  };
}

export const PLANTS: readonly Plant[] = [
  { wrong: 'hands one task out twice', rules: ['exclusive'], store: handsOutTwice },
  { wrong: 'takes stale tokens', rules: ['I3', 'I5'], store: takesStaleTokens },
  { wrong: 'loses completions', rules: ['I5'], store: losesCompletions },
  {
    wrong: 'chooses the worst instead of the best',
    rules: ['order'],
    store: (store) => ({
      ...store,
      claim: (input) => store.claim({ ...input, groups: input.groups.toReversed() }),
    }),
  },
  {
    wrong: 'never notices that a lease has run out',
    rules: ['I5'],
    store: (store) => ({
      ...store,
      sweep: async () => ({ expired: 0, promoted: 0, opened: 0, more: false, nextDueAt: null }),
    }),
  },
  {
    wrong: 'never takes a label off',
    rules: ['I6', 'I5'],
    forge: (forge) => ({
      ...forge,
      setLabels: (repository, number, { add }) =>
        forge.setLabels(repository, number, { add, remove: [] }),
    }),
  },
  {
    wrong: 'does not know whom an operator paused',
    rules: ['paused'],
    store: (store) => ({
      ...store,
      registry: async () => ({ ...(await store.registry()), paused: [] }),
    }),
  },
];
