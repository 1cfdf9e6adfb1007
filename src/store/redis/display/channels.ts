// Messages to and from one agent over its own two channels. Steps use the same channels to say
// what happened to its leases; nothing depends on a message arriving.

import { BantoError } from '../../../core/errors.ts';
import { isAgentId } from '../../../core/task.ts';
import type { Client } from '../connection/connect.ts';
import { type Link, refusalOf } from '../connection/link.ts';
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
  close(): Promise<void>;
}

export function createChannels(
  link: Link,
  keys: Keys,
  openSubscriber: () => Client,
  warn: (message: string, error?: unknown) => void,
): Channels {
  const listeners = new Map<string, Set<(message: unknown) => void>>();
  let subscriber: Client | null = null;

  function channelOf(agentId: string, direction: Direction): string {
    if (!isAgentId(agentId)) throw new BantoError('invalid_request', `${agentId} names no agent.`);
    return `${keys.at.channel}${agentId}:${direction}`;
  }

  async function send(agentId: string, direction: Direction, message: object): Promise<number> {
    const heard = await link.send(
      'PUBLISH',
      channelOf(agentId, direction),
      JSON.stringify(message),
    );
    return Number(heard);
  }

  function tell(channel: string, text: string): void {
    for (const listener of listeners.get(channel) ?? []) {
      try {
        listener(JSON.parse(text));
      } catch (error) {
        warn(`A message on ${channel} could not be taken`, error);
      }
    }
  }

  function connected(): Client {
    if (subscriber !== null) return subscriber;
    subscriber = openSubscriber();
    subscriber.on('error', (error: Error) =>
      warn(refusalOf(error) ?? 'The subscription to Redis broke', error),
    );
    subscriber.on('message', tell);
    return subscriber;
  }

  return {
    sendToAgent: (agentId, message) => send(agentId, 'requests', message),
    sendFromAgent: (agentId, message) => send(agentId, 'responses', message),
    async listen(agentId, direction, listener) {
      const channel = channelOf(agentId, direction);
      const client = connected();
      const others = listeners.get(channel) ?? new Set();
      listeners.set(channel, others.add(listener));
      await client.subscribe(channel);
      return async () => {
        others.delete(listener);
        if (others.size > 0 || listeners.get(channel) !== others) return;
        listeners.delete(channel);
        await client.unsubscribe(channel);
      };
    },
    async close() {
      listeners.clear();
      subscriber?.disconnect();
    },
  };
}
