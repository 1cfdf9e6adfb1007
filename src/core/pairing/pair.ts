// Pairing many waiting agents with many ready tasks, best overall, in this order:
// 1. as many tasks of the highest priority as possible, then of the next; of equal priority the oldest;
// 2. to specialists before generalists, to more matching labels, to who waits longest.
// The first is exact. The second decides whenever a task is placed, and is not weighed over all pairs.

import { matchCount, parseBucketKey } from './match.ts';
import { countBreadths } from './pair-breadth.ts';
import { createFlow, type Flow } from './pair-flow.ts';
import { buildGraph, type Graph, type Supply } from './pair-graph.ts';
import type { Waiter } from './pair-groups.ts';
import { createQueue } from './pair-queue.ts';

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
  const queue = createQueue(supply);
  const graph = buildGraph(waiters, supply);
  const flow = createFlow(graph, countBreadths(graph, queue), supply.length);
  const placed: number[] = [];
  for (let lot = queue.head(); lot !== undefined && flow.free > 0; lot = queue.head()) {
    if (flow.place(lot)) {
      placed.push(lot);
      queue.advance();
    } else {
      // What cannot be placed now never can: the whole bucket leaves.
      queue.drop();
    }
  }
  return nameWaiters(graph, flow, placed, supply);
}

/** Within a group those that wait longest are served, the longest of all with the first of its tasks. */
function nameWaiters(
  graph: Graph,
  flow: Flow,
  placed: readonly number[],
  supply: readonly Supply[],
): Pairing[] {
  // The turns in which a lot was placed, as chains from the first to the last.
  const firstTurn = new Int32Array(supply.length);
  const nextTurn = new Int32Array(placed.length);
  for (let turn = placed.length - 1; turn >= 0; turn -= 1) {
    const lot = placed[turn] ?? -1;
    nextTurn[turn] = firstTurn[lot] ?? 0;
    firstTurn[lot] = turn;
  }
  const pairings: Pairing[] = [];
  graph.groups.forEach((group, index) => {
    const turns = (flow.taken[index] ?? []).map((lot) => {
      const turn = firstTurn[lot] ?? 0;
      firstTurn[lot] = nextTurn[turn] ?? 0;
      return turn;
    });
    turns.sort((a, b) => a - b);
    turns.forEach((turn, served) => {
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
