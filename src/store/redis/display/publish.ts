// Says what happened over the channels, right after the step that did it: everything of a moment in one call.
// Nothing depends on a message: instances also read the facts once a second.

import type { Fact } from '../../../core/facts.ts';
import type { Silent } from '../connection/silent.ts';
import type { Keys } from '../keys.ts';
import type { CountedFact } from '../rows/fact-lines.ts';

/** Messages of steps that follow each other closely go together. */
const GATHERED_MS = 5;
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
  silent: Pick<Silent, 'send'>,
  keys: Keys,
): (facts: readonly CountedFact[]) => void {
  const { channel, channel_events: events } = keys.at;
  let waiting: CountedFact[] = [];

  function channelOf(fact: Fact): string | null {
    const direction = DIRECTIONS[fact.type];
    if (direction === undefined || !('agentId' in fact) || fact.agentId === null) return null;
    return `${channel}${fact.agentId}:${direction}`;
  }

  function flush(): void {
    const facts = waiting;
    waiting = [];
    const texts = facts.map(toText);
    const sent = silent.send(events, (to) => {
      for (let from = 0; from < texts.length; from += MOST_TOGETHER) {
        to.command(['PUBLISH', events, `[${texts.slice(from, from + MOST_TOGETHER).join()}]`]);
      }
      facts.forEach(({ fact }, index) => {
        const own = channelOf(fact);
        if (own !== null) to.command(['PUBLISH', own, texts[index] as string]);
      });
    });
    sent.catch(() => undefined);
  }

  return (facts) => {
    if (waiting.length === 0) setTimeout(flush, GATHERED_MS);
    for (const fact of facts) waiting.push(fact);
  };
}
