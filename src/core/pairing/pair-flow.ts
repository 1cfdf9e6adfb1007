// Placing tasks one by one in order of value, with augmenting paths: a task that finds no free agent of its
// own may still be placed by moving others. Greedy is exact here, because the sets of tasks that can be
// placed together form a (transversal) matroid.

import { matchCount } from './match.ts';
import type { Graph, Lot } from './pair-graph.ts';

// Among equally special groups, so many are compared by matching labels, from the longest waiting on.
const COMPARED = 8;
const NEVER_AGAIN = 0x7fffffff;

export interface Flow {
  /** Places one more task of the lot. False: impossible, now and for ever. */
  place(lot: number): boolean;
  /** Agents without a task. */
  readonly free: number;
  /** The lots that each group has tasks of, one entry for each task. */
  readonly taken: readonly (readonly number[] | undefined)[];
}

export function createFlow(graph: Graph, breadths: readonly number[], lotCount: number): Flow {
  const { groups, slotCount } = graph;
  const room = new Int32Array(groups.map((group) => group.agents.length));
  const names = groups.map((group) => group.agentId);
  /** Since when the agent waits that is served next. */
  const since = new Float64Array(groups.map((group) => group.agents[0]?.[0]?.since ?? 0));
  const taken: (number[] | undefined)[] = [];
  let free = room.reduce((sum, agents) => sum + agents, 0);

  // Specialists first, then by waiting: the sort is stable, and the groups come in that order.
  const members = Array.from({ length: slotCount }, (): number[] => []);
  const order = groups
    .map((_, group) => group)
    .sort((a, b) => (breadths[a] ?? 0) - (breadths[b] ?? 0));
  for (const group of order)
    for (const slot of groups[group]?.slots ?? []) members[slot]?.push(group);
  const firstFree = new Int32Array(slotCount);

  // One search marks what it has met with its own number. `rest` are the members of a slot that no lot met
  // so far may have, because all were barred.
  let search = 0;
  const metLots = new Int32Array(lotCount);
  const metGroups = new Int32Array(groups.length);
  const metSlots = new Int32Array(slotCount);
  const rest: number[][] = [];
  const lotFrom = new Int32Array(lotCount);
  const groupFrom = new Int32Array(groups.length);

  const isBarred = (lot: Lot, group: number): boolean => {
    if (lot.barred.length === 0) return false;
    const agentId = names[group] ?? null;
    return agentId !== null && lot.barred.includes(agentId);
  };

  const matches = (lot: Lot, group: number): number => {
    const { seekers = [], slots = [] } = groups[group] ?? {};
    let most = 0;
    if (lot.labelSlots > 0 && seekers.length === 1) {
      for (let at = 0; at < lot.labelSlots; at += 1)
        if (slots.includes(lot.slots[at] ?? -1)) most += 1;
      return most;
    }
    for (const seeker of seekers) most = Math.max(most, matchCount(seeker, lot.bucket) ?? 0);
    return most;
  };

  /** The free group that should have a task of this lot; -1: there is none. */
  const bestFree = (lot: Lot): number => {
    let best = -1;
    let breadth = Number.POSITIVE_INFINITY;
    let matched = -1;
    for (const slot of lot.slots) {
      const list = members[slot] ?? [];
      let at = firstFree[slot] ?? 0;
      while (at < list.length && room[list[at] ?? -1] === 0) at += 1;
      firstFree[slot] = at;
      for (let compared = 0; at < list.length && compared < COMPARED; at += 1) {
        const group = list[at] ?? -1;
        const own = breadths[group] ?? 0;
        if (own > breadth) break;
        if (room[group] === 0 || group === best || isBarred(lot, group)) continue;
        compared += 1;
        if (own < breadth) {
          best = group;
          breadth = own;
          matched = -1;
          continue;
        }
        if (matched === -1) matched = matches(lot, best);
        const longer = (since[best] ?? 0) - (since[group] ?? 0) || best - group;
        if (longer < 0 && matched === lot.bucket.labels.length) continue;
        const ownMatched = matches(lot, group);
        if (ownMatched < matched || (ownMatched === matched && longer < 0)) continue;
        best = group;
        matched = ownMatched;
      }
    }
    return best;
  };

  /** Gives the free group a task of `lot`; whoever stood in the way moves on along the path. */
  const shift = (lot: number, group: number): true => {
    const left = (room[group] ?? 0) - 1;
    room[group] = left;
    free -= 1;
    if (left > 0) since[group] = groups[group]?.agents.at(-left)?.[0]?.since ?? 0;
    let [to, from] = [group, lot];
    for (;;) {
      const has = taken[to];
      if (has === undefined) taken[to] = [from];
      else has.push(from);
      const via = lotFrom[from] ?? -1;
      if (via === -1) return true;
      // `via` had a task of `from`, which has gone to `to`; it takes one of the lot it was met from.
      const had = taken[via] ?? [];
      had[had.indexOf(from)] = had.at(-1) ?? -1;
      had.pop();
      [to, from] = [via, groupFrom[via] ?? -1];
    }
  };

  const place = (start: number): boolean => {
    if (metLots[start] === NEVER_AGAIN) return false;
    search += 1;
    metLots[start] = search;
    lotFrom[start] = -1;
    const direct = bestFree(graph.lot(start));
    if (direct !== -1) return shift(start, direct);
    const queue = [start];
    const slotsMet: number[] = [];
    const groupsMet: number[] = [];
    for (const index of queue) {
      const lot = graph.lot(index);
      for (const slot of lot.slots) {
        const again = metSlots[slot] === search;
        const candidates = (again ? rest[slot] : members[slot]) ?? [];
        const left: number[] = [];
        if (!again) slotsMet.push(slot);
        metSlots[slot] = search;
        rest[slot] = left;
        for (const group of candidates) {
          if ((metGroups[group] ?? 0) >= search) continue;
          if (isBarred(lot, group)) {
            left.push(group);
            continue;
          }
          metGroups[group] = search;
          groupFrom[group] = index;
          groupsMet.push(group);
          for (const next of taken[group] ?? []) {
            if ((metLots[next] ?? 0) >= search) continue;
            metLots[next] = search;
            lotFrom[next] = group;
            queue.push(next);
            const found = bestFree(graph.lot(next));
            if (found !== -1) return shift(next, found);
          }
        }
      }
    }
    // Nothing of what was met can reach a free agent any more: later searches need not look there.
    for (const lot of queue) metLots[lot] = NEVER_AGAIN;
    for (const group of groupsMet) metGroups[group] = NEVER_AGAIN;
    for (const slot of slotsMet) {
      members[slot] = rest[slot] ?? [];
      firstFree[slot] = 0;
    }
    return false;
  };

  return {
    place,
    taken,
    get free() {
      return free;
    },
  };
}
