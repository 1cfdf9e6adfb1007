// Says what happened over the channels, right after the step that did it: everything of a moment in one call.
// Nothing depends on a message: instances also read the facts once a second.

import type { Fact } from '../../../core/facts.ts';
import { createArguments } from '../connection/arguments.ts';
import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import type { CountedFact } from '../rows/fact-lines.ts';

/** Messages of steps that follow each other closely go together. */
const GATHERED_MS = 5;

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
  link: Pick<Link, 'run'>,
  keys: Keys,
): (facts: readonly CountedFact[]) => void {
  const { channel, channel_events: events } = keys.at;
  const writeArguments = createArguments();
  let waiting: CountedFact[] = [];

  function channelOf(fact: Fact): string {
    const direction = DIRECTIONS[fact.type];
    if (direction === undefined || !('agentId' in fact) || fact.agentId === null) return '';
    return `${channel}${fact.agentId}:${direction}`;
  }

  function flush(): void {
    const facts = waiting;
    waiting = [];
    const told = writeArguments((to) => {
      for (const fact of facts) {
        to.text(toText(fact));
        to.text(channelOf(fact.fact));
      }
    });
    link.run('publish', [events], told).catch(() => undefined);
  }

  return (facts) => {
    if (waiting.length === 0) setTimeout(flush, GATHERED_MS);
    for (const fact of facts) waiting.push(fact);
  };
}
