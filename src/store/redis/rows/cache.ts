// A map that forgets what was set long ago, half of it at a time: no order has to be kept, and nothing is looked for
// when something goes.

export interface Cache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  clear(): void;
}

/** Keeps the last `most` at least, and at most twice as many. */
export function createCache<Value>(most: number): Cache<Value> {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();

  return {
    set(key, value) {
      young.set(key, value);
      if (young.size < most) return;
      old = young;
      young = new Map();
    },
    get: (key) => young.get(key) ?? old.get(key),
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
    clear() {
      young.clear();
      old.clear();
    },
  };
}
