// Waiting agents by what they can take. Pairing looks at groups, and at an agent only where a bucket
// names it.

import type { Seeker } from '../ticket.ts';
import { seekerKey } from './match.ts';

export interface Waiter extends Seeker {
  readonly id: string;
  /** The instant it began to wait. */
  readonly since: number;
}

export interface AgentGroup {
  /** Set where a bucket names the agent; such an agent is a group of its own. */
  readonly agentId: string | null;
  /** What each of its agents asks for: more than one where an agent waits in several ways at once. */
  readonly seekers: readonly Seeker[];
  /** Each agent's waiters, oldest first; the agents in order of their oldest. */
  readonly agents: (readonly Waiter[])[];
}

/** Groups in order of their longest waiter, whatever the order of the array. */
export function groupAgents(
  waiters: readonly Waiter[],
  named: ReadonlySet<string>,
): readonly AgentGroup[] {
  const byAgent = new Map<string, Waiter[]>();
  for (const waiter of [...waiters].sort(byAge)) {
    const own = byAgent.get(waiter.agentId);
    if (own === undefined) byAgent.set(waiter.agentId, [waiter]);
    else own.push(waiter);
  }
  const groups = new Map<string, AgentGroup>();
  for (const [agentId, own] of byAgent) {
    const isNamed = named.has(agentId);
    const { key, seekers } = wishesOf(own, isNamed);
    const group = groups.get(key);
    if (group !== undefined) group.agents.push(own);
    else groups.set(key, { agentId: isNamed ? agentId : null, seekers, agents: [own] });
  }
  return [...groups.values()];
}

function wishesOf(
  own: readonly Waiter[],
  isNamed: boolean,
): { key: string; seekers: readonly Seeker[] } {
  const [first] = own;
  if (first !== undefined && own.length === 1)
    return { key: seekerKey(first, isNamed), seekers: own };
  const wishes = new Map(own.map((waiter) => [seekerKey(waiter, isNamed), waiter]));
  const keys = [...wishes.keys()].sort();
  // A key is the JSON of an array that begins with an array; this one begins with a string.
  const key = keys.length === 1 ? (keys[0] ?? '') : JSON.stringify(keys);
  return { key, seekers: [...wishes.values()] };
}

function byAge(a: Waiter, b: Waiter): number {
  if (a.since !== b.since) return a.since - b.since;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}
