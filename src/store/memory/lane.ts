// The ready tasks of one bucket, lowest score first. Taking the head costs nothing, whatever waits behind it.

export interface Lane<Item> {
  readonly key: string;
  /** When it ran empty; null while it holds something. */
  emptiedAt: number | null;
  /** The score of the head; Infinity when it is empty. A field, because a claim looks at that of every bucket. */
  headScore: number;
  items: (Item | undefined)[];
  scores: number[];
  /** Where the head is; what is before it has been taken. */
  start: number;
}

/** The part before the head is cut off when it is this long and most of the whole. */
const SLACK = 1024;

export function createLane<Item>(key: string): Lane<Item> {
  const headScore = Number.POSITIVE_INFINITY;
  return { key, emptiedAt: null, headScore, items: [], scores: [], start: 0 };
}

export const sizeOf = ({ items, start }: Lane<unknown>): number => items.length - start;
export const headOf = <Item>({ items, start }: Lane<Item>): Item | undefined => items[start];

/** The scores of the first ones. */
export function firstScores({ scores, start }: Lane<unknown>, limit: number): number[] {
  return scores.slice(start, start + limit);
}

export function firstItems<Item>({ items, start }: Lane<Item>, limit: number): Item[] {
  return items.slice(start, start + limit) as Item[];
}

/** The first place whose score is not lower. */
function placeOf({ scores, start }: Lane<unknown>, score: number): number {
  let low = start;
  let high = scores.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((scores[middle] ?? 0) < score) low = middle + 1;
    else high = middle;
  }
  return low;
}

function lookAtHead(lane: Lane<unknown>): void {
  lane.headScore = lane.scores[lane.start] ?? Number.POSITIVE_INFINITY;
}

function dropHead(lane: Lane<unknown>): void {
  // Nothing that has left is kept from being collected.
  lane.items[lane.start] = undefined;
  lane.start += 1;
  if (lane.start < SLACK || lane.start * 2 < lane.items.length) return;
  lane.items = lane.items.slice(lane.start);
  lane.scores = lane.scores.slice(lane.start);
  lane.start = 0;
}

export function addTo<Item>(lane: Lane<Item>, item: Item, score: number): void {
  const { items, scores } = lane;
  const at = placeOf(lane, score);
  if (at === items.length) {
    items.push(item);
    scores.push(score);
  } else if (at === lane.start && at > 0) {
    lane.start -= 1;
    items[lane.start] = item;
    scores[lane.start] = score;
  } else {
    items.splice(at, 0, item);
    scores.splice(at, 0, score);
  }
  lookAtHead(lane);
}

export function removeFrom<Item>(lane: Lane<Item>, item: Item, score: number): void {
  const at = lane.items.indexOf(item, placeOf(lane, score));
  if (at === -1) throw new Error(`A ready task is missing from its bucket ${lane.key}.`);
  if (at === lane.start) dropHead(lane);
  else {
    lane.items.splice(at, 1);
    lane.scores.splice(at, 1);
  }
  lookAtHead(lane);
}
