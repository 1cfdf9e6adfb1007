// Instants that somebody waits for, in a heap. What an instant is now is asked when it comes up, so that
// renewing a lease touches nothing here.

interface Item {
  readonly at: number;
  /** Among equals the first one in comes first. */
  readonly order: number;
  readonly id: string;
}

export interface Deadlines {
  /** The instant of this id may have become this one. */
  watch(id: string, at: number): void;
  /** Ids that are due, earliest first, and the next instant after these; they stay until they are due no more. */
  due(now: number, limit: number): { ids: string[]; nextAt: number | null };
  /** The earliest, due or not. */
  first(limit: number): { id: string; at: number }[];
}

/** `instantOf` says what holds now; null: nobody waits for this id any more. */
export function createDeadlines(instantOf: (id: string) => number | null): Deadlines {
  const heap: Item[] = [];
  /** The earliest instant at which each id is in the heap. */
  const queued = new Map<string, number>();
  let order = 0;

  const isBefore = (a: Item, b: Item) => a.at < b.at || (a.at === b.at && a.order < b.order);

  function push(item: Item): void {
    let at = heap.length;
    heap.push(item);
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up] as Item;
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
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Item, heap[child] as Item)) {
        child += 1;
      }
      const smaller = heap[child] as Item;
      if (isBefore(last, smaller)) break;
      heap[at] = smaller;
      at = child;
    }
    heap[at] = last;
  }

  function watch(id: string, at: number): void {
    const before = queued.get(id);
    if (before !== undefined && before <= at) return;
    queued.set(id, at);
    order += 1;
    push({ at, order, id });
  }

  /** The earliest item that still holds. */
  function head(): Item | undefined {
    for (let item = heap[0]; item !== undefined; item = heap[0]) {
      if (queued.get(item.id) === item.at) {
        const at = instantOf(item.id);
        if (at === item.at) return item;
        queued.delete(item.id);
        pop();
        if (at !== null) watch(item.id, at);
      } else pop();
    }
    return undefined;
  }

  /** Takes them out in order, and puts them back. */
  function firstWhile(wanted: (item: Item, count: number) => boolean): Item[] {
    const taken: Item[] = [];
    for (let item = head(); item !== undefined && wanted(item, taken.length); item = head()) {
      pop();
      taken.push(item);
    }
    return taken;
  }

  return {
    watch,
    due(now, limit) {
      const items = firstWhile((item, count) => count < limit && item.at <= now);
      const nextAt = head()?.at ?? null;
      for (const item of items) push(item);
      return { ids: items.map(({ id }) => id), nextAt };
    },
    first(limit) {
      const items = firstWhile((_item, count) => count < limit);
      for (const item of items) push(item);
      return items.map(({ id, at }) => ({ id, at }));
    },
  };
}
