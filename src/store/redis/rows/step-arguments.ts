// What changes and claims of one step are, spelled out for Redis: commands as they are run, and of each item the number
// of the change that it belongs to, by which items of changes that do not hold any more are left out.

import type { Arguments } from '../connection/arguments.ts';
import type { Keys } from '../keys.ts';
import type { FactLine, Left } from './fact-lines.ts';

/** A row, by name: what its text must begin with still ('': there is none, `*`: any) and the next one (`=`: as it is, `-`: none). */
export type RowChange = readonly [name: string, stamp: string, next: string];
/** A command that changes one list, or one key of its own. `LOCK`, `HOLD` and `USE` are words of the step itself. */
export type ListChange = readonly [verb: string, ...args: string[]];

export interface Change {
  readonly rows: readonly RowChange[];
  readonly lists: readonly ListChange[];
  readonly facts: readonly FactLine[];
  /** Only while the clock has not reached this. */
  readonly until: number | null;
  /** The first and the last place in line that it gives. */
  readonly places: readonly [number, number] | null;
  /** What the buckets were named by; '' where nothing is filed. */
  readonly filing: string;
  /** Numbers of buckets whose lists change. */
  readonly buckets: readonly string[];
  /** True: the instant it was decided at must be near the clock. */
  readonly timed: boolean;
  /** The rows that its facts leave. */
  readonly left?: readonly Left[];
}

/** Lists that no row is compared for. */
export const listsOnly = (
  lists: readonly ListChange[],
  buckets: readonly string[] = [],
): Change => ({
  rows: [],
  lists,
  facts: [],
  until: null,
  places: null,
  filing: '',
  buckets,
  timed: false,
});

export interface ClaimAsked {
  readonly groups: string;
  readonly version: number;
  readonly holds: string;
  readonly agentId: string;
  readonly token: string;
  readonly seconds: number;
  readonly lockMs: number;
  readonly fenceFloor: number;
  readonly requestId: string | null;
}

/** Commands that take many items for one key; the words of the step itself take them without a key. */
const MANY: Readonly<Record<string, number>> = {
  ZADD: 2,
  ZREM: 2,
  SADD: 2,
  SREM: 2,
  LOCK: 1,
  HOLD: 1,
  USE: 1,
};
/** One command has at most so many items. */
const MOST_ITEMS = 500;

/** One command: `head` words, then the items; of each the change it belongs to, as one character. */
interface Command {
  readonly head: number;
  readonly words: string[];
  owners: string;
}

const command = (...words: string[]): Command => ({ head: words.length, words, owners: '' });

/** A step has at most so many changes: each has a character of one byte. */
export const MOST_CHANGES = 100;
const OWNERS = Array.from({ length: MOST_CHANGES + 1 }, (_, c) => String.fromCharCode(c));

/** How many words; how they belong together, which is looked at only where a change does not hold; the words. */
function spellCommand({ head, words, owners }: Command, to: Arguments): void {
  if (owners === '') {
    to.text('0');
    return;
  }
  to.int(words.length);
  to.text(`${head} ${(words.length - head) / owners.length} ${owners}`);
  to.texts(words);
}

/** Those of one key together; then those that have a key of their own, in the order they were named. */
function gather(changes: readonly Pick<Change, 'lists'>[]): Command[] {
  const many = new Map<string, Map<string, Command>>();
  const all: Command[] = [];
  const single: Command[] = [];
  const gathered = (item: ListChange, head: number): Command => {
    const verb = item[0];
    const key = item[1] as string;
    let byKey = many.get(verb);
    if (byKey === undefined) {
      byKey = new Map();
      many.set(verb, byKey);
    }
    const name = head === 1 ? '' : key;
    const found = byKey.get(name);
    if (found !== undefined && found.owners.length < MOST_ITEMS) return found;
    const begun = head === 1 ? command(verb) : command(verb, key);
    byKey.set(name, begun);
    all.push(begun);
    return begun;
  };
  changes.forEach(({ lists }, index) => {
    const owner = OWNERS[index + 1] as string;
    for (const item of lists) {
      const head = MANY[item[0]];
      if (head === undefined) {
        single.push({ head: item.length, words: item as unknown as string[], owners: owner });
        continue;
      }
      const to = gathered(item, head);
      for (let at = head; at < item.length; at += 1) to.words.push(item[at] as string);
      to.owners += owner;
    }
  });
  return [...all, ...single];
}

/** Commands by themselves: they depend on no row. */
export function spellLists(lists: readonly ListChange[], to: Arguments): void {
  for (const { words } of gather([{ lists }])) to.command(words);
}

/**
 * How many; what each is bound to (until, first and last place in line, filing); rows to compare, their texts, their
 * changes; facts, rows to set and to remove; buckets that change; all other commands.
 */
export function spellChanges(changes: readonly Change[], at: Keys['at'], to: Arguments): void {
  to.int(changes.length);
  if (changes.length === 0) return;
  const bound: string[] = [];
  const compared = command('HMGET', at.rows);
  const expected: string[] = [];
  const facts = command('XADD', at.facts, '', 'at', '');
  const set = command('HSET', at.rows);
  const gone = command('HDEL', at.rows);
  const buckets = new Set<string>();
  changes.forEach((change, index) => {
    const { until, places, filing } = change;
    const owner = OWNERS[index + 1] as string;
    if (until !== null || places !== null || filing !== '') {
      const [first, last] = places ?? ['', ''];
      bound.push(String(index + 1), String(until ?? ''), String(first), String(last), filing);
    }
    for (const [name, stamp, next] of change.rows) {
      if (stamp !== '*') {
        compared.words.push(name);
        compared.owners += owner;
        expected.push(stamp);
      }
      if (next === '=') continue;
      const change = next === '-' ? gone : set;
      change.owners += owner;
      change.words.push(name);
      if (next !== '-') change.words.push(next);
    }
    for (const { shift, body } of change.facts) {
      facts.words.push(shift, body);
      facts.owners += owner;
    }
    for (const bucket of change.buckets) buckets.add(bucket);
  });
  const lists = gather(changes);
  to.int(bound.length);
  to.texts(bound);
  spellCommand(compared, to);
  to.texts(expected);
  spellCommand(facts, to);
  spellCommand(set, to);
  spellCommand(gone, to);
  to.int(buckets.size);
  to.texts([...buckets]);
  to.int(lists.length);
  for (const list of lists) spellCommand(list, to);
}

/** Groups of buckets, each once; then the claims. */
export function spellClaims(claims: readonly ClaimAsked[], to: Arguments): void {
  const groups = [...new Set(claims.map((claim) => claim.groups))];
  to.int(groups.length);
  if (groups.length === 0) return;
  to.texts(groups);
  to.int(claims.length);
  for (const claim of claims) {
    to.int(groups.indexOf(claim.groups) + 1);
    to.text(String(claim.version));
    to.text(claim.holds);
    to.text(claim.agentId);
    to.text(claim.token);
    to.text(String(claim.seconds));
    to.text(String(claim.lockMs));
    to.text(String(claim.fenceFloor));
    to.text(JSON.stringify(claim.requestId));
  }
}
