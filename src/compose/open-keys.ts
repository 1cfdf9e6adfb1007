// From the settings to the keys of a namespace: `banto keys` works beside a server or without one.

import type { Config } from '../config/shape.ts';
import { BantoError } from '../core/errors.ts';
import { type NamespaceKeys, openNamespaceKeys } from '../store/redis/keys-tool/namespace-keys.ts';
import { redisConnection, redisUnreachable } from './open-redis.ts';

export async function openKeys({ store }: Config): Promise<NamespaceKeys> {
  if (store.kind === 'sqlite') {
    throw new BantoError(
      'misconfigured',
      'There are no keys without Redis: set REDIS_URL, or REDIS_HOST.',
    );
  }
  const { namespace, keyPatterns, ttls } = store;
  const connection = redisConnection(store);
  return openNamespaceKeys({ connection, namespace, keyPatterns, ttls }).catch((error: unknown) => {
    throw redisUnreachable(error);
  });
}
