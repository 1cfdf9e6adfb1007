// Says what happened over the channels, right after the step that did it: everything of a moment in one call.
// Nothing depends on a message: instances also read the facts once a second.

import type { Fact } from '../../../core/facts.ts';
import type { Arguments } from '../connection/arguments.ts';
import type { Silent } from '../connection/silent.ts';
import type { Keys } from '../keys.ts';
import type { CountedFact } from '../rows/fact-lines.ts';

/** Of one message to everybody. */
const MOST_TOGETHER = 100;

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

/** What is already spelled out is not spelled out again. */
const toText = ({ fact, body }: CountedFact): string =>
  body === undefined ? JSON.stringify(fact) : `{"seq":${fact.seq},"at":${fact.at},${body.slice(1)}`;

export function createPublisher(
  silent: Pick<Silent, 'soon'>,
  keys: Keys,
): (facts: readonly CountedFact[]) => void {
  const { channel, channel_events: events } = keys.at;

  function channelOf(fact: Fact): string | null {
    const direction = DIRECTIONS[fact.type];
    if (direction === undefined || !('agentId' in fact) || fact.agentId === null) return null;
    return `${channel}${fact.agentId}:${direction}`;
  }

  function say(facts: readonly CountedFact[], to: Arguments): void {
    const texts = facts.map(toText);
    for (let from = 0; from < texts.length; from += MOST_TOGETHER) {
      to.command(['PUBLISH', events, `[${texts.slice(from, from + MOST_TOGETHER).join()}]`]);
    }
    for (let index = 0; index < facts.length; index += 1) {
      const own = channelOf((facts[index] as CountedFact).fact);
      if (own !== null) to.command(['PUBLISH', own, texts[index] as string]);
    }
  }

  return (facts) => {
    silent.soon(events, (to) => say(facts, to)).catch(() => undefined);
  };
}
