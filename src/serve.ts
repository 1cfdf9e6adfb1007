// The composition root: builds everything once, starts in order, stops in reverse.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBroker } from './broker/create-broker.ts';
import { openStore } from './compose/open-store.ts';
import type { Config } from './config/shape.ts';
import { BantoError } from './core/errors.ts';
import type { Forge } from './core/forge.ts';
import type { Store } from './core/store.ts';
import { tokenSetting } from './core/token.ts';
import { createHttpDoor } from './doors/http/door.ts';
import { isLoopback } from './doors/http/settings.ts';
import { createMcpOverHttp } from './doors/mcp/over-http.ts';
import { makeObjectsYoung } from './machine/young-objects.ts';
import { createWebhook } from './notify/webhook.ts';
import { loadPrompts } from './prompts/load-prompts.ts';
import { createSystemClock } from './store/memory/clock.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import { openTraces, type Traces } from './telemetry/traces.ts';

export interface Served {
  readonly url: string;
  readonly repositories: readonly string[];
  stop(): Promise<void>;
}

type Log = Telemetry['log'];

const TRACES_END_MS = 2000;

/** Crash tests name a point here at which the process kills itself. */
export interface ServeOptions {
  readonly reached?: (checkpoint: string) => void;
}

/** The forge follows the store's clock: pictures of issues and our own writes are compared by it. Only one is loaded. */
async function openForge({ forge, dataDir }: Config, store: Store, log: Log): Promise<Forge> {
  const now = await followClock(store);
  if (forge.kind === 'local') {
    const { openLocalForge } = await import('./forge/local/local-forge.ts');
    return openLocalForge({ ...forge, dataDir, now, log });
  }
  const { openGithubForge } = await import('./forge/github/github-forge.ts');
  const { openPace } = store;
  return openGithubForge({
    ...forge,
    pacing: { writes: forge.writes },
    ...(openPace === undefined ? {} : { openPace }),
    now,
    log,
  });
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

/** Anybody who can reach the address could take every task: a server without tokens must not start there. */
async function requireToken({ tokensRequired, host }: Config, store: Store): Promise<void> {
  if (!tokensRequired || (await store.settings(tokenSetting(''))).size > 0) return;
  const why = isLoopback(host)
    ? 'REQUIRE_TOKENS is on'
    : `BROKER_HOST ${host} can be reached by others, so tokens are needed`;
  throw new BantoError(
    'misconfigured',
    `${why}, and there is no token yet. Create one first: banto token create --operator`,
  );
}

/** The store's clock without asking it each time: both follow the monotonic clock. */
async function followClock(store: Store): Promise<() => number> {
  const clock = createSystemClock();
  const ahead = (await store.now()) - clock.now();
  return () => Math.floor(clock.now() + ahead);
}

/** A collector that is away must not keep Banto from ending. */
async function closeTraces(traces: Traces, log: Log): Promise<void> {
  const sent = traces.stop().catch((error: unknown) => {
    log.warn({ err: error }, 'the last traces could not be sent');
  });
  await Promise.race([sent, sleep(TRACES_END_MS, undefined, { ref: false })]);
}

function measureUsage(): () => { cpu: number; memoryBytes: number } {
  let before = process.cpuUsage();
  let beforeAt = performance.now();
  return () => {
    const used = process.cpuUsage(before);
    const elapsedMs = Math.max(1, performance.now() - beforeAt);
    before = process.cpuUsage();
    beforeAt = performance.now();
    return {
      cpu: (used.user + used.system) / 1000 / elapsedMs,
      memoryBytes: process.memoryUsage.rss(),
    };
  };
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
  makeObjectsYoung();
  const { log } = telemetry;
  const prompts = loadPrompts(config.prompts);
  // What was opened is closed again in reverse, at the end or when a later step fails.
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const store = telemetry.timedStore(await openStore(config, log));
    closers.push(() => store.close());
    await requireToken(config, store);
    const forge = telemetry.timedForge(await openForge(config, store, log));
    closers.push(() => forge.close());
    await checkForge(forge, log);
    const traces = config.traces === true ? await openTraces(packageVersion()) : null;
    if (traces !== null) closers.push(() => closeTraces(traces, log));
    const broker = createBroker({
      store,
      forge,
      policy: config.policy,
      prompts,
      log,
      listeners: [telemetry.takeFacts, ...(traces === null ? [] : [traces.takeFacts])],
      handedOut: telemetry.handedOut,
      ...(config.notify === undefined
        ? {}
        : { notify: { send: createWebhook(config.notify), sent: telemetry.notified } }),
      onFlags: (flags) => telemetry.setDebug(flags.debug),
      usage: measureUsage(),
      ...(reached === undefined ? {} : { reached }),
    });
    const { host, port, tokensRequired, allowedHosts } = config;
    const settings = { host, port, tokensRequired, allowedHosts, version: packageVersion() };
    telemetry.beforeMetrics(async () => {
      await broker.catchUp();
      telemetry.showAgents(await broker.agents());
    });
    const door = createHttpDoor({
      broker,
      settings,
      telemetry,
      createMcp: createMcpOverHttp,
    });
    await broker.start();
    // Together: the broker answers the open polls that the door waits for.
    closers.push(async () => {
      await Promise.all([door.close(), broker.stop()]);
    });
    return { url: await door.listen(), repositories: forge.repositories, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
