// Says what happened over the channels, right after the step that did it. Nothing depends on a message: instances
// also read the facts once a second.

import type { Fact } from '../../core/facts.ts';
import type { Client } from './connect.ts';
import type { Keys } from './keys.ts';

const FACTS_PER_MESSAGE = 100;

/** What Banto tells an agent, and what the agent reported. */
const DIRECTIONS: Partial<Record<Fact['type'], 'requests' | 'responses'>> = {
  leased: 'requests',
  expired: 'requests',
  unlocked: 'requests',
  refused: 'requests',
  cancelled: 'requests',
  renewed: 'responses',
  completed: 'responses',
  failed: 'responses',
  released: 'responses',
};

export function createPublisher(client: Client, keys: Keys): (facts: readonly Fact[]) => void {
  const { channel, channel_events: events } = keys.at;
  const send = (to: string, message: string): void =>
    void client.publish(to, message).catch(() => undefined);
  return (facts) => {
    for (let from = 0; from < facts.length; from += FACTS_PER_MESSAGE) {
      send(events, JSON.stringify(facts.slice(from, from + FACTS_PER_MESSAGE)));
    }
    for (const fact of facts) {
      const direction = DIRECTIONS[fact.type];
      if (direction === undefined || !('agentId' in fact) || fact.agentId === null) continue;
      send(`${channel}${fact.agentId}:${direction}`, JSON.stringify(fact));
    }
  };
}
