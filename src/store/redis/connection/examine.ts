// Looks at a Redis without writing to it: what `banto doctor` asks.

import { checkServer, productOf } from './check.ts';
import { connectClient, type RedisConnection } from './connect.ts';
import { translate } from './refusals.ts';

export interface Examined {
  /** `Redis 7.0.15`, `Valkey 8.0.1`. */
  readonly server: string;
  /** What works, but should be fixed. */
  readonly warnings: readonly string[];
}

const TIMEOUT_MS = 3000;

/** Throws where Banto would refuse to start. */
export async function examineRedis(connection: RedisConnection): Promise<Examined> {
  const client = await connectClient(connection, {
    commandTimeoutMs: TIMEOUT_MS,
    connectTimeoutMs: TIMEOUT_MS,
  });
  const warnings: string[] = [];
  try {
    await checkServer(client, (message) => warnings.push(message));
    const { name, version } = await productOf(client);
    return { server: `${name} ${version}`, warnings };
  } catch (error) {
    throw translate(error);
  } finally {
    client.disconnect();
  }
}
