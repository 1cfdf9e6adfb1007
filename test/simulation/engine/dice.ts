// Randomness that belongs to one step: what a step does depends on its own number alone, so that a run stays the same
// when other steps are taken out of it.

export interface Dice {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [0, most). */
  below(most: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly [T, ...T[]]): T;
}

/** Two numbers into one, well spread. */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
  h ^= h >>> 15;
  h = Math.imul(h, 0x2c1b3c6d);
  h ^= h >>> 12;
  h = Math.imul(h, 0x297a2d39);
  return (h ^ (h >>> 15)) >>> 0;
}

export function createDice(seed: number): Dice {
  let state = seed | 0;
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }
  const below = (most: number) => Math.floor(next() * most);
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: (from) => from[below(from.length)] ?? from[0],
  };
}
