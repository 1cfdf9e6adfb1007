// Libraries of functions that other versions of Banto, or other settings, left in Redis. An instance that still
// uses one of them finds it missing and loads it again: removing is always safe.

import type { Keys } from '../keys.ts';
import type { Ttls } from '../ttl.ts';
import { type Client, mastersOf } from './connect.ts';
import { loadLibrary } from './library.ts';

/** The fields of a library come as names and values by turns. */
const valueOf = (fields: readonly unknown[], name: string): string =>
  String(fields[fields.indexOf(name) + 1]);

/** How many there are; `dryRun` only counts. A library names the keys of its namespace, and so says whose it is. */
export async function removeOldLibraries(
  client: Client,
  keys: Keys,
  ttls: Ttls,
  dryRun: boolean,
): Promise<number> {
  const own = loadLibrary(keys, ttls).name;
  const old = new Set<string>();
  for (const node of mastersOf(client)) {
    const found = await node.call('FUNCTION', 'LIST', 'LIBRARYNAME', 'banto_*', 'WITHCODE');
    for (const library of found as unknown[][]) {
      const name = valueOf(library, 'library_name');
      const ours = valueOf(library, 'library_code').includes(`'${keys.at.meta}'`);
      if (name === own || !ours) continue;
      old.add(name);
      if (!dryRun) await node.call('FUNCTION', 'DELETE', name);
    }
  }
  return old.size;
}
