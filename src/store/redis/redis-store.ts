// The shared store: one Redis, any number of Banto instances. Builds the verbs once around one connection.

import { randomBytes } from 'node:crypto';
import type { Fact } from '../../core/facts.ts';
import type { OpenPace } from '../../core/pace.ts';
import type { Store } from '../../core/store.ts';
import { type Channels, createChannels } from './channels.ts';
import { checkServer } from './check.ts';
import { createClaim, createRecall, type Fences } from './claim.ts';
import { type Client, openClient, type RedisConnection, targetOf } from './connect.ts';
import { createInstances } from './instances.ts';
import { createJournal } from './journal.ts';
import { createIdentifiers, createKeys, type KeyPatterns } from './keys.ts';
import { type Link, openLink, refusalOf } from './link.ts';
import { createLogs } from './logs.ts';
import { createMirror } from './mirror.ts';
import { createOutbox } from './outbox.ts';
import { createPaces } from './pace.ts';
import { createProcessRoom, type ProcessRoom } from './process.ts';
import { createReads } from './reads.ts';
import { createRegistry } from './registry.ts';
import { loadLibrary } from './scripts.ts';
import { createSettings } from './settings.ts';
import { createSubscriptions } from './subscribe.ts';
import { createSweep } from './sweep.ts';
import { createTickets } from './tickets.ts';
import { DEFAULT_TTLS, type Ttls } from './ttl.ts';
import { undecided } from './undecided.ts';
import { createVerbs } from './verbs.ts';

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

  async function attach(run: Link['run'], seen: number): Promise<void> {
    const [, current, answers, first, quarantineUntil] = await run('generation', {
      known: generation,
      seen,
      server,
      fresh: randomBytes(16).toString('hex'),
      leaseMs: (options.leaseSeconds ?? 600) * 1000,
      settleMs: options.settleMs ?? 3000,
      home: others.length === 0 ? onlyRepository : '',
    });
    if (generation !== '' && generation !== current) {
      const until = new Date(Number(quarantineUntil)).toISOString();
      log(`Redis lost data. Until ${until} only tasks that are proved free are handed out.`);
    }
    generation = String(current);
    server = String(answers);
    home = String(first);
  }

  const client = openClient(connection, timeouts);
  const link = await openLink({
    client,
    library: loadLibrary(keys, ttls),
    keys,
    clock: () => (clock === undefined ? '' : String(Math.floor(clock.now()))),
    generation: () => generation,
    attach: async (run, seen) => {
      if (server === '') await checkServer(client, log);
      await attach(run, seen);
    },
    waitMs: Math.min(commandTimeoutMs, 1000),
    warn: log,
  });
  const replica = openReplica(connection, timeouts, log);
  const now = async () =>
    Number(
      await link.read('reads.now', clock === undefined ? '' : String(Math.floor(clock.now()))),
    );
  const setAside = (ids: readonly string[]): void => {
    if (ids.length > 0) log(`Entries of the queue were set aside as corrupt: ${ids.join(', ')}`);
  };
  const fences: Fences = { highest: 0 };
  const journal = createJournal(link, keys, identifiers);
  const noteFences = (facts: readonly Fact[]): void => {
    for (const fact of facts) {
      if (fact.type === 'leased') fences.highest = Math.max(fences.highest, fact.fence);
    }
  };
  link.onFacts(noteFences);
  const openSubscriber = () => openClient(connection, { ...timeouts, subscriber: true });
  const subscriptions = createSubscriptions(
    link,
    journal,
    openSubscriber,
    keys.at.channel_events,
    log,
  );
  const channels = createChannels(link, keys, openSubscriber, log);
  const { registry, peek, holding, buckets } = createRegistry(link);
  const processes = createProcessRoom(link);

  return {
    kind: 'redis',
    registry,
    peek,
    holding,
    claim: createClaim(link, buckets, fences, setAside),
    ...createRecall(link),
    sweep: createSweep(link, journal, ttls, now, setAside),
    ...createVerbs(link, identifiers),
    ...createMirror(link, identifiers),
    ...createReads(link, keys, identifiers, journal, now),
    ...createOutbox(link, identifiers),
    ...createSettings(link, keys),
    ...undecided,
    logs: createLogs(link, (id) => `${keys.at.task_log}${id}`, ttls.task_result),
    channels,
    processes,
    ...createInstances(link, keys, processes, now),
    tickets: createTickets(
      link,
      keys,
      replica,
      () => (clock === undefined ? null : Math.floor(clock.now())),
      log,
    ),
    openPace: createPaces(link, () => clock?.now() ?? performance.now()),
    now,
    ping: async () => void (await link.send('PING')),
    subscribe: (listener) =>
      subscriptions.subscribe((facts) => {
        noteFences(facts);
        listener(facts);
      }),
    generation: () => generation,
    async close() {
      await subscriptions.close();
      await channels.close();
      replica?.disconnect();
      await link.close();
    },
  };
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
