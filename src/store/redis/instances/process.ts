// What instances share beside tasks: named locks (leader, migration, backup) and how they fare.

import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import { type ListChange } from '../rows/step-arguments.ts';
import type { Ttls } from '../ttl.ts';

const HISTORY_KEPT = 1000;

export interface ProcessRoom {
  /** Takes the lock, or renews it for its owner; false: somebody else has it. */
  takeLock(name: string, owner: string, ttlMs: number): Promise<boolean>;
  /** False: it was not this owner's. */
  giveLock(name: string, owner: string): Promise<boolean>;
  /** `cpu` is the share of one core since the last time. */
  recordMetrics(instance: string, cpu: number, memoryBytes: number): Promise<void>;
}

export function createProcessRoom(
  link: Link,
  keys: Keys,
  ttls: Ttls,
  now: () => Promise<number>,
  write: (lists: readonly ListChange[]) => Promise<void>,
): ProcessRoom {
  const { metrics_cpu: current, metrics_memory: history } = keys.at;
  const seconds = String(ttls.temp_data);
  return {
    takeLock: async (name, owner, ttlMs) =>
      (await link.run('take_lock', [name, owner, String(ttlMs)]))[0] === 'ok',
    giveLock: async (name, owner) => (await link.run('give_lock', [name, owner]))[0] === 'ok',
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
