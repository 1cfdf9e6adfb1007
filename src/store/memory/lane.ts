// The ready tasks of one bucket, lowest score first. Taking the head costs nothing, whatever waits behind it.

export interface Lane<Item> {
  readonly key: string;
  /** When it ran empty; null while it holds something. */
  emptiedAt: number | null;
  size(): number;
  /** Infinity when it is empty. */
  headScore(): number;
  head(): Item | undefined;
  /** The scores of the first ones. */
  scores(limit: number): number[];
  add(item: Item, score: number): void;
  remove(item: Item, score: number): void;
}

/** The part before the head is cut off when it is this long and most of the whole. */
const SLACK = 1024;

export function createLane<Item>(key: string): Lane<Item> {
  let items: Item[] = [];
  let scores: number[] = [];
  let start = 0;

  /** The first place whose score is not lower. */
  function placeOf(score: number): number {
    let low = start;
    let high = scores.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((scores[middle] ?? 0) < score) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function dropHead(): void {
    start += 1;
    if (start < SLACK || start * 2 < items.length) return;
    items = items.slice(start);
    scores = scores.slice(start);
    start = 0;
  }

  return {
    key,
    emptiedAt: null,
    size: () => items.length - start,
    headScore: () => scores[start] ?? Number.POSITIVE_INFINITY,
    head: () => items[start],
    scores: (limit) => scores.slice(start, start + limit),
    add(item, score) {
      const at = placeOf(score);
      if (at === items.length) {
        items.push(item);
        scores.push(score);
      } else if (at === start && start > 0) {
        start -= 1;
        items[start] = item;
        scores[start] = score;
      } else {
        items.splice(at, 0, item);
        scores.splice(at, 0, score);
      }
    },
    remove(item, score) {
      const at = items.indexOf(item, placeOf(score));
      if (at === -1) throw new Error(`A ready task is missing from its bucket ${key}.`);
      if (at === start) dropHead();
      else {
        items.splice(at, 1);
        scores.splice(at, 1);
      }
    },
  };
}
