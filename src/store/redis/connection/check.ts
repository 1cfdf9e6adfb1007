// What Redis must be like before Banto trusts it with the truth. Each refusal says what to set.

import { BantoError } from '../../../core/errors.ts';
import type { Client } from './connect.ts';

const OLDEST_MAJOR = 7;

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim();
}

async function savesSnapshots(client: Client): Promise<boolean | null> {
  try {
    const [, save = ''] = (await client.call('CONFIG', 'GET', 'save')) as string[];
    return save.trim() !== '';
  } catch {
    // An ACL user with the least rights may not ask; then nobody can say.
    return null;
  }
}

/** Who answers: Valkey calls itself a Redis as well, for clients that know no better. */
export async function productOf(client: Client): Promise<{ name: string; version: string }> {
  const server = String(await client.call('INFO', 'server'));
  const valkey = field(server, 'valkey_version');
  if (valkey !== undefined) return { name: 'Valkey', version: valkey };
  return { name: 'Redis', version: field(server, 'redis_version') ?? '0' };
}

export async function checkServer(client: Client, warn: (message: string) => void): Promise<void> {
  const { version } = await productOf(client);
  if (Number(version.split('.')[0]) < OLDEST_MAJOR) {
    throw new BantoError(
      'misconfigured',
      `This Redis is version ${version}; Banto needs Redis ${OLDEST_MAJOR} or newer, or Valkey.`,
    );
  }
  const policy = field(String(await client.call('INFO', 'memory')), 'maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    throw new BantoError(
      'misconfigured',
      `Redis evicts keys (maxmemory-policy is ${policy}), which would lose tasks. Set "maxmemory-policy noeviction" in redis.conf, or run: CONFIG SET maxmemory-policy noeviction`,
    );
  }
  const persistence = String(await client.call('INFO', 'persistence'));
  if (field(persistence, 'aof_enabled') === '1') return;
  if ((await savesSnapshots(client)) === false) {
    warn(
      'Redis keeps nothing on disk: a restart of Redis loses every lease and the outbox. Set "appendonly yes" in redis.conf.',
    );
  }
}
