// Libraries of functions that other versions of Banto, or other settings, left in Redis. An instance that still
// uses one of them finds it missing and loads it again: removing is always safe.

import type { Keys } from '../keys.ts';
import type { Ttls } from '../ttl.ts';
import { type Client, Cluster } from './connect.ts';
import { loadLibrary } from './library.ts';

interface Listed {
  readonly name: string;
  readonly code: string;
}

function readListed(fields: readonly unknown[]): Listed {
  const value = (name: string) => String(fields[fields.indexOf(name) + 1]);
  return { name: value('library_name'), code: value('library_code') };
}

/** How many there are; `dryRun` only counts. A library names the keys of its namespace, and so says whose it is. */
export async function removeOldLibraries(
  client: Client,
  keys: Keys,
  ttls: Ttls,
  dryRun: boolean,
): Promise<number> {
  const own = loadLibrary(keys, ttls).name;
  const old = new Set<string>();
  for (const node of client instanceof Cluster ? client.nodes('master') : [client]) {
    const found = await node.call('FUNCTION', 'LIST', 'LIBRARYNAME', 'banto_*', 'WITHCODE');
    for (const { name, code } of (found as unknown[][]).map(readListed)) {
      if (name === own || !code.includes(`'${keys.at.meta}'`)) continue;
      old.add(name);
      if (!dryRun) await node.call('FUNCTION', 'DELETE', name);
    }
  }
  return old.size;
}
