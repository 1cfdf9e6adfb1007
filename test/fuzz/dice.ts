// Chance that can be repeated: the same seed and the same number of an input throw the same dice.

export interface Dice {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** mulberry32, begun from both numbers so that every input can be made again by itself. */
export function createDice(seed: number, input: number): Dice {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(input + 1, 0xc2b2ae35)) >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    chance: (share) => next() < share,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('There is nothing to pick from.');
      return list[int(list.length)] as T;
    },
  };
}
