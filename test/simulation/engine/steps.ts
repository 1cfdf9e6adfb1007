// The steps of a run. Which step comes at a place follows from the seed and the place alone: a run of any length needs no
// list, and a part of a run is a list of places.

import { createDice, type Dice, mix } from './dice.ts';

export type Act = 'agent' | 'person' | 'operator' | 'fault' | 'order';

export interface Step {
  readonly at: number;
  /** So much time passes before it. */
  readonly afterMs: number;
  readonly act: Act;
  readonly dice: Dice;
}

/** Of a thousand steps. */
const SHARES: readonly (readonly [Act, number])[] = [
  ['agent', 882],
  ['person', 65],
  ['fault', 40],
  ['operator', 7],
  ['order', 6],
];
/** How long, on average, until an agent does something again. */
const PACE_MS = 5000;

export function stepAt(seed: number, at: number, agents: number): Step {
  const dice = createDice(mix(seed, at));
  const afterMs = Math.floor((dice.next() * 2 * PACE_MS) / agents);
  let left = dice.next() * 1000;
  const [act] = SHARES.find(([, share]) => (left -= share) < 0) ?? ['agent'];
  return { at, afterMs, act, dice };
}
