// What instances agree on beside tasks. Their roles (leader, migration, backup) are named locks with an owner and an
// expiry.

import type { Instances } from '../../../core/store.ts';
import type { Parts } from '../parts.ts';

const HISTORY_KEPT = 1000;

/** `place`: the data, and the server that has it. */
export function createInstances(parts: Parts, place: () => string): Instances {
  const { link, keys, ttls, now, write } = parts;
  const { meta, lock_process, metrics_cpu: current, metrics_memory: history } = keys.at;
  const seconds = String(ttls.temp_data);
  return {
    lead: async (name, owner, ttlMs) =>
      (await link.run('take_lock', [name, owner, String(ttlMs)]))[0] === 'ok',
    resign: async (name, owner) => void (await link.run('give_lock', [name, owner])),
    async led(names) {
      if (names.length === 0) return new Set();
      const locks = names.map((name) => `${lock_process}${name}`);
      const owners = await link.send<(string | null)[]>('MGET', ...locks);
      return new Set(names.filter((_, index) => owners[index] !== null));
    },
    async markListed(ttlMs) {
      const until = String((await now()) + ttlMs);
      await write([['HSET', meta, 'listed', place(), 'listed_until', until]]);
    },
    async listed() {
      const fields = ['generation', 'server', 'listed', 'listed_until'];
      const reply = await link.send<(string | null)[]>('HMGET', meta, ...fields);
      const [generation, server, listed, until] = reply;
      return listed === `${generation} ${server}` && Number(until) > (await now());
    },
    async recordMetrics(instance, cpu, memory) {
      const at = await now();
      await write([
        ['HSET', current, instance, `{"cpu":${cpu.toFixed(3)},"at":${at}}`],
        ['RPUSH', history, JSON.stringify({ instance, memory, at })],
        ['LTRIM', history, String(-HISTORY_KEPT), '-1'],
        ['EXPIRE', current, seconds],
        ['EXPIRE', history, seconds],
      ]);
    },
  };
}
