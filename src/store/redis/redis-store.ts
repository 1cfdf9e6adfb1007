// The shared store: one Redis, any number of Banto instances. Builds the verbs once around one connection.

import { randomBytes } from 'node:crypto';
import type { BaseStore } from '../../core/base-store.ts';
import { BantoError } from '../../core/errors.ts';
import type { Fact } from '../../core/facts.ts';
import type { OpenPace } from '../../core/pace.ts';
import type { Store } from '../../core/store.ts';
import { withVerbs } from '../verbs.ts';
import { createAgents } from './agents.ts';
import { createAudit } from './audit.ts';
import { createChanges } from './change.ts';
import { type Channels, createChannels } from './channels.ts';
import { checkServer } from './check.ts';
import { createClaims, type Fences } from './claim.ts';
import { type Client, openClient, type RedisConnection, targetOf } from './connect.ts';
import { createDue } from './due.ts';
import { createForget } from './forget.ts';
import { createInstances } from './instances.ts';
import { createJournal } from './journal.ts';
import { createIdentifiers, createKeys, type KeyPatterns } from './keys.ts';
import { createLearn } from './learn.ts';
import { type Call, openLink, refusalOf } from './link.ts';
import { createPaces } from './pace.ts';
import { createPictures } from './pictures.ts';
import { createProcessRoom, type ProcessRoom } from './process.ts';
import { createPublisher } from './publish.ts';
import { createReads } from './reads.ts';
import { createBuckets } from './registry.ts';
import { createRows } from './rows.ts';
import { loadLibrary } from './scripts.ts';
import { createSettings } from './settings.ts';
import { createStanding } from './standing.ts';
import { createSteps, type ListChange } from './steps.ts';
import { createStoreClock } from './store-clock.ts';
import { createSubscriptions } from './subscribe.ts';
import { createTickets } from './tickets.ts';
import { DEFAULT_TTLS, type Ttls } from './ttl.ts';

/** Data of another number was written by another version of Banto, and is refused. */
const FORMAT = '2';
/** How late what is drawn from facts may be for whoever reads Redis directly. */
const FOLD_EVERY_MS = 500;

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
  readonly processes: ProcessRoom;
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
  const replica = openReplica(connection, timeouts, log);
  const setAside = (ids: readonly string[]): void => {
    if (ids.length > 0) log(`Entries of the queue were set aside as corrupt: ${ids.join(', ')}`);
  };
  const failed = (what: readonly string[]): void =>
    log(`Redis could not change some lists; the sweep makes them right: ${what.join('; ')}`);
  const fences: Fences = { highest: 0 };
  const publisher = createPublisher(client, keys);
  const steps = createSteps(link, storeClock, publisher, { failed, setAside });
  const noteFences = (facts: readonly Fact[]): void => {
    for (const fact of facts) {
      if (fact.type === 'leased') fences.highest = Math.max(fences.highest, fact.fence);
    }
  };
  steps.onFacts(noteFences);
  const now = async (): Promise<number> => {
    await steps.look();
    return storeClock.now();
  };
  const write = async (lists: readonly ListChange[]): Promise<void> => {
    const nothing = { rows: [], facts: [], until: null, places: null, filing: '', buckets: [] };
    await steps.change({ ...nothing, lists, timed: false });
  };

  const rows = createRows(link, keys);
  const buckets = createBuckets(link, keys);
  const pictures = createPictures(link, keys, identifiers);
  const standing = createStanding(keys, identifiers);
  const agents = createAgents(keys, ttls, write);
  lost.push(rows.forgetAll, buckets.forget, agents.forget);
  const parts = {
    link,
    keys,
    identifiers,
    rows,
    steps,
    clock: storeClock,
    buckets,
    standing,
    pictures,
    ttls,
    now,
    setAside,
    write,
  };
  const journal = createJournal(parts);
  const { change, changeAll, refile } = createChanges({ ...parts, note: agents.note });
  const reads = createReads({ ...parts, journal, agents });
  const audit = createAudit(parts);
  const openSubscriber = () => openClient(connection, { ...timeouts, subscriber: true });
  const subscriptions = createSubscriptions(
    link,
    steps,
    journal,
    openSubscriber,
    keys.at.channel_events,
    log,
  );
  const channels = createChannels(link, keys, openSubscriber, log);
  const processes = createProcessRoom(link, keys, ttls, now, write);
  const folding = setInterval(() => {
    if (!link.isUp()) return;
    agents
      .flush()
      .then(journal.foldAll)
      .catch((error: unknown) =>
        log('Lists for people could not be brought up to date; trying again', error),
      );
  }, FOLD_EVERY_MS).unref();

  const base: BaseStore & Pick<RedisStore, 'channels' | 'processes' | 'openPace'> = {
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
      journal,
      audit,
      flushAgents: agents.flush,
      dependents: reads.dependents,
    }),
    registry: buckets.registry,
    peek: buckets.peek,
    holding: buckets.holding,
    ...reads,
    ...createSettings(link, keys, steps),
    channels,
    processes,
    ...createInstances(link, keys, processes, now, () => `${generation} ${server}`, write),
    tickets: createTickets(
      link,
      keys,
      replica,
      () => (clock === undefined ? null : Math.floor(clock.now())),
      log,
    ),
    openPace: createPaces(
      link,
      keys,
      ttls,
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
      clearInterval(folding);
      if (link.isUp())
        await agents
          .flush()
          .then(journal.foldAll)
          .catch(() => undefined);
      await subscriptions.close();
      await channels.close();
      replica?.disconnect();
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
