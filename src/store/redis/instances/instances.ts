// The roles of instances are named locks with an owner and an expiry.

import type { Instances } from '../../../core/store.ts';
import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import { type ListChange } from '../rows/step-arguments.ts';
import type { ProcessRoom } from './process.ts';

export function createInstances(
  link: Link,
  keys: Keys,
  processes: ProcessRoom,
  now: () => Promise<number>,
  /** The data of this server. */
  place: () => string,
  write: (lists: readonly ListChange[]) => Promise<void>,
): Instances {
  return {
    lead: processes.takeLock,
    async resign(name, ownerId) {
      await processes.giveLock(name, ownerId);
    },
    async led(names) {
      if (names.length === 0) return new Set();
      const locks = names.map((name) => `${keys.at.lock_process}${name}`);
      const owners = (await link.send('MGET', ...locks)) as (string | null)[];
      return new Set(names.filter((_, index) => owners[index] !== null));
    },
    async markListed(ttlMs) {
      const until = String((await now()) + ttlMs);
      await write([['HSET', keys.at.meta, 'listed', place(), 'listed_until', until]]);
    },
    async listed() {
      const fields = ['generation', 'server', 'listed', 'listed_until'];
      const reply = await link.send('HMGET', keys.at.meta, ...fields);
      const [generation, server, listed, until] = reply as (string | null)[];
      return listed === `${generation} ${server}` && Number(until) > (await now());
    },
    recordMetrics: processes.recordMetrics,
  };
}
