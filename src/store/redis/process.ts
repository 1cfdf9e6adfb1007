// What instances share beside tasks: named locks (leader, migration, backup) and how they fare.

import type { Link } from './link.ts';

const HISTORY_KEPT = 1000;

export interface ProcessRoom {
  /** Takes the lock, or renews it for its owner; false: somebody else has it. */
  takeLock(name: string, owner: string, ttlMs: number): Promise<boolean>;
  /** False: it was not this owner's. */
  giveLock(name: string, owner: string): Promise<boolean>;
  /** `cpu` is the share of one core since the last time. */
  recordMetrics(instance: string, cpu: number, memoryBytes: number): Promise<void>;
}

export function createProcessRoom(link: Link): ProcessRoom {
  return {
    takeLock: async (name, owner, ttlMs) =>
      (await link.run('process.take', { name, owner, ttlMs }))[0] === 'ok',
    giveLock: async (name, owner) => (await link.run('process.give', { name, owner }))[0] === 'ok',
    async recordMetrics(instance, cpu, memory) {
      const args = { instance, cpu: cpu.toFixed(3), memory, kept: HISTORY_KEPT };
      await link.run('process.metrics', args);
    },
  };
}
