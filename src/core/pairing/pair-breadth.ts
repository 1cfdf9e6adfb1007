// How many buckets suit a group of agents: the measure of a specialist. Counted on sets of bits, since a
// bucket that suits an agent by three labels is still one bucket.

import type { Graph } from './pair-graph.ts';
import type { Queue } from './pair-queue.ts';

// Of a larger supply, the buckets first in line are counted; more would hardly order the groups otherwise.
const COUNTED = 1024;

/** By group of the graph. */
export function countBreadths(graph: Graph, queue: Queue): number[] {
  const counted = queue.first(COUNTED);
  const words = (counted.length + 31) >>> 5;
  const sets = Array.from({ length: graph.slotCount }, (): Uint32Array | null => null);
  const barredSlots = new Map<string, number[]>();
  counted.forEach((index, bit) => {
    const { slots, barred } = graph.lot(index);
    for (const slot of slots) {
      const set = (sets[slot] ??= new Uint32Array(words));
      set[bit >>> 5] = (set[bit >>> 5] ?? 0) | (1 << (bit & 31));
    }
    for (const agentId of new Set(barred)) {
      const known = barredSlots.get(agentId);
      if (known === undefined) barredSlots.set(agentId, [...slots]);
      else known.push(...slots);
    }
  });
  return graph.groups.map(({ slots, agentId }) => {
    const own: Uint32Array[] = [];
    for (const slot of slots) {
      const set = sets[slot] ?? null;
      if (set !== null) own.push(set);
    }
    const barred = agentId === null ? undefined : barredSlots.get(agentId);
    return countUnion(own, words) - (barred?.filter((slot) => slots.includes(slot)).length ?? 0);
  });
}

function countUnion(sets: readonly Uint32Array[], words: number): number {
  let count = 0;
  for (let word = 0; word < words; word += 1) {
    let bits = 0;
    for (const set of sets) bits |= set[word] ?? 0;
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}
