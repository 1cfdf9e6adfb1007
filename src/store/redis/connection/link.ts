// The way to Redis. While the connection is away every call is told `busy`; when it is back, the generation is
// compared before anything else may pass.

import { Command, Redis } from 'ioredis';
import { type BantoError, busy } from '../../../core/errors.ts';
import type { Keys } from '../keys.ts';
import { type WrittenArguments, WrittenCommand } from './arguments.ts';
import { type Client, mastersOf } from './connect.ts';
import type { FunctionName, Library } from './library.ts';
import { refusalOf, translate } from './refusals.ts';

export type Reply = readonly unknown[];

export interface Link {
  /** A function of the library that knows the clock and the generation; its reply begins with a word. */
  run(name: FunctionName, args: readonly string[], more?: WrittenArguments): Promise<Reply>;
  send<Answer = unknown>(command: string, ...args: (string | number)[]): Promise<Answer>;
  /** A reply of names and values by turns: members with their scores, the fields of a hash. */
  pairs(command: string, ...args: (string | number)[]): Promise<[string, string][]>;
  /** Others' facts count as seen too. */
  sawSeq(seq: number): void;
  isUp(): boolean;
  close(): Promise<void>;
}

export type Call = (name: FunctionName, ...args: string[]) => Promise<Reply>;

export interface LinkOptions {
  readonly client: Client;
  readonly library: Library;
  readonly keys: Keys;
  /** Milliseconds as text, where a test owns the clock; otherwise ''. */
  readonly clock: () => string;
  readonly generation: () => string;
  /** Compares generations; runs alone, before anything else passes. */
  readonly attach: (call: Call, seen: number) => Promise<void>;
  readonly waitMs: number;
  readonly warn: (message: string, error?: unknown) => void;
}

const RETRY_ATTACH_MS = 250;
/** Functions that are removed again and again are loaded this often for one call. */
const MOST_LOADS = 3;
const closing = () => busy(new Error('The store is closed.'), 1, 'The store is closed.');

export async function openLink(options: LinkOptions): Promise<Link> {
  const { client, library, keys, clock } = options;
  let seen = 0;
  let up = false;
  let awaySince = performance.now();
  let closed = false;
  let opening = Promise.withResolvers<void>();
  opening.promise.catch(() => undefined);

  async function load(): Promise<void> {
    const loading = mastersOf(client).map((node) =>
      node.call('FUNCTION', 'LOAD', 'REPLACE', library.text),
    );
    await Promise.all(loading);
  }

  async function callFunction(
    name: FunctionName,
    args: readonly string[],
    more?: WrittenArguments,
  ): Promise<Reply> {
    const all = [library.called(name), '1', keys.at.meta, clock(), ...args];
    const send = () =>
      client.sendCommand(
        more === undefined
          ? new Command('FCALL', all, { replyEncoding: 'utf8' })
          : new WrittenCommand('FCALL', all, more),
      );
    for (let tries = 1; ; tries += 1) {
      try {
        return (await send()) as unknown[];
      } catch (error) {
        // It did not run: this server never saw it, was restarted without it, or somebody removed it.
        const missing = error instanceof Error && error.message.includes('Function not found');
        if (!missing || tries > MOST_LOADS) throw error;
        await load();
      }
    }
  }

  const alone: Call = (name, ...args) => callFunction(name, args);

  async function attach(): Promise<void> {
    if (closed) return;
    try {
      await options.attach(alone, seen);
      up = true;
      opening.resolve();
    } catch (error) {
      options.warn('Redis answers, but its data could not be compared yet', error);
      if (client.status === 'ready') setTimeout(() => void attach(), RETRY_ATTACH_MS).unref();
    }
  }

  function detach(): void {
    if (!up) return;
    up = false;
    awaySince = performance.now();
    opening = Promise.withResolvers<void>();
    opening.promise.catch(() => undefined);
  }

  function away(): BantoError {
    const seconds = Math.max(1, Math.round((performance.now() - awaySince) / 1000));
    return busy(new Error('Redis is away.'), 1, `Redis is away since ${seconds} s.`);
  }

  async function gate(): Promise<void> {
    if (up) return;
    if (closed) throw closing();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(away()), options.waitMs);
    try {
      await Promise.race([opening.promise, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async function through<T>(call: () => Promise<T>): Promise<T> {
    if (!up || closed) await gate();
    try {
      return await call();
    } catch (error) {
      throw translate(error);
    }
  }

  /** What is sent in one turn goes out in one write: a call to the system costs more than a command. */
  function gatherWrites(): void {
    const stream = client instanceof Redis ? (client.stream ?? null) : null;
    if (stream === null || stream.writableCorked > 0) return;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  const send = <Answer>(command: string, ...args: (string | number)[]): Promise<Answer> =>
    through(() => {
      gatherWrites();
      return client.call(command, ...args.map(String)) as Promise<Answer>;
    });

  let reattaching: Promise<void> | null = null;
  function reattach(): Promise<void> {
    if (reattaching === null) {
      detach();
      reattaching = attach().finally(() => {
        reattaching = null;
      });
    }
    return reattaching;
  }

  /** The connection is only said to be closed; why, was said before. */
  let refused: Error | null = null;
  client.on('error', (error: Error) => {
    const refusal = refusalOf(error);
    if (refusal !== null) refused = error;
    if (!closed) options.warn(refusal ?? 'Redis cannot be reached', error);
  });
  client.on('close', detach);
  try {
    await client.connect();
    await options.attach(alone, seen);
  } catch (error) {
    closed = true;
    client.disconnect();
    throw translate(refused ?? error);
  }
  up = client.status === 'ready';
  if (up) opening.resolve();
  client.on('ready', () => void attach());

  return {
    async run(name, args, more) {
      const reply = await through(() => callFunction(name, [options.generation(), ...args], more));
      if (reply[0] !== 'generation') return reply;
      // The data is not what this instance knew. Nothing was changed; the next call finds things settled.
      await reattach();
      throw busy(
        new Error('Redis lost data.'),
        1,
        'Redis lost data; what is left is being compared.',
      );
    },
    send,
    async pairs(command, ...args) {
      const flat = await send<string[]>(command, ...args);
      return Array.from({ length: flat.length / 2 }, (_, n) => [
        flat[2 * n] ?? '',
        flat[2 * n + 1] ?? '',
      ]);
    },
    sawSeq(seq) {
      seen = Math.max(seen, seq);
    },
    isUp: () => up && !closed,
    async close() {
      if (closed) return;
      closed = true;
      up = false;
      opening.reject(closing());
      client.disconnect();
    },
  };
}
