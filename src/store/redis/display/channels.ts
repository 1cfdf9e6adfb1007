// Messages to and from one agent over its own two channels. Steps use the same channels to say
// what happened to its leases; nothing depends on a message arriving.

import { BantoError } from '../../../core/errors.ts';
import { isAgentId } from '../../../core/task.ts';
import type { Link } from '../connection/link.ts';
import type { Subscriber } from '../connection/subscriber.ts';
import type { Keys } from '../keys.ts';

export type Direction = 'requests' | 'responses';

export interface Channels {
  /** How many listeners there were, on whichever instance. */
  sendToAgent(agentId: string, message: object): Promise<number>;
  sendFromAgent(agentId: string, message: object): Promise<number>;
  /** Told of every message from now on, in order. Resolves once nothing can be missed; returns the end. */
  listen(
    agentId: string,
    direction: Direction,
    listener: (message: unknown) => void,
  ): Promise<() => Promise<void>>;
}

export function createChannels(link: Link, keys: Keys, subscriber: Subscriber): Channels {
  function channelOf(agentId: string, direction: Direction): string {
    if (!isAgentId(agentId)) throw new BantoError('invalid_request', `${agentId} names no agent.`);
    return `${keys.at.channel}${agentId}:${direction}`;
  }

  const send = async (agentId: string, direction: Direction, message: object): Promise<number> =>
    link.send('PUBLISH', channelOf(agentId, direction), JSON.stringify(message));

  return {
    sendToAgent: (agentId, message) => send(agentId, 'requests', message),
    sendFromAgent: (agentId, message) => send(agentId, 'responses', message),
    listen: async (agentId, direction, listener) =>
      subscriber.listen(channelOf(agentId, direction), (text) => listener(JSON.parse(text))),
  };
}
