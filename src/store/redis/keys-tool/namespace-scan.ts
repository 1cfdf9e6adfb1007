// The keys of one namespace, found with SCAN. Nothing outside it is ever returned: the namespace `banto` has
// no key of `banto2`, nor of a namespace `banto:staging` beside it.

import { type Client, mastersOf } from '../connection/connect.ts';

/** A key of the namespace, as bytes in a text (latin1), without the namespace in front. */
export type OwnKey = string;

export interface NamespaceScan {
  /** Each key once, in pages. `filter`: a component (`issue`), a beginning (`issue:status`), or a glob. */
  pages(filter: string | null): AsyncGenerator<OwnKey[]>;
  /** All that begin like this key of the table. */
  under(start: string): Promise<OwnKey[]>;
  /** The key as Redis has it. */
  full(key: OwnKey): Buffer;
}

const COUNT = 1000;

const escapeGlob = (text: string): string => text.replaceAll(/[*?[\]\\^]/g, '\\$&');
const isGlob = (text: string): boolean => /[*?[]/.test(text);

export const shownKey = (key: OwnKey): string => Buffer.from(key, 'latin1').toString('utf8');
export const componentOf = (key: OwnKey): string => shownKey(key).split(':', 1)[0] ?? '';

export function createNamespaceScan(client: Client, prefix: string): NamespaceScan {
  const start = escapeGlob(prefix);

  async function* scan(pattern: string, ...more: string[]): AsyncGenerator<string[]> {
    const page = [String(COUNT), ...more];
    for (const node of mastersOf(client)) {
      let cursor = '0';
      do {
        const reply = await node.callBuffer('SCAN', cursor, 'MATCH', pattern, 'COUNT', ...page);
        const [next, keys] = reply as [Buffer, Buffer[]];
        cursor = next.toString();
        yield keys.map((key) => key.toString('latin1'));
      } while (cursor !== '0');
    }
  }

  /** Namespaces whose names begin with this one's and a colon: each has a meta hash with a generation. */
  async function neighbours(): Promise<string[]> {
    const found = new Set<string>();
    for await (const keys of scan(`${start}*:meta`, 'TYPE', 'hash')) {
      for (const key of keys) {
        const generation = await client.hexists(Buffer.from(key, 'latin1'), 'generation');
        if (generation === 1) found.add(key.slice(0, -'meta'.length));
      }
    }
    return [...found];
  }

  function patternsOf(filter: string | null): string[] {
    if (filter === null) return [`${start}*`];
    if (isGlob(filter)) return [start + filter];
    return [start + escapeGlob(filter), `${start}${escapeGlob(filter)}:*`];
  }

  async function* pages(filter: string | null): AsyncGenerator<OwnKey[]> {
    const others = await neighbours();
    const seen = new Set<string>();
    for (const pattern of patternsOf(filter)) {
      for await (const keys of scan(pattern)) {
        const own = keys.filter(
          (key) => key.startsWith(prefix) && !others.some((other) => key.startsWith(other)),
        );
        const fresh = [...new Set(own)].filter((key) => !seen.has(key));
        for (const key of fresh) seen.add(key);
        if (fresh.length > 0) yield fresh.map((key) => key.slice(prefix.length));
      }
    }
  }

  return {
    pages,
    async under(key) {
      const begin = key.slice(prefix.length);
      const found: OwnKey[] = [];
      for await (const page of pages(`${escapeGlob(begin)}*`)) found.push(...page);
      return found.filter((one) => one.startsWith(begin));
    },
    full: (key) => Buffer.from(prefix + key, 'latin1'),
  };
}
