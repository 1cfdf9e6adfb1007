// The buckets in order of their oldest task: a binary heap, since few of many are ever asked for.

import type { Supply } from './pair-graph.ts';

export interface Queue {
  /** Indices of the first buckets in line, as the queue stands. */
  first(count: number): number[];
  /** The bucket with the oldest task; undefined: none is left. */
  head(): number | undefined;
  /** The oldest task of that bucket is placed; the next one counts. */
  advance(): void;
  /** That bucket leaves. */
  drop(): void;
}

export function createQueue(supply: readonly Supply[]): Queue {
  const used = new Uint32Array(supply.length);
  const heads = new Float64Array(supply.map(({ scores }) => scores[0] ?? 0));
  const before = (a: number, b: number): boolean => {
    const difference = (heads[a] ?? 0) - (heads[b] ?? 0);
    if (difference !== 0) return difference < 0;
    return (supply[a]?.bucket ?? '') < (supply[b]?.bucket ?? '');
  };
  const heap: number[] = [];
  supply.forEach(({ scores }, index) => {
    if (scores.length > 0) heap.push(index);
  });
  for (let at = heap.length >>> 1; at >= 0; at -= 1) sink(heap, at, before);
  const drop = (): void => pop(heap, before);
  return {
    first(count) {
      const line = heap.slice();
      const found: number[] = [];
      for (let index = line[0]; index !== undefined && found.length < count; index = line[0]) {
        found.push(index);
        pop(line, before);
      }
      return found;
    },
    head: () => heap[0],
    advance() {
      const index = heap[0] ?? -1;
      used[index] = (used[index] ?? 0) + 1;
      const next = supply[index]?.scores[used[index] ?? 0];
      if (next === undefined) return drop();
      heads[index] = next;
      sink(heap, 0, before);
    },
    drop,
  };
}

function pop(heap: number[], before: (a: number, b: number) => boolean): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  sink(heap, 0, before);
}

/** Restores the order below one place. */
function sink(heap: number[], from: number, before: (a: number, b: number) => boolean): void {
  const item = heap[from];
  if (item === undefined) return;
  let at = from;
  for (;;) {
    let child = 2 * at + 1;
    let least = heap[child];
    if (least === undefined) break;
    const right = heap[child + 1];
    if (right !== undefined && before(right, least)) {
      child += 1;
      least = right;
    }
    if (!before(least, item)) break;
    heap[at] = least;
    at = child;
  }
  heap[at] = item;
}
