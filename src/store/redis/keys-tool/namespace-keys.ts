// `banto keys`: looks at, saves and tidies one namespace. It talks to Redis with plain commands and opens no
// store, because a store begins to keep house in a namespace as soon as it is opened.

import { connectClient, type RedisConnection, targetOf } from '../connection/connect.ts';
import { piped } from '../connection/piped.ts';
import { translate } from '../connection/refusals.ts';
import { createKeys, type KeyPatterns } from '../keys.ts';
import { DEFAULT_TTLS, type Ttls } from '../ttl.ts';
import { createBackups, type Progress } from './backup.ts';
import { type CleanOptions, createClean } from './clean.ts';
import { componentOf, createNamespaceScan, type OwnKey, shownKey } from './namespace-scan.ts';

export interface NamespaceKeysOptions {
  readonly connection: RedisConnection;
  readonly namespace: string;
  readonly keyPatterns?: KeyPatterns;
  readonly ttls?: Partial<Ttls>;
}

const TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5000;
const LARGEST_SHOWN = 10;

const byName =
  <T>(name: (item: T) => string) =>
  (one: T, other: T) =>
    name(one) < name(other) ? -1 : 1;

export type NamespaceKeys = Awaited<ReturnType<typeof openNamespaceKeys>>;

export async function openNamespaceKeys(options: NamespaceKeysOptions) {
  const { connection, namespace } = options;
  const keys = createKeys({
    namespace,
    hashTag: targetOf(connection).mode === 'cluster',
    patterns: options.keyPatterns ?? {},
  });
  const client = await connectClient(connection, {
    commandTimeoutMs: TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  const scan = createNamespaceScan(client, keys.prefix);
  const ttls: Ttls = { ...DEFAULT_TTLS, ...options.ttls };

  async function each<T>(
    filter: string | null,
    progress: Progress,
    look: (page: OwnKey[]) => Promise<T[]>,
  ): Promise<T[]> {
    const found: T[] = [];
    let done = 0;
    for await (const page of scan.pages(filter)) {
      for (const item of await look(page)) found.push(item);
      done += page.length;
      await progress(done, null);
    }
    return found;
  }

  function byComponent<T>(items: readonly T[], key: (item: T) => OwnKey) {
    const groups = Map.groupBy(items, (item) => componentOf(key(item)));
    return [...groups].sort(byName(([component]) => component));
  }

  const backups = createBackups(client, keys, scan);
  const clean = createClean(client, keys, ttls, scan);
  /** Whatever Redis says on the way is told in the store's words. */
  const told =
    <A extends unknown[], T>(act: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        return await act(...args);
      } catch (error) {
        if (error instanceof Error && 'command' in error) throw translate(error);
        throw error;
      }
    };

  return {
    namespace,
    list: told(async (filter: string | null, progress: Progress) => {
      const found = await each(filter, progress, async (page) => {
        const replies = await piped(client, (pipe) => {
          for (const key of page) pipe.type(scan.full(key)).pttl(scan.full(key));
        });
        return page.flatMap((key, index) => {
          const [type, ttl] = replies.slice(index * 2, index * 2 + 2);
          if (type === 'none') return [];
          const ttlMs = Number(ttl) < 0 ? null : Number(ttl);
          return [{ key: keys.prefix + shownKey(key), type: String(type), ttlMs }];
        });
      });
      return found.sort(byName(({ key }) => key));
    }),
    count: told(async (filter: string | null, progress: Progress) => {
      const found = await each(filter, progress, async (page) => page);
      return byComponent(found, (key) => key).map(([component, all]) => ({
        component,
        keys: all.length,
      }));
    }),
    /** The largest keys, largest first. */
    memory: told(async (filter: string | null, progress: Progress) => {
      const found = await each(filter, progress, async (page) => {
        const sizes = await piped(client, (pipe) => {
          for (const key of page) pipe.memory('USAGE', scan.full(key));
        });
        return page.map((key, index) => ({ own: key, bytes: Number(sizes[index] ?? 0) }));
      });
      const largest = found
        .toSorted((one, other) => other.bytes - one.bytes)
        .slice(0, LARGEST_SHOWN)
        .map(({ own, bytes }) => ({ key: keys.prefix + shownKey(own), bytes }));
      const components = byComponent(found, ({ own }) => own).map(([component, all]) => ({
        component,
        keys: all.length,
        bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
      }));
      return { components, largest };
    }),
    backup: told(backups.backup),
    restore: told(backups.restore),
    clean: told((options: CleanOptions) => clean(options)),
    async close() {
      client.disconnect();
    },
  };
}
