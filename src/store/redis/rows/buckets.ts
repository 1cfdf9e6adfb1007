// The registry: buckets with the short numbers they have in Redis, and labels that agents have offered.

import { busy } from '../../../core/errors.ts';
import type { BucketPeek, Registry, TaskReads } from '../../../core/store.ts';
import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import { holding } from './holds.ts';

export interface Filing {
  /** What buckets are named by: another one, and everything has to be filed again. */
  readonly stamp: string;
  isRelevant(label: string): boolean;
  isLearned(label: string): boolean;
  /** Undefined: it has no number yet. */
  number(bucket: string): string | undefined;
}

export interface Buckets extends Pick<TaskReads, 'registry' | 'filled' | 'peek' | 'holding'> {
  /** As it is known; null: nothing is. */
  known(): Filing | null;
  /** As it is known, or as it is now. */
  filing(fresh: boolean): Promise<Filing>;
  /** Gives numbers to buckets that have none. */
  register(names: readonly string[]): Promise<void>;
  /** Keys without a number do not exist and hold nothing. */
  numbers(version: number): Promise<ReadonlyMap<string, string>>;
  all(): Promise<ReadonlyMap<string, string>>;
  forget(): void;
}

const pairs = (flat: readonly string[]): [string, string][] =>
  flat.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : [],
  );

export function createBuckets(link: Link, keys: Keys): Buckets {
  const { at } = keys;
  let known = new Map<string, string>();
  let byNumber: Map<string, string> | null = null;
  let learned = new Set<string>();
  let learning = new Set<string>();
  let used: string[] = [];
  let paused: string[] = [];
  let stamp = '';
  let version = -1;
  let loading: Promise<void> | null = null;

  async function load(): Promise<void> {
    // The numbers before and after must agree: the parts are read one after the other.
    for (;;) {
      const meta = () => link.send('HMGET', at.meta, 'filing', 'registry_version');
      const [before, buckets, uses, done, begun, stopped, after] = (await Promise.all([
        meta(),
        link.send('HGETALL', at.queue_buckets),
        link.send('HKEYS', at.labels_uses),
        link.send('SMEMBERS', at.labels_learned),
        link.send('SMEMBERS', at.labels_learning),
        link.send('SMEMBERS', at.maintenance_paused),
        meta(),
      ])) as string[][];
      if (before?.join() !== after?.join()) continue;
      stamp = after?.[0] ?? '';
      version = Number(after?.[1] ?? 0);
      known = new Map(pairs(buckets ?? []));
      byNumber = null;
      learned = new Set(done);
      learning = new Set(begun);
      used = uses ?? [];
      paused = (stopped ?? []).sort();
      return;
    }
  }

  function refresh(): Promise<void> {
    loading ??= load().finally(() => {
      loading = null;
    });
    return loading;
  }

  function nameOf(number: string): string | undefined {
    byNumber ??= new Map([...known].map(([name, number]) => [number, name]));
    return byNumber.get(number);
  }

  const isLearned = (label: string) => learned.has(label) && !learning.has(label);

  let shown: Registry | null = null;
  let looking: Promise<void> | null = null;

  /** What is known still holds while its version does. Those who ask in one turn share the look. */
  async function look(): Promise<void> {
    await Promise.resolve();
    looking = null;
    const reply = await link.send('HMGET', at.meta, 'filing', 'registry_version');
    const [filing, current] = reply as (string | null)[];
    if (shown !== null && filing === stamp && Number(current) === version) return;
    if (loading !== null) await loading;
    await refresh();
    shown = {
      version,
      buckets: [...known.keys()].sort(),
      unlearned: used.filter((label) => !isLearned(label)).sort(),
      paused,
    };
  }

  async function registry(): Promise<Registry> {
    looking ??= look();
    await looking;
    if (shown === null) throw busy(new Error('The registry was forgotten while it was read.'));
    return shown;
  }

  const filing = (): Filing => ({
    stamp,
    isRelevant: (label) => learned.has(label),
    isLearned,
    number: (bucket) => known.get(bucket),
  });

  return {
    registry,
    known: () => (stamp === '' ? null : filing()),
    async filing(fresh) {
      if (fresh || stamp === '') await registry();
      return filing();
    },
    async register(names) {
      const [, filing, numbers] = (await link.run('number_buckets', names)) as [
        string,
        string,
        string[],
      ];
      if (filing !== stamp) return;
      for (const [index, name] of names.entries()) known.set(name, numbers[index] ?? '');
      byNumber = null;
      shown = null;
      version = -1;
    },
    // A bucket that was forgotten and came again has another number: numbers count for one version only.
    async numbers(wanted) {
      if (wanted !== version) await registry();
      return known;
    },
    async all() {
      await registry();
      return known;
    },
    forget() {
      shown = null;
      stamp = '';
      version = -1;
    },
    async filled() {
      const numbers = await link.send<string[]>('ZRANGE', at.queue_heads, 0, -1);
      if (numbers.some((number) => nameOf(number) === undefined)) await registry();
      return numbers.flatMap((number) => nameOf(number) ?? []);
    },
    holding: (agentIds) => holding(link, keys, agentIds),
    async peek(names, limit): Promise<BucketPeek[]> {
      if (names.length === 0) return [];
      if (names.some((name) => !known.has(name))) await registry();
      return Promise.all(
        names.map(async (bucket) => {
          const key = `${at.queue_bucket}${known.get(bucket) ?? '0'}`;
          const [ready, heads] = await Promise.all([
            link.send('ZCARD', key),
            limit > 0 ? link.send('ZRANGE', key, 0, limit - 1, 'WITHSCORES') : [],
          ]);
          const scores = pairs(heads as string[]).map(([, score]) => Number(score));
          return { bucket, ready: Number(ready), scores };
        }),
      );
    },
  };
}
