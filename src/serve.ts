// The composition root: builds everything once, starts in order, stops in reverse.

import { readFileSync } from 'node:fs';
import { createBroker } from './broker/create-broker.ts';
import type { Config } from './config.ts';
import { BantoError } from './core/errors.ts';
import type { Forge } from './core/forge.ts';
import type { Store } from './core/store.ts';
import { createHttpDoor } from './doors/http/door.ts';
import { openGithubForge } from './forge/github/github-forge.ts';
import { openLocalForge } from './forge/local/local-forge.ts';
import { createSystemClock } from './store/sqlite/clock.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Telemetry } from './telemetry.ts';

export interface Served {
  readonly url: string;
  stop(): Promise<void>;
}

type Log = Telemetry['log'];

/** Crash tests name a point here at which the process kills itself. */
export interface ServeOptions {
  readonly reached?: (checkpoint: string) => void;
}

export async function openStore(config: Config, log: Log): Promise<Store> {
  if (config.store.kind === 'sqlite') {
    return openSqliteStore({
      dataDir: config.dataDir,
      log: (message, error) => log.error({ err: error }, message),
    });
  }
  throw new BantoError(
    'misconfigured',
    'This Banto has no Redis store yet: unset REDIS_URL and REDIS_HOST.',
  );
}

/** `now` is the store's clock: pictures of issues and our own writes are compared by it. */
async function openForge({ forge }: Config, now: () => number, log: Log): Promise<Forge> {
  if (forge.kind === 'local') return openLocalForge({ ...forge, now, log });
  return openGithubForge({ ...forge, pacing: { writes: forge.writes }, now, log });
}

/** What is wrong for good stops the start. A forge that is only out of reach does not: it will come back. */
async function checkForge(forge: Forge, log: Log): Promise<void> {
  try {
    await forge.check();
  } catch (error) {
    if (forge.kind === 'local' || error instanceof BantoError) throw error;
    log.warn({ err: error }, 'GitHub cannot be reached yet; what is known already is handed out');
  }
}

/** The store's clock without asking it each time: both follow the monotonic clock. */
async function followClock(store: Store): Promise<() => number> {
  const clock = createSystemClock();
  const ahead = (await store.now()) - clock.now();
  return () => Math.floor(clock.now() + ahead);
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

export async function serve(
  config: Config,
  telemetry: Telemetry,
  { reached }: ServeOptions = {},
): Promise<Served> {
  const { log } = telemetry;
  // What was opened is closed again in reverse, at the end or when a later step fails.
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const store = await openStore(config, log);
    closers.push(() => store.close());
    const forge = await openForge(config, await followClock(store), log);
    closers.push(() => forge.close());
    await checkForge(forge, log);
    const broker = createBroker({
      store,
      forge,
      policy: config.policy,
      log,
      onFlags: (flags) => telemetry.setDebug(flags.debug),
      ...(reached === undefined ? {} : { reached }),
    });
    const { host, port, tokensRequired } = config;
    const settings = { host, port, tokensRequired, version: packageVersion() };
    const door = createHttpDoor({ broker, settings, telemetry });
    await broker.start();
    // Together: the broker answers the open polls that the door waits for.
    closers.push(async () => {
      await Promise.all([door.close(), broker.stop()]);
    });
    return { url: await door.listen(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
