// The graph that pairing runs on. Groups of agents meet buckets in slots ("label python", "label docs in
// o/r"): a few edges for each group and each bucket, instead of one for every pair of them.

import type { TaskKind } from '../task.ts';
import type { Seeker } from '../ticket.ts';
import { type Bucket, namesNobody, parseBucketKey, REVIEW_CAPABILITY } from './match.ts';
import { type AgentGroup, groupAgents, type Waiter } from './pair-groups.ts';

export interface Supply {
  /** A key of `match.ts`. */
  readonly bucket: string;
  /** Scores of the oldest ready tasks there, rising. */
  readonly scores: readonly number[];
}

interface Group extends AgentGroup {
  /** May name one twice, where what the agents ask for does. */
  readonly slots: readonly number[];
}

/** A bucket as the graph sees it. */
export interface Lot {
  readonly bucket: Bucket;
  readonly slots: readonly number[];
  /** So many of its slots, from the first, stand for a label. */
  readonly labelSlots: number;
  /** Agents that stand in its slots and still may not have it. */
  readonly barred: readonly string[];
}

export interface Graph {
  /** In order of their longest waiter. */
  readonly groups: readonly Group[];
  readonly slotCount: number;
  /** The bucket with this index in the supply; read when it is needed, since most of many never are. */
  lot(index: number): Lot;
}

/** What one filter admits. An agent without a filter stands in the scope of all (null), once. */
interface Scope {
  readonly labels: Map<string, number>;
  readonly review: Map<string, number>;
  readonly reserved: Map<string, number>;
}

type Scopes = Map<string | null, Map<TaskKind | null, Scope>>;

const ANYTHING = '*';
const ALL = [null];
const NOBODY: readonly string[] = [];

export function buildGraph(waiters: readonly Waiter[], supply: readonly Supply[]): Graph {
  const named = new Set<string>();
  const favoured = new Set<string>();
  for (const { bucket } of supply) {
    if (namesNobody(bucket)) continue;
    const { only, authors } = parseBucketKey(bucket);
    if (only !== null) favoured.add(only);
    for (const author of authors) named.add(author);
  }
  const scopes: Scopes = new Map();
  const counter = { slots: 0 };
  const groups = groupAgents(waiters, new Set([...named, ...favoured])).map((group): Group => {
    const { agentId, seekers, agents } = group;
    const reservedFor = agentId !== null && favoured.has(agentId) ? agentId : null;
    const slots: number[] = [];
    for (const seeker of seekers) join(seeker, reservedFor, scopes, counter, slots);
    return { agentId, seekers, agents, slots };
  });
  const lots: Lot[] = [];
  return {
    groups,
    slotCount: counter.slots,
    lot: (index) => (lots[index] ??= readLot(supply[index]?.bucket ?? '', scopes)),
  };
}

/** Opens the slots that a seeker stands in, where it is the first, and adds them to its own. */
function join(
  { capabilities, kinds, repositories }: Seeker,
  reservedFor: string | null,
  scopes: Scopes,
  counter: { slots: number },
  own: number[],
): void {
  const reviews = capabilities.includes(REVIEW_CAPABILITY) || capabilities.includes(ANYTHING);
  for (const repository of repositories ?? ALL) {
    for (const kind of kinds ?? ALL) {
      const scope = scopeAt(scopes, repository, kind);
      if (reviews) own.push(slotAt(scope.review, REVIEW_CAPABILITY, counter));
      if (reservedFor !== null) own.push(slotAt(scope.reserved, reservedFor, counter));
      for (const name of capabilities) own.push(slotAt(scope.labels, name, counter));
    }
  }
}

function slotAt(among: Map<string, number>, name: string, counter: { slots: number }): number {
  let slot = among.get(name);
  if (slot === undefined) {
    slot = counter.slots;
    counter.slots += 1;
    among.set(name, slot);
  }
  return slot;
}

function scopeAt(scopes: Scopes, repository: string | null, kind: TaskKind | null): Scope {
  let kinds = scopes.get(repository);
  if (kinds === undefined) scopes.set(repository, (kinds = new Map()));
  let scope = kinds.get(kind);
  if (scope === undefined) {
    scope = { labels: new Map(), review: new Map(), reserved: new Map() };
    kinds.set(kind, scope);
  }
  return scope;
}

function readLot(key: string, scopes: Scopes): Lot {
  const bucket = parseBucketKey(key);
  const { repository, kind, only, labels, authors } = bucket;
  const own: Scope[] = [];
  for (const kinds of [scopes.get(null), scopes.get(repository)]) {
    for (const scope of [kinds?.get(null), kinds?.get(kind)]) {
      if (scope !== undefined) own.push(scope);
    }
  }
  const slots: number[] = [];
  const open = (slot: number | undefined) => {
    if (slot !== undefined && !slots.includes(slot)) slots.push(slot);
  };
  if (only !== null) {
    for (const scope of own) open(scope.reserved.get(only));
    return { bucket, slots, labelSlots: 0, barred: NOBODY };
  }
  if (kind === 'review') {
    for (const scope of own) open(scope.review.get(REVIEW_CAPABILITY));
    return { bucket, slots, labelSlots: 0, barred: authors };
  }
  for (const scope of own) for (const label of labels) open(scope.labels.get(label));
  const labelSlots = slots.length;
  for (const scope of own) open(scope.labels.get(ANYTHING));
  return { bucket, slots, labelSlots, barred: NOBODY };
}
