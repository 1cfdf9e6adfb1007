// From the settings to the Redis store. Files are read and mistakes told here, so that the store is handed
// only what it needs.

import { readFileSync } from 'node:fs';
import type { Config, RedisConfig } from '../config/shape.ts';
import { BantoError } from '../core/errors.ts';
import { repositoryName } from '../forge/local/git/identity.ts';
import type { RedisConnection } from '../store/redis/connection/connect.ts';
import { refusalOf } from '../store/redis/connection/refusals.ts';
import { openRedisStore, type RedisStore } from '../store/redis/redis-store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new BantoError('misconfigured', `${name} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

export function redisConnection({ connection, tls }: RedisConfig): RedisConnection {
  if (tls === null) return connection;
  const { caFile, certFile, keyFile } = tls;
  return {
    ...connection,
    tls: {
      ...(caFile === null ? {} : { ca: readPem('REDIS_TLS_CA', caFile) }),
      ...(certFile === null ? {} : { cert: readPem('REDIS_TLS_CERT', certFile) }),
      ...(keyFile === null ? {} : { key: readPem('REDIS_TLS_KEY', keyFile) }),
    },
  };
}

/** At the start nobody waits for an answer yet: say what is wrong, and what to do about it. */
export function redisUnreachable(error: unknown, heard?: Error): unknown {
  const cause = heard ?? ((error as Error | undefined)?.cause as Error | undefined);
  const words = [cause?.message ?? '', error instanceof Error ? error.message : ''];
  const refused = cause === undefined ? null : refusalOf(cause);
  if (refused !== null) return new BantoError('misconfigured', refused, { cause: error });
  if (!(error instanceof BantoError && error.code === 'busy')) return error;
  return new BantoError(
    'unreachable',
    `Redis cannot be reached (${words[0] || 'no answer'}). Check REDIS_URL, or REDIS_HOST and REDIS_PORT, and that it runs.`,
    { cause: error },
  );
}

export async function openRedis(
  { forge, policy, dataDir }: Config,
  store: RedisConfig,
  log: Telemetry['log'],
): Promise<RedisStore> {
  // Until it is open, what goes wrong is told once, by the error that ends the start.
  let opened = false;
  let heard: Error | undefined;
  function tell(message: string, error?: unknown): void {
    if (opened) log.warn(error === undefined ? {} : { err: error }, message);
    else if (error instanceof Error) heard ??= error;
    else log.warn(message);
  }
  try {
    const redis = await openRedisStore({
      connection: redisConnection(store),
      namespace: store.namespace,
      keyPatterns: store.keyPatterns,
      ttls: store.ttls,
      repositories:
        forge.kind === 'github' ? forge.repositories : [repositoryName(forge.repoDir, dataDir)],
      leaseSeconds: policy.leaseSeconds,
      log: tell,
    });
    opened = true;
    return redis;
  } catch (error) {
    throw redisUnreachable(error, heard);
  }
}
