// The shared store: one Redis, any number of Banto instances. Builds the verbs once around one connection.

import { randomBytes } from 'node:crypto';
import type { BaseStore } from '../../core/base-store.ts';
import { BantoError } from '../../core/errors.ts';
import type { Fact } from '../../core/facts.ts';
import type { OpenPace } from '../../core/pace/pace.ts';
import type { Store } from '../../core/store.ts';
import { withVerbs } from '../verbs.ts';
import { checkServer } from './connection/check.ts';
import { type Client, openClient, type RedisConnection, targetOf } from './connection/connect.ts';
import { loadLibrary } from './connection/library.ts';
import { type Call, openLink } from './connection/link.ts';
import { refusalOf } from './connection/refusals.ts';
import { openSilent } from './connection/silent.ts';
import { createStoreClock } from './connection/store-clock.ts';
import { createSubscriber } from './connection/subscriber.ts';
import { createAgents } from './display/agents.ts';
import { type Channels, createChannels } from './display/channels.ts';
import { createFactLog } from './display/fact-log.ts';
import { createLogs } from './display/logs.ts';
import { createProjection } from './display/projection.ts';
import { createPublisher } from './display/publish.ts';
import { createReads } from './display/reads.ts';
import { createSubscriptions } from './display/subscribe.ts';
import { createInstances } from './instances/instances.ts';
import { createPaces } from './instances/pace.ts';
import { createSettings } from './instances/settings.ts';
import { createTickets } from './instances/tickets.ts';
import { createIdentifiers, createKeys, type KeyPatterns } from './keys.ts';
import type { Parts } from './parts.ts';
import { createBuckets } from './rows/buckets.ts';
import { createChanges } from './rows/change.ts';
import { createClaims, type Fences } from './rows/claim.ts';
import { createIndexes } from './rows/indexes.ts';
import { createIssueSnapshots } from './rows/issue-snapshots.ts';
import { createLearn } from './rows/learn.ts';
import { listsOnly } from './rows/step-arguments.ts';
import { createSteps } from './rows/steps.ts';
import { createWorks } from './rows/works.ts';
import { createDue } from './sweep/due.ts';
import { createForget } from './sweep/forget.ts';
import { createRepair } from './sweep/repair.ts';
import { DEFAULT_TTLS, type Ttls } from './ttl.ts';

/** Data of another number was written by another version of Banto, and is refused. */
const FORMAT = '5';
/** How late what is derived from facts may be for whoever reads Redis directly. */
const PROJECT_EVERY_MS = 500;

export interface RedisStoreOptions {
  readonly connection: RedisConnection;
  readonly namespace?: string;
  readonly keyPatterns?: KeyPatterns;
  readonly ttls?: Partial<Ttls>;
  /** The repositories of this Banto. With exactly one at the first start, its keys carry plain numbers. */
  readonly repositories?: readonly string[];
  /** How long a lease may be that a lost Redis has forgotten: nothing unproved is handed out meanwhile. */
  readonly leaseSeconds?: number;
  /** How long instances tell each other what they have seen after another server answers. */
  readonly settleMs?: number;
  readonly commandTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** Only tests own the clock; otherwise it is Redis' own. */
  readonly clock?: { now(): number };
  readonly log?: (message: string, error?: unknown) => void;
}

export interface RedisStore extends Store {
  readonly channels: Channels;
  readonly openPace: OpenPace;
  /** Changes when Redis has lost data. */
  generation(): string;
}

export async function openRedisStore(options: RedisStoreOptions): Promise<RedisStore> {
  const { connection, clock, log = () => undefined } = options;
  const commandTimeoutMs = options.commandTimeoutMs ?? 5000;
  const connectTimeoutMs = options.connectTimeoutMs ?? 5000;
  const ttls: Ttls = { ...DEFAULT_TTLS, ...options.ttls };
  const keys = createKeys({
    namespace: options.namespace ?? 'banto',
    hashTag: targetOf(connection).mode === 'cluster',
    patterns: options.keyPatterns ?? {},
  });
  const timeouts = { commandTimeoutMs, connectTimeoutMs };
  let generation = '';
  let server = '';
  let home = '';
  const [onlyRepository = '', ...others] = options.repositories ?? [];
  const identifiers = createIdentifiers(() => home);

  const storeClock = createStoreClock(clock);
  const fences: Fences = { highest: 0 };
  const lost: (() => void)[] = [];

  async function attach(call: Call, seen: number): Promise<void> {
    const reply = await call(
      'attach',
      generation,
      String(seen),
      server,
      randomBytes(16).toString('hex'),
      String((options.leaseSeconds ?? 600) * 1000),
      String(options.settleMs ?? 3000),
      others.length === 0 ? onlyRepository : '',
      FORMAT,
      String(fences.highest),
    );
    if (reply[0] === 'format') {
      const name = keys.prefix.slice(0, -1);
      throw new BantoError(
        'misconfigured',
        `The namespace ${name} holds data of an earlier version of Banto, which this one cannot read. Choose another namespace (REDIS_NAMESPACE), or remove the old one's keys.`,
      );
    }
    const [, current, answers, first, quarantineUntil, at, offset] = reply.map(String);
    if (generation !== '' && generation !== current) {
      const until = new Date(Number(quarantineUntil)).toISOString();
      log(`Redis lost data. Until ${until} only tasks that are proved free are handed out.`);
    }
    if (generation !== current) for (const forget of lost) forget();
    generation = current ?? '';
    server = answers ?? '';
    home = first ?? '';
    storeClock.told(Number(at), Number(offset), 0);
  }

  const client = openClient(connection, timeouts);
  const link = await openLink({
    client,
    library: loadLibrary(keys, ttls),
    keys,
    clock: () => (clock === undefined ? '' : String(Math.floor(clock.now()))),
    generation: () => generation,
    attach: async (call, seen) => {
      if (server === '') await checkServer(client, log);
      await attach(call, seen);
    },
    waitMs: Math.min(commandTimeoutMs, 1000),
    warn: log,
  });
  const silent = await openSilent(
    openClient(connection, timeouts),
    keys.at.facts_projected,
    log,
  ).catch(async (error) => {
    await link.close();
    throw error;
  });
  const replica = openReplica(connection, timeouts, log);
  const setAside = (ids: readonly string[]): void => {
    if (ids.length > 0) log(`Entries of the queue were set aside as corrupt: ${ids.join(', ')}`);
  };
  const failed = (what: readonly string[]): void =>
    log(`Redis could not change some lists; the sweep makes them right: ${what.join('; ')}`);
  const publisher = createPublisher(silent, keys);
  const steps = createSteps(link, keys, storeClock, publisher, { failed, setAside });
  const noteFences = (facts: readonly Fact[]): void => {
    for (const fact of facts) {
      if (fact.type === 'leased') fences.highest = Math.max(fences.highest, fact.fence);
    }
  };
  steps.onFacts(noteFences);
  const now = async (): Promise<number> => {
    // Asked at every request: a trip to Redis for it would double what a hand-out takes.
    const known = link.isUp() ? storeClock.known() : null;
    if (known !== null) return known;
    await steps.look();
    return storeClock.now();
  };
  const parts: Parts = {
    link,
    silent,
    keys,
    ttls,
    identifiers,
    clock: storeClock,
    steps,
    works: createWorks(link, keys),
    buckets: createBuckets(link, keys),
    indexes: createIndexes(keys, identifiers),
    snapshots: createIssueSnapshots(link, keys),
    now,
    write: async (lists) => void (await steps.change(listsOnly(lists))),
    setAside,
    warn: log,
  };
  const { works, buckets, write } = parts;
  const agents = createAgents(parts);
  lost.push(works.forgetAll, buckets.forget, agents.forget);
  const factLog = createFactLog(link, keys);
  const projection = createProjection({ ...parts, log: factLog });
  steps.onFacts((_, counted) => projection.offer(counted));
  const { change, changeAll, refile } = createChanges({ ...parts, note: agents.note });
  const reads = createReads({ ...parts, log: factLog, projection, agents });
  const repair = createRepair({ ...parts, refile });
  const openSubscriber = () => openClient(connection, { ...timeouts, subscriber: true });
  const subscriber = createSubscriber(openSubscriber, log);
  const subscriptions = createSubscriptions({ ...parts, log: factLog, subscriber });
  const showAll = async (): Promise<void> => {
    await agents.flush();
    await projection.catchUp();
  };
  const showing = setInterval(() => {
    if (!link.isUp()) return;
    showAll().catch((error: unknown) =>
      log('Lists for people could not be brought up to date; trying again', error),
    );
  }, PROJECT_EVERY_MS).unref();

  const base: BaseStore & Pick<RedisStore, 'channels' | 'openPace'> = {
    kind: 'redis',
    change,
    changeAll,
    ...createClaims({
      ...parts,
      fences,
      change,
      note: (agentId, capabilities, at) =>
        agents.note({ note: 'asked', agentId, capabilities }, at),
    }),
    learn: createLearn(link, keys, buckets, refile, write),
    due: createDue(parts),
    forget: createForget({
      ...parts,
      projection,
      repair,
      flushAgents: agents.flush,
      dependents: reads.dependents,
    }),
    registry: buckets.registry,
    filled: buckets.filled,
    peek: buckets.peek,
    holding: buckets.holding,
    ...reads,
    ...createSettings(parts),
    ...createInstances(parts, () => `${generation} ${server}`),
    logs: createLogs(link, (id) => `${keys.at.task_log}${id}`, ttls.task_result),
    channels: createChannels(link, keys, subscriber),
    tickets: createTickets(parts, replica, () => clock?.now() ?? null),
    openPace: createPaces(
      parts,
      () => generation,
      () => clock?.now() ?? performance.now(),
    ),
    now,
    ping: async () => void (await link.send('PING')),
    subscribe: (listener) =>
      subscriptions.subscribe((facts) => {
        noteFences(facts);
        listener(facts);
      }),
    generation: () => generation,
    async close() {
      clearInterval(showing);
      if (link.isUp()) await showAll().catch(() => undefined);
      subscriptions.close();
      subscriber.close();
      replica?.disconnect();
      silent.close();
      await link.close();
    },
  };
  return withVerbs(base);
}

function openReplica(
  connection: RedisConnection,
  timeouts: { commandTimeoutMs: number; connectTimeoutMs: number },
  log: (message: string, error?: unknown) => void,
): Client | null {
  const { replicaUrl: url, tls } = connection;
  if (url === undefined) return null;
  const replica = openClient({ url, ...(tls === undefined ? {} : { tls }) }, timeouts);
  const away = (error: Error) => refusalOf(error) ?? 'The replica cannot be reached';
  replica.on('error', (error: Error) => log(away(error), error));
  replica.connect().catch((error: unknown) => log('The replica cannot be reached', error));
  return replica;
}
