// The registry of buckets: their keys for choosing, and the short numbers they have in Redis.

import type { TaskReads } from '../../core/store.ts';
import type { Link } from './link.ts';
import { toRow } from './rows.ts';

export interface Buckets {
  /** Keys without a number do not exist and hold nothing. */
  numbers(keys: readonly string[], version: number): Promise<ReadonlyMap<string, string>>;
}

type RegistryReads = Pick<TaskReads, 'registry' | 'peek' | 'holding'> & {
  readonly buckets: Buckets;
};

export function createRegistry(link: Link): RegistryReads {
  let known: ReadonlyMap<string, string> = new Map();
  let knownVersion = -1;

  const registry: TaskReads['registry'] = async () => {
    const reply = (await link.read('registry.registry')) as [
      string,
      string[],
      string[],
      string[],
      string[],
      string[],
    ];
    const [version, buckets, used, learned, learning, paused] = reply;
    known = toRow(buckets);
    knownVersion = Number(version);
    const done = new Set(learned);
    for (const label of learning) done.delete(label);
    return {
      version: knownVersion,
      buckets: [...known.keys()].sort(),
      unlearned: used.filter((label) => !done.has(label)).sort(),
      paused: paused.sort(),
    };
  };

  // A bucket that was forgotten and came again has another number: numbers count for one version only.
  async function numbers(keys: readonly string[], version: number) {
    if (keys.length > 0 && version !== knownVersion) await registry();
    return known;
  }

  return {
    registry,
    buckets: { numbers },
    async holding(agentIds) {
      if (agentIds.length === 0) return new Set();
      return new Set((await link.read('registry.holding', ...agentIds)) as string[]);
    },
    async peek(keys, limitPerBucket) {
      if (keys.length === 0) return [];
      if (keys.some((key) => !known.has(key))) await registry();
      const found = keys.map((key) => known.get(key) ?? '0');
      const reply = (await link.read('registry.peek', String(limitPerBucket), ...found)) as [
        number,
        string[],
      ][];
      return reply.map(([ready, scores], index) => ({
        bucket: keys[index] ?? '',
        ready,
        scores: scores.map(Number),
      }));
    },
  };
}
