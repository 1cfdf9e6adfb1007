// Instants that somebody waits for, in a heap. What an instant is now is asked when it comes up, so that
// renewing a lease touches nothing here.

interface Item<Key> {
  readonly at: number;
  /** Among equals the first one in comes first. */
  readonly order: number;
  /** The heap it is in. */
  readonly heap: readonly unknown[];
  /** Null: nobody waits for it any more. */
  key: Key | null;
}

type Waiting<Key> = Item<Key> & { readonly key: Key };

/** Waits in one list at a time, and carries its place there: a look-up among thousands costs more than the heap. */
export interface Timed<Key> {
  /** The earliest item of it in a heap. */
  timer: Item<Key> | null;
}

export interface Deadlines<Key> {
  /** The instant of this one may have become this. */
  watch(key: Key, at: number): void;
  /** Nobody waits for this one any more. */
  drop(key: Key): void;
  /** Those that are due, earliest first, and the next instant after these; they stay until they are due no more. */
  due(now: number, limit: number): { keys: Key[]; nextAt: number | null };
  /** The earliest, due or not. */
  first(limit: number): { key: Key; at: number }[];
}

/** `instantOf` says what holds now; null: nobody waits for this one any more. */
export function createDeadlines<Key extends Timed<Key>>(
  instantOf: (key: Key) => number | null,
): Deadlines<Key> {
  const heap: Item<Key>[] = [];
  let order = 0;

  const isBefore = (a: Item<Key>, b: Item<Key>) =>
    a.at < b.at || (a.at === b.at && a.order < b.order);

  function push(item: Item<Key>): void {
    let at = heap.length;
    heap.push(item);
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up] as Item<Key>;
      if (isBefore(parent, item)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = item;
  }

  function pop(): void {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const [left, right] = [heap[child] as Item<Key>, heap[child + 1]];
      if (right !== undefined && isBefore(right, left)) child += 1;
      const smaller = heap[child] as Item<Key>;
      if (isBefore(last, smaller)) break;
      heap[at] = smaller;
      at = child;
    }
    heap[at] = last;
  }

  function watch(key: Key, at: number): void {
    const before = key.timer;
    if (before !== null) {
      if (before.heap === heap && before.at <= at) return;
      before.key = null;
    }
    order += 1;
    const item = { at, order, heap, key };
    key.timer = item;
    push(item);
  }

  function drop(key: Key): void {
    if (key.timer?.heap !== heap) return;
    key.timer.key = null;
    key.timer = null;
  }

  /** The earliest item that still holds. */
  function head(): Waiting<Key> | undefined {
    for (let item = heap[0]; item !== undefined; item = heap[0]) {
      const { key } = item;
      const at = key === null ? null : instantOf(key);
      if (at === item.at) return item as Waiting<Key>;
      pop();
      if (key === null) continue;
      key.timer = null;
      if (at !== null) watch(key, at);
    }
    return undefined;
  }

  /** Takes them out in order, and puts them back. */
  function firstWhile(wanted: (item: Waiting<Key>, count: number) => boolean): Waiting<Key>[] {
    const taken: Waiting<Key>[] = [];
    for (let item = head(); item !== undefined && wanted(item, taken.length); item = head()) {
      pop();
      taken.push(item);
    }
    return taken;
  }

  return {
    watch,
    drop,
    due(now, limit) {
      const items = firstWhile((item, count) => count < limit && item.at <= now);
      const nextAt = head()?.at ?? null;
      for (const item of items) push(item);
      return { keys: items.map(({ key }) => key), nextAt };
    },
    first(limit) {
      const items = firstWhile((_item, count) => count < limit);
      for (const item of items) push(item);
      return items.map(({ key, at }) => ({ key, at }));
    },
  };
}
