// A map that forgets: what was set longest ago goes first, so that what is finished does not pile up.

export interface BoundedMap<K, V> {
  get(key: K): V | undefined;
  has(key: K): boolean;
  set(key: K, value: V): void;
  delete(key: K): void;
}

export function createBoundedMap<K, V>(most: number): BoundedMap<K, V> {
  const kept = new Map<K, V>();
  return {
    get: (key) => kept.get(key),
    has: (key) => kept.has(key),
    set(key, value) {
      kept.delete(key);
      kept.set(key, value);
      const [oldest] = kept.keys();
      if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    },
    delete: (key) => void kept.delete(key),
  };
}
