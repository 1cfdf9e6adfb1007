// Tells listeners of every fact, whichever instance it happened on. Pub/sub and this instance's own replies
// are hints that make it quick; a periodic read of the facts makes it complete.

import type { Fact } from '../../../core/facts.ts';
import type { Subscriber } from '../connection/subscriber.ts';
import type { Parts } from '../parts.ts';
import type { FactLog } from './fact-log.ts';

const READ_EVERY_MS = 1000;
const PAGE = 500;

type Listener = (facts: readonly Fact[]) => void;

export interface Subscriptions {
  readonly subscribe: (listener: Listener) => () => void;
  close(): void;
}

type Subscribing = Pick<Parts, 'keys' | 'warn'> & {
  readonly link: Pick<Parts['link'], 'sawSeq'>;
  readonly steps: Pick<Parts['steps'], 'onFacts'>;
  readonly log: Pick<FactLog, 'after' | 'lastSeq'>;
  readonly subscriber: Pick<Subscriber, 'listen'>;
};

export function createSubscriptions(env: Subscribing): Subscriptions {
  const { link, keys, steps, log, subscriber, warn } = env;
  const listeners = new Set<Listener>();
  /** The last fact told; null until it is known where to begin. */
  let told: number | null = null;
  let timer: NodeJS.Timeout | null = null;
  let reading = false;

  function tell(facts: readonly Fact[]): void {
    const fresh = facts.filter(({ seq }) => told !== null && seq > told);
    const last = fresh.at(-1);
    if (last === undefined) return;
    told = last.seq;
    link.sawSeq(told);
    for (const listener of listeners) {
      try {
        listener(fresh);
      } catch (error) {
        warn('A listener for facts failed', error);
      }
    }
  }

  /** In order and without gaps: what does not join on is read instead. */
  function offer(facts: readonly Fact[]): void {
    if (told === null) return;
    const next = told + 1;
    const fresh = facts.filter(({ seq }) => seq >= next);
    const joined = fresh.filter(({ seq }, index) => seq === next + index);
    tell(joined);
    if (joined.length < fresh.length) void catchUp();
  }

  async function catchUp(): Promise<void> {
    if (reading || listeners.size === 0) return;
    reading = true;
    try {
      told ??= await log.lastSeq();
      while (told !== null) {
        const facts = await log.after(told, PAGE);
        tell(facts);
        if (facts.length < PAGE) return;
      }
    } catch (error) {
      warn('Facts could not be read; trying again', error);
    } finally {
      reading = false;
    }
  }

  function begin(): void {
    timer = setInterval(() => void catchUp(), READ_EVERY_MS).unref();
    subscriber
      .listen(keys.at.channel_events, (message) => offer(JSON.parse(message) as Fact[]))
      .catch((error: unknown) =>
        warn('Could not subscribe; facts are read every second instead', error),
      );
  }

  steps.onFacts(offer);

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (timer === null) begin();
      void catchUp();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) told = null;
      };
    },
    close() {
      listeners.clear();
      if (timer !== null) clearInterval(timer);
    },
  };
}
