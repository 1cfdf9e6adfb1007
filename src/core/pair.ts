// Pairing many waiting agents with many ready tasks, best overall (SPEC 3.5), in this order:
// 1. as many tasks of the highest priority as possible, then of the next; of equal priority the oldest;
// 2. to specialists before generalists, to more matching labels, to who waits longest.
// The first is exact. The second decides whenever a task is placed, and is not weighed over all pairs.

import { matchCount, parseBucketKey } from './match.ts';
import { countBreadths } from './pair-breadth.ts';
import { createFlow, type Flow } from './pair-flow.ts';
import { buildGraph, type Graph, type Supply } from './pair-graph.ts';
import type { Waiter } from './pair-groups.ts';

export type { Supply, Waiter };

export interface Pairing {
  readonly waiter: string;
  readonly bucket: string;
}

/**
 * Each agent is paired at most once, however often it waits, and each bucket at most as often as it has
 * tasks. The pairings come in order of their tasks' scores. The order of the arrays changes nothing.
 */
export function pair(waiters: readonly Waiter[], supply: readonly Supply[]): Pairing[] {
  const graph = buildGraph(waiters, supply);
  const flow = createFlow(graph, countBreadths(graph, supply), supply.length);
  const placed = placeInOrder(flow, supply);
  return nameWaiters(graph, flow, placed, supply);
}

/** Places tasks in order of score; returns the index of the bucket of each. */
function placeInOrder(flow: Flow, supply: readonly Supply[]): number[] {
  const placed: number[] = [];
  const used = new Uint32Array(supply.length);
  const heads = new Float64Array(supply.map(({ scores }) => scores[0] ?? 0));
  const before = (a: number, b: number): boolean => {
    const difference = (heads[a] ?? 0) - (heads[b] ?? 0);
    if (difference !== 0) return difference < 0;
    return (supply[a]?.bucket ?? '') < (supply[b]?.bucket ?? '');
  };
  const heap = supply.flatMap((entry, index) => (entry.scores.length > 0 ? [index] : []));
  for (let at = heap.length >>> 1; at >= 0; at -= 1) sink(heap, at, before);
  for (let bucket = heap[0]; bucket !== undefined && flow.free > 0; bucket = heap[0]) {
    let next: number | undefined;
    if (flow.place(bucket)) {
      placed.push(bucket);
      used[bucket] = (used[bucket] ?? 0) + 1;
      next = supply[bucket]?.scores[used[bucket] ?? 0];
    }
    // What cannot be placed now never can: then the whole bucket leaves, as when it is empty.
    if (next !== undefined) heads[bucket] = next;
    else {
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) heap[0] = last;
    }
    sink(heap, 0, before);
  }
  return placed;
}

/** Restores the order of a binary heap below one place. */
function sink(heap: number[], from: number, before: (a: number, b: number) => boolean): void {
  const item = heap[from];
  if (item === undefined) return;
  let at = from;
  for (;;) {
    let child = 2 * at + 1;
    const [left, right] = [heap[child], heap[child + 1]];
    if (left === undefined) break;
    let least = left;
    if (right !== undefined && before(right, left)) [child, least] = [child + 1, right];
    if (!before(least, item)) break;
    heap[at] = least;
    at = child;
  }
  heap[at] = item;
}

/** Within a group those that wait longest are served, the longest of all with the first of its tasks. */
function nameWaiters(
  graph: Graph,
  flow: Flow,
  placed: readonly number[],
  supply: readonly Supply[],
): Pairing[] {
  const turns = new Map<number, number[]>();
  for (let turn = placed.length - 1; turn >= 0; turn -= 1) {
    const lot = placed[turn] ?? -1;
    const own = turns.get(lot);
    if (own === undefined) turns.set(lot, [turn]);
    else own.push(turn);
  }
  const pairings: Pairing[] = [];
  graph.groups.forEach((group, index) => {
    const own: number[] = [];
    for (const [lot, count] of flow.taken[index] ?? []) {
      own.push(...(turns.get(lot)?.splice(-count) ?? []));
    }
    own.sort((a, b) => a - b);
    own.forEach((turn, served) => {
      const bucket = supply[placed[turn] ?? -1]?.bucket ?? '';
      const waiter = suited(group.agents[served] ?? [], bucket);
      if (waiter !== undefined) pairings[turn] = { waiter: waiter.id, bucket };
    });
  });
  return pairings;
}

/** Which of an agent's own waiters a task goes to: the most matching labels, then the oldest. */
function suited(own: readonly Waiter[], bucketKey: string): Waiter | undefined {
  if (own.length <= 1) return own[0];
  const bucket = parseBucketKey(bucketKey);
  let best: Waiter | undefined;
  let bestMatches = -1;
  for (const waiter of own) {
    const matches = matchCount(waiter, bucket) ?? -1;
    if (matches > bestMatches) [best, bestMatches] = [waiter, matches];
  }
  return best;
}
