// A connection for commands that nobody wants an answer of: each write asks Redis to be silent until its end. It is apart
// from the one that verbs use, so that an answer which comes all the same is never taken for another's.

import { type Arguments, createArguments, SilentCommands } from './arguments.ts';
import type { Client } from './connect.ts';
import { translate } from './refusals.ts';

type Fill = (to: Arguments) => void;

export interface Silent {
  /** All in one write, on the node that has this key; done once Redis has run them. */
  send(key: string, fill: Fill): Promise<void>;
  /** The same with what others want to say in the next moment. */
  soon(key: string, fill: Fill): Promise<void>;
  /** Somebody waits for what was to be said soon. */
  hurry(): void;
  /** What was sent is read and not done: whoever reads it takes no writes (any more), and cannot say so. */
  reconnect(): void;
  close(): void;
}

const GATHERED_MS = 5;
/** While there is much to say, it is said more rarely: each write wakes Redis up. */
const MUCH = 5;
const GATHERED_BUSY_MS = 50;

interface Gathering {
  readonly key: string;
  readonly fills: Fill[];
  readonly timer: NodeJS.Timeout;
  readonly sent: PromiseWithResolvers<void>;
}

/** `key`: any that it writes. */
export async function openSilent(
  client: Client,
  key: string,
  warn: (message: string, error?: unknown) => void,
): Promise<Silent> {
  const writeArguments = createArguments();
  client.on('error', (error: Error) => warn('The silent connection to Redis broke', error));
  try {
    await client.connect();
    // Later nobody hears of a right that is missing: all that is needed is tried once with answers.
    await client.call('CLIENT', 'REPLY', 'ON');
    await client.watch(key);
    await client.eval('return 1', 1, key);
    await client.multi().get(key).exec();
  } catch (error) {
    client.disconnect();
    throw translate(error);
  }
  async function send(key: string, fill: Fill): Promise<void> {
    const { bytes } = writeArguments((to) => {
      to.command(['CLIENT', 'REPLY', 'OFF']);
      fill(to);
      to.command(['CLIENT', 'REPLY', 'ON']);
    });
    try {
      await client.sendCommand(new SilentCommands(key, bytes));
    } catch (error) {
      throw translate(error);
    }
  }

  let gathering: Gathering | null = null;
  let nextAt = 0;

  function sendGathered(): void {
    if (gathering === null) return;
    const { key, fills, timer, sent } = gathering;
    gathering = null;
    clearTimeout(timer);
    nextAt = performance.now() + (fills.length > MUCH ? GATHERED_BUSY_MS : 0);
    const all: Fill = (to) => {
      for (const fill of fills) fill(to);
    };
    send(key, all).then(sent.resolve, sent.reject);
  }

  function begin(key: string): Gathering {
    const waitMs = Math.max(GATHERED_MS, nextAt - performance.now());
    const timer = setTimeout(sendGathered, waitMs);
    return { key, fills: [], timer, sent: Promise.withResolvers<void>() };
  }

  return {
    send,
    soon(key, fill) {
      gathering ??= begin(key);
      gathering.fills.push(fill);
      return gathering.sent.promise;
    },
    hurry: sendGathered,
    reconnect: () => client.disconnect(true),
    close: () => client.disconnect(),
  };
}
