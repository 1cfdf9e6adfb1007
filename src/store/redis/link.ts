// The way to Redis: one script and one round trip a step. While the connection is away every call is told
// `busy`; when it is back, the generation is compared before anything else may pass.

import { BantoError, busy } from '../../core/errors.ts';
import type { Fact } from '../../core/facts.ts';
import type { Client } from './connect.ts';
import type { Keys } from './keys.ts';
import type { Script, ScriptName } from './scripts.ts';

export type Reply = readonly unknown[];

export interface Link {
  /** A step that changes something; its facts are told on, the rest of its reply is returned. */
  run(name: ScriptName, args: object, ...more: string[]): Promise<Reply>;
  /** A script that only reads. */
  read(name: ScriptName, ...args: string[]): Promise<unknown>;
  send(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** Facts of this instance's own steps, as they come back. */
  onFacts(listener: (facts: readonly Fact[]) => void): void;
  /** Others' facts count as seen too. */
  sawSeq(seq: number): void;
  seen(): number;
  close(): Promise<void>;
}

export interface LinkOptions {
  readonly client: Client;
  readonly scripts: ReadonlyMap<ScriptName, Script>;
  readonly keys: Keys;
  /** Milliseconds as text, where a test owns the clock; otherwise ''. */
  readonly clock: () => string;
  readonly generation: () => string;
  /** Compares generations; runs alone, before anything else passes. */
  readonly attach: (run: Link['run'], seen: number) => Promise<void>;
  readonly waitMs: number;
  readonly warn: (message: string, error?: unknown) => void;
}

const RETRY_ATTACH_MS = 250;
const NOT_NOW =
  /^(OOM|READONLY|LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|MISCONF|UNKILLABLE)\b/;

/** What Redis says is a fault of ours unless it says "not now"; silence and broken connections are `busy`. */
function translate(error: unknown): BantoError {
  if (error instanceof BantoError) return error;
  if (error instanceof Error && error.name === 'ReplyError' && !NOT_NOW.test(error.message)) {
    const code = /^(NOPERM|NOAUTH|WRONGPASS)/.test(error.message) ? 'misconfigured' : 'internal';
    return new BantoError(code, `Redis refused a command: ${error.message}`, { cause: error });
  }
  return busy(error);
}

export async function openLink(options: LinkOptions): Promise<Link> {
  const { client, scripts, keys, clock } = options;
  const listeners = new Set<(facts: readonly Fact[]) => void>();
  let seen = 0;
  let up = false;
  let closed = false;
  let opening = Promise.withResolvers<void>();
  opening.promise.catch(() => undefined);

  async function evaluate(script: Script, args: readonly string[]): Promise<unknown> {
    try {
      return await client.evalsha(script.sha, 1, keys.at.meta, ...args);
    } catch (error) {
      // It did not run: the server was restarted, or never saw it.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return client.eval(script.text, 1, keys.at.meta, ...args);
    }
  }

  function find(name: ScriptName): Script {
    const script = scripts.get(name);
    if (script === undefined) throw new Error(`There is no script ${name}.`);
    return script;
  }

  function tell(json: unknown): void {
    if (json === '[]') return;
    const facts = JSON.parse(String(json)) as Fact[];
    seen = Math.max(seen, facts.at(-1)?.seq ?? 0);
    for (const listener of listeners) listener(facts);
  }

  async function step(name: ScriptName, generation: string, args: object, more: string[]) {
    const all = [clock(), generation, JSON.stringify(args), ...more];
    const [facts, ...reply] = (await evaluate(find(name), all)) as unknown[];
    tell(facts);
    return reply;
  }

  async function attach(): Promise<void> {
    if (closed) return;
    try {
      await options.attach((name, args, ...more) => step(name, '', args, more), seen);
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
    opening = Promise.withResolvers<void>();
    opening.promise.catch(() => undefined);
  }

  async function gate(): Promise<void> {
    if (up) return;
    if (closed) throw new BantoError('busy', 'The store is closed.');
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(busy(new Error('Redis is away.'))), options.waitMs);
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

  client.on('error', (error: Error) => {
    if (!closed) options.warn('Redis cannot be reached', error);
  });
  client.on('close', detach);
  try {
    await client.connect();
    await options.attach((name, args, ...more) => step(name, '', args, more), seen);
  } catch (error) {
    closed = true;
    client.disconnect();
    throw translate(error);
  }
  up = client.status === 'ready';
  if (up) opening.resolve();
  client.on('ready', () => void attach());

  return {
    async run(name, args, ...more) {
      const reply = await through(() => step(name, options.generation(), args, more));
      if (reply[0] !== 'generation') return reply;
      // The data is not what this instance knew. Nothing was changed; the next call finds things settled.
      detach();
      await attach();
      throw busy(new Error('Redis lost data.'));
    },
    read: (name, ...args) => through(() => evaluate(find(name), args)),
    send: (command, ...args) => through(() => client.call(command, ...args.map(String))),
    onFacts: (listener) => void listeners.add(listener),
    sawSeq(seq) {
      seen = Math.max(seen, seq);
    },
    seen: () => seen,
    async close() {
      if (closed) return;
      closed = true;
      up = false;
      opening.reject(new BantoError('busy', 'The store is closed.'));
      client.disconnect();
    },
  };
}
