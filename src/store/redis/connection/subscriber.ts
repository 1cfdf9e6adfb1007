// One connection for everything that is listened to, opened when somebody listens for the first time. Nothing depends
// on a message arriving.

import type { Client } from './connect.ts';
import { refusalOf } from './refusals.ts';

type Listener = (message: string) => void;

export interface Subscriber {
  /** Told of every message from now on, in order. Resolves once nothing can be missed; returns the end. */
  listen(channel: string, listener: Listener): Promise<() => Promise<void>>;
  close(): void;
}

export function createSubscriber(
  open: () => Client,
  warn: (message: string, error?: unknown) => void,
): Subscriber {
  const listeners = new Map<string, Set<Listener>>();
  let client: Client | null = null;

  function tell(channel: string, message: string): void {
    for (const listener of listeners.get(channel) ?? []) {
      try {
        listener(message);
      } catch (error) {
        warn(`A message on ${channel} could not be taken`, error);
      }
    }
  }

  function connect(): Client {
    const opened = open();
    opened.on('error', (error: Error) =>
      warn(refusalOf(error) ?? 'The subscription to Redis broke', error),
    );
    opened.on('message', tell);
    return opened;
  }

  return {
    async listen(channel, listener) {
      client ??= connect();
      const subscribed = client;
      const others = listeners.get(channel) ?? new Set();
      listeners.set(channel, others.add(listener));
      await subscribed.subscribe(channel);
      return async () => {
        others.delete(listener);
        if (others.size > 0 || listeners.get(channel) !== others) return;
        listeners.delete(channel);
        await subscribed.unsubscribe(channel);
      };
    },
    close() {
      listeners.clear();
      client?.disconnect();
    },
  };
}
