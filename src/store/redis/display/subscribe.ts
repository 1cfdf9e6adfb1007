// Tells listeners of every fact, whichever instance it happened on. Pub/sub and this instance's own replies
// are hints that make it quick; a periodic read of the facts makes it complete.

import type { Fact } from '../../../core/facts.ts';
import type { Client } from '../connection/connect.ts';
import { type Link, refusalOf } from '../connection/link.ts';
import { type Steps } from '../rows/steps.ts';
import type { FactLog } from './fact-log.ts';

const READ_EVERY_MS = 1000;
const PAGE = 500;

export interface Subscriptions {
  readonly subscribe: (listener: (facts: readonly Fact[]) => void) => () => void;
  close(): Promise<void>;
}

export function createSubscriptions(
  link: Link,
  steps: Pick<Steps, 'onFacts'>,
  log: FactLog,
  openSubscriber: () => Client,
  channel: string,
  warn: (message: string, error?: unknown) => void,
): Subscriptions {
  const listeners = new Set<(facts: readonly Fact[]) => void>();
  let subscriber: Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  /** The last fact told; null until it is known where to begin. */
  let told: number | null = null;
  let early: Fact[] = [];
  let reading = false;

  function tell(facts: readonly Fact[]): void {
    for (const listener of listeners) {
      try {
        listener(facts);
      } catch (error) {
        warn('A listener for facts failed', error);
      }
    }
  }

  /** In order and without gaps: what does not join on is read instead. */
  function offer(facts: readonly Fact[]): void {
    if (listeners.size === 0) return;
    if (told === null) {
      early.push(...facts);
      return;
    }
    const base = told;
    const fresh = facts.filter((fact) => fact.seq > base);
    const last = fresh.at(-1);
    if (last === undefined) return;
    link.sawSeq(last.seq);
    if (fresh[0]?.seq !== base + 1) {
      void catchUp();
      return;
    }
    told = last.seq;
    tell(fresh);
  }

  async function catchUp(): Promise<void> {
    if (reading || told === null) return;
    reading = true;
    try {
      for (;;) {
        const facts = await log.after(told, PAGE);
        const last = facts.at(-1);
        if (last === undefined || listeners.size === 0) return;
        const base: number = told;
        const fresh = facts.filter((fact) => fact.seq > base);
        told = Math.max(told, last.seq);
        link.sawSeq(told);
        if (fresh.length > 0) tell(fresh);
        if (facts.length < PAGE) return;
      }
    } catch (error) {
      warn('Facts could not be read; trying again', error);
    } finally {
      reading = false;
    }
  }

  async function findStart(): Promise<void> {
    try {
      told = await log.lastSeq();
      const waiting = early;
      early = [];
      offer(waiting);
    } catch (error) {
      warn('Facts could not be read; trying again', error);
      if (listeners.size > 0) setTimeout(begin, READ_EVERY_MS).unref();
    }
  }

  function begin(): void {
    void findStart();
    subscriber ??= listen();
    timer ??= setInterval(() => void catchUp(), READ_EVERY_MS).unref();
  }

  function listen(): Client {
    const client = openSubscriber();
    client.on('error', (error: Error) =>
      warn(refusalOf(error) ?? 'The subscription to Redis broke', error),
    );
    client.on('ready', () => void catchUp());
    client.on('message', (_channel: string, message: string) => {
      offer(JSON.parse(message) as Fact[]);
    });
    client.subscribe(channel).catch((error: unknown) => {
      warn('Could not subscribe; facts are read every second instead', error);
    });
    return client;
  }

  steps.onFacts(offer);

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) begin();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) told = null;
      };
    },
    async close() {
      listeners.clear();
      if (timer !== null) clearInterval(timer);
      subscriber?.disconnect();
    },
  };
}
