// A configuration file that nobody named comes with the folder: with a repository of strangers, perhaps. It may hold
// an address and the secret for it; it may not choose where a secret from elsewhere is sent.

import { misconfigured, type Values } from './sources.ts';

interface Way {
  readonly addresses: readonly string[];
  readonly secrets: readonly string[];
}

/** Every address that secrets are sent to, with those secrets. A new address setting belongs in here. */
export const WAYS = {
  github: {
    addresses: ['GITHUB_API_URL'],
    secrets: ['GITHUB_TOKEN', 'GITHUB_APP_PRIVATE_KEY'],
  },
  redis: {
    addresses: ['REDIS_URL', 'REDIS_HOST', 'REDIS_SENTINELS', 'REDIS_CLUSTER', 'REDIS_REPLICA_URL'],
    secrets: ['REDIS_PASSWORD', 'REDIS_SENTINEL_PASSWORD', 'REDIS_URL', 'REDIS_REPLICA_URL'],
  },
  notify: { addresses: ['NOTIFY_URL'], secrets: ['NOTIFY_SECRET'] },
  banto: {
    addresses: ['BANTO_URL', 'SERVER_URL', 'BROKER_HOST'],
    secrets: ['BANTO_TOKEN', 'BANTO_LEASE_TOKEN'],
  },
} as const satisfies Record<string, Way>;

/** `except`: an address that leads nowhere else than to this machine, as the default does. */
export function refuseForeignAddress(
  values: Values,
  { addresses, secrets }: Way,
  except: readonly string[] = [],
): void {
  const address = addresses.find((name) => values.foundByItself(name) && !except.includes(name));
  if (address === undefined) return;
  const secret = secrets.find((name) => values.isSet(name) && !values.foundByItself(name));
  if (secret === undefined) return;
  throw misconfigured(
    `${address} is set by a file that was found in this folder (${values.origin(address)}) and ${secret} comes from elsewhere (${values.origin(secret)}): a secret is not sent to an address that came with the folder. If you trust the file, name it: --config, or BANTO_CONFIG. If not, set ${address} yourself or remove it from the file.`,
  );
}
