// The way to Redis: one step, one round trip; steps that are asked for in one turn of the event loop share
// theirs. While the connection is away every call is told
// `busy`; when it is back, the generation is compared before anything else may pass.

import { BantoError, busy } from '../../core/errors.ts';
import type { Fact } from '../../core/facts.ts';
import { type Client, Cluster } from './connect.ts';
import type { Keys } from './keys.ts';
import type { Library, ReadName, StepName } from './scripts.ts';

export type Reply = readonly unknown[];

export interface Link {
  /** A step that changes something; its facts are told on, the rest of its reply is returned. */
  run(name: StepName, args: object, groups?: string): Promise<Reply>;
  /** A look at one moment. */
  read(name: ReadName, ...args: string[]): Promise<unknown>;
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
  readonly library: Library;
  readonly keys: Keys;
  /** Milliseconds as text, where a test owns the clock; otherwise ''. */
  readonly clock: () => string;
  readonly generation: () => string;
  /** Compares generations; runs alone, before anything else passes. */
  readonly attach: (run: Link['run'], seen: number) => Promise<void>;
  readonly waitMs: number;
  readonly warn: (message: string, error?: unknown) => void;
}

interface Asked {
  readonly name: StepName;
  readonly args: object;
  readonly groups: string;
}

interface Waiting extends Asked {
  readonly resolve: (answer: Reply) => void;
  readonly reject: (error: unknown) => void;
}

const MOST_PER_BATCH = 32;
const BATCHED: ReadonlySet<StepName> = new Set([
  'claim',
  'recall',
  'mark-answered',
  'heartbeat',
  'complete',
  'fail',
  'release',
]);
const RETRY_ATTACH_MS = 250;
/** Functions that are removed again and again are loaded this often for one call. */
const MOST_LOADS = 3;
const NOT_NOW =
  /^(OOM|READONLY|LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|MISCONF|UNKILLABLE)\b/;

/** A verb that failed alone inside its batch, because Redis refused one of its commands for now. */
function redisError([, message]: Reply): BantoError | null {
  if (!NOT_NOW.test(String(message))) return null;
  return translate(new Error(String(message)));
}

const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [
    /^WRONGPASS/,
    'Redis refuses the password. Check REDIS_PASSWORD and REDIS_USERNAME, or the ones in REDIS_URL.',
  ],
  [/^NOAUTH/, 'Redis asks for a password. Set REDIS_PASSWORD, or put it into REDIS_URL.'],
  [/^NOPERM/, 'The Redis user may not do what Banto needs; docs/redis.md has its rights.'],
];

/** The sentence where Redis knows us and does not let us in; null: that is not what happened. */
export function refusalOf(error: Error): string | null {
  const sentence = REFUSALS.find(([word]) => word.test(error.message))?.[1];
  return sentence === undefined ? null : `${sentence} (${error.message})`;
}

/** What Redis says is a fault of ours unless it says "not now"; silence and broken connections are `busy`. */
export function translate(error: unknown): BantoError {
  if (error instanceof BantoError) return error;
  if (error instanceof Error && error.name === 'ReplyError' && !NOT_NOW.test(error.message)) {
    const refused = refusalOf(error);
    if (refused !== null) return new BantoError('misconfigured', refused, { cause: error });
    return new BantoError('internal', `Redis refused a command: ${error.message}`, {
      cause: error,
    });
  }
  const [, word] = NOT_NOW.exec(error instanceof Error ? error.message : '') ?? [];
  const detail =
    word === undefined ? 'Redis does not answer.' : `Redis takes no writes for now (${word}).`;
  return busy(error, 1, detail);
}

const closing = () => busy(new Error('The store is closed.'), 1, 'The store is closed.');

export async function openLink(options: LinkOptions): Promise<Link> {
  const { client, library, keys, clock } = options;
  const listeners = new Set<(facts: readonly Fact[]) => void>();
  let seen = 0;
  let up = false;
  let awaySince = performance.now();
  let closed = false;
  let opening = Promise.withResolvers<void>();
  opening.promise.catch(() => undefined);

  async function load(): Promise<void> {
    const nodes = client instanceof Cluster ? client.nodes('master') : [client];
    await Promise.all(nodes.map((node) => node.call('FUNCTION', 'LOAD', 'REPLACE', library.text)));
  }

  async function callFunction(name: string, args: readonly string[]): Promise<unknown> {
    const all = [name, '1', keys.at.meta, ...args];
    for (let tries = 1; ; tries += 1) {
      try {
        return await client.call('FCALL', ...all);
      } catch (error) {
        // It did not run: this server never saw it, was restarted without it, or somebody removed it.
        const missing = error instanceof Error && error.message.includes('Function not found');
        if (!missing || tries > MOST_LOADS) throw error;
        await load();
      }
    }
  }

  function tell(json: unknown): void {
    if (json === '[]') return;
    const facts = JSON.parse(String(json)) as Fact[];
    seen = Math.max(seen, facts.at(-1)?.seq ?? 0);
    for (const listener of listeners) listener(facts);
  }

  /** Runs these in one step, in order; each has its own answer. */
  async function steps(generation: string, asked: readonly Asked[]): Promise<Reply[]> {
    const args = asked.flatMap(({ name, args, groups }) => [name, JSON.stringify(args), groups]);
    const reply = (await callFunction(library.batch, [clock(), generation, ...args])) as unknown[];
    const [facts, ...answers] = reply;
    tell(facts);
    return answers[0] === 'generation' ? asked.map(() => answers) : (answers as Reply[]);
  }

  async function alone(name: StepName, args: object, groups = ''): Promise<Reply> {
    const [answer = []] = await steps('', [{ name, args, groups }]);
    if (answer[0] === 'error') throw failed(name, answer);
    return answer;
  }

  function failed(name: StepName, [, message]: Reply): BantoError {
    return new BantoError('internal', `Redis could not run ${name}: ${String(message)}`);
  }

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

  // What is asked for in one turn of the event loop shares one round trip. Only verbs that touch one task
  // each: the others may take long, or look at what a step before them has not written yet.
  let queue: Waiting[] = [];

  function flush(): void {
    const batch = queue.splice(0, MOST_PER_BATCH);
    if (queue.length > 0) setImmediate(flush);
    through(() => steps(options.generation(), batch)).then(
      (answers) => {
        for (const [index, waiting] of batch.entries()) waiting.resolve(answers[index] ?? []);
        return answers;
      },
      (error: unknown) => {
        for (const waiting of batch) waiting.reject(error);
      },
    );
  }

  async function batched(asked: Asked): Promise<Reply> {
    if (!BATCHED.has(asked.name)) {
      const [answer = []] = await through(() => steps(options.generation(), [asked]));
      return answer;
    }
    return new Promise((resolve, reject) => {
      if (queue.length === 0) setImmediate(flush);
      queue.push({ ...asked, resolve, reject });
    });
  }

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
    async run(name, args, groups = '') {
      const reply = await batched({ name, args, groups });
      if (reply[0] === 'error') throw translate(redisError(reply) ?? failed(name, reply));
      if (reply[0] !== 'generation') return reply;
      // The data is not what this instance knew. Nothing was changed; the next call finds things settled.
      await reattach();
      throw busy(
        new Error('Redis lost data.'),
        1,
        'Redis lost data; what is left is being compared.',
      );
    },
    read: (name, ...args) => through(() => callFunction(library.read(name), args)),
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
      opening.reject(closing());
      client.disconnect();
    },
  };
}
