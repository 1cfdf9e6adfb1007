// Opens connections to Redis: standalone, Sentinel, Cluster, TLS, ACL users. A command that was in flight
// when the connection broke is never sent again by the client: scripts may have run.

import { Cluster, type ClusterNode, Redis, type RedisOptions } from 'ioredis';
import { BantoError } from '../../../core/errors.ts';
import { translate } from './refusals.ts';

interface RedisTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface RedisConnection {
  /**
   * `redis://`, `rediss://`, `redis+sentinel://user:secret@host:26379,host:26379/primary-name/0`,
   * `redis+cluster://host:7000,host:7001`; the last two with `rediss+…` over TLS.
   */
  readonly url?: string;
  readonly host?: string;
  readonly port?: number;
  readonly db?: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: RedisTls;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
  /** Tickets are read here where it is set; what is missing there is looked for on the primary. */
  readonly replicaUrl?: string;
}

export type Client = Redis | Cluster;

/** Every server that takes writes. */
export const mastersOf = (client: Client): Redis[] =>
  client instanceof Cluster ? client.nodes('master') : [client];

interface Address {
  readonly host: string;
  readonly port: number;
}

interface Target {
  readonly mode: 'standalone' | 'sentinel' | 'cluster';
  readonly nodes: readonly Address[];
  readonly primaryName: string | null;
  readonly db: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls: boolean;
}

const URL_SHAPE =
  /^(redis|rediss)(?:\+(sentinel|cluster))?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]+)(?:\/([^?]*))?$/;
const PORTS = { standalone: 6379, sentinel: 26_379, cluster: 6379 };

/** The address may hold a password: it is not repeated here. */
function notAnAddress(): BantoError {
  return new BantoError(
    'misconfigured',
    'REDIS_URL is not an address of the form redis://user:password@host:port/0 (or rediss://, redis+sentinel://, redis+cluster://).',
  );
}

function readUrl(url: string): Target {
  const match = URL_SHAPE.exec(url);
  if (match === null) throw notAnAddress();
  const [, scheme, kind, username = '', password = '', hosts = '', path = ''] = match;
  const mode = (kind ?? 'standalone') as Target['mode'];
  const nodes = hosts.split(',').map((node) => {
    const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(node) ?? [];
    const host = bracketed ?? plain;
    if (host === undefined) throw notAnAddress();
    return { host, port: port === undefined ? PORTS[mode] : Number(port) };
  });
  const parts = path.split('/').filter((part) => part !== '');
  const primaryName = mode === 'sentinel' ? decodeURIComponent(parts.shift() ?? 'mymaster') : null;
  const db = Number(parts[0] ?? '0');
  if (!Number.isInteger(db) || db < 0)
    throw new BantoError('misconfigured', 'REDIS_URL names no database number.');
  return {
    mode,
    nodes,
    primaryName,
    db,
    tls: scheme === 'rediss',
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  };
}

export function targetOf(connection: RedisConnection): Target {
  const fromUrl = connection.url === undefined ? null : readUrl(connection.url);
  const { host = '127.0.0.1', port = 6379, db, username, password } = connection;
  const base = fromUrl ?? {
    mode: 'standalone' as const,
    nodes: [{ host, port }],
    primaryName: null,
    db: 0,
    tls: connection.tls !== undefined,
  };
  return {
    ...base,
    ...(db === undefined ? {} : { db }),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
}

const MOST_RETRY_MS = 1000;
const retryMs = (times: number): number => Math.min(50 * 2 ** Math.min(times, 6), MOST_RETRY_MS);

export interface ClientOptions {
  readonly commandTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** A subscriber may wait for its connection; everything else is told at once. */
  readonly subscriber?: boolean;
}

export function openClient(connection: RedisConnection, options: ClientOptions): Client {
  const target = targetOf(connection);
  const { username, password, db } = target;
  const subscriber = options.subscriber ?? false;
  const base = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(target.tls ? { tls: { ...connection.tls } } : {}),
    db,
    // One shape of replies everywhere: flat lists.
    protocol: 2 as const,
    lazyConnect: true,
    connectTimeout: options.connectTimeoutMs,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: true,
    enableOfflineQueue: subscriber,
    maxRetriesPerRequest: subscriber ? null : 0,
    retryStrategy: retryMs,
    // A primary that was demoted says so: go and find the new one.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    ...(subscriber ? {} : { commandTimeout: options.commandTimeoutMs }),
  } satisfies RedisOptions;
  if (target.mode === 'cluster') {
    const { enableOfflineQueue: _queue, retryStrategy: _retry, db: _db, ...redisOptions } = base;
    return new Cluster(target.nodes as ClusterNode[], {
      redisOptions,
      lazyConnect: true,
      enableOfflineQueue: subscriber,
      clusterRetryStrategy: retryMs,
    });
  }
  if (target.mode === 'standalone') return new Redis({ ...base, ...target.nodes[0] });
  const { sentinelUsername, sentinelPassword } = connection;
  return new Redis({
    ...base,
    sentinels: [...target.nodes],
    name: target.primaryName ?? 'mymaster',
    failoverDetector: true,
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(target.tls ? { enableTLSForSentinelMode: true, sentinelTLS: { ...connection.tls } } : {}),
  });
}

/** For a moment's work: connected, or it says why not. What went wrong first is the reason. */
export async function connectClient(
  connection: RedisConnection,
  options: ClientOptions,
): Promise<Client> {
  const client = openClient(connection, options);
  let first: Error | null = null;
  client.on('error', (error: Error) => {
    first ??= error;
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.disconnect();
    throw translate(first ?? error);
  }
}
