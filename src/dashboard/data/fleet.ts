// What each agent does at this moment, from what it holds and when it was last heard of.

import type { Agent, Card } from './contract.ts';

export type Doing = 'working' | 'reviewing' | 'asking' | 'waiting' | 'free' | 'idle' | 'stopped';

export interface Member {
  readonly agent: Agent;
  readonly doing: Doing;
  readonly held: readonly Card[];
}

function doingOf(agent: Agent, held: readonly Card[]): Doing {
  const [first] = held;
  if (first?.question) return 'asking';
  if (agent.status === 'zombie') return 'stopped';
  if (first !== undefined) {
    return first.kind === 'review' ? 'reviewing' : 'working';
  }
  if (agent.waiting) return 'waiting';
  return agent.status === 'active' ? 'free' : 'idle';
}

const ORDER: readonly Doing[] = [
  'asking',
  'working',
  'reviewing',
  'waiting',
  'free',
  'stopped',
  'idle',
];

export function fleetOf(agents: readonly Agent[], cards: Iterable<Card>): Member[] {
  const held = new Map<string, Card[]>();
  for (const card of cards) {
    const holder = card.lease?.agent_id;
    if (holder === undefined) continue;
    held.set(holder, [...(held.get(holder) ?? []), card]);
  }
  return agents
    .map((agent) => {
      const theirs = held.get(agent.agent_id) ?? [];
      return { agent, held: theirs, doing: doingOf(agent, theirs) };
    })
    .sort(
      (a, b) =>
        ORDER.indexOf(a.doing) - ORDER.indexOf(b.doing) ||
        a.agent.agent_id.localeCompare(b.agent.agent_id, 'en', { numeric: true }),
    );
}

export const isBusy = (doing: Doing) =>
  doing === 'working' || doing === 'reviewing' || doing === 'asking';
export const isStopped = (doing: Doing) => doing === 'stopped' || doing === 'idle';
