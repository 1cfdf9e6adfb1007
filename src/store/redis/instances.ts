// The roles of instances are named locks with an owner and an expiry.

import type { Instances } from '../../core/store.ts';
import type { Keys } from './keys.ts';
import type { Link } from './link.ts';
import type { ProcessRoom } from './process.ts';

export function createInstances(link: Link, keys: Keys, processes: ProcessRoom): Instances {
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
    recordMetrics: processes.recordMetrics,
  };
}
