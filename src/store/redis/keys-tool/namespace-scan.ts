// The keys of one namespace, found with SCAN. Nothing outside it is ever returned: the namespace `banto` has
// no key of `banto2`, nor of a namespace `banto:staging` beside it.

import { type Client, Cluster } from '../connection/connect.ts';

/** A key of the namespace, as bytes in a text (latin1), without the namespace in front. */
export type OwnKey = string;

export interface NamespaceScan {
  readonly prefix: string;
  /** Each key once, in pages. `filter`: a component (`issue`), a beginning (`issue:status`), or a glob. */
  pages(filter: string | null): AsyncGenerator<OwnKey[]>;
  /** The key as Redis has it. */
  full(key: OwnKey): Buffer;
}

const COUNT = 1000;

const escapeGlob = (text: string): string => text.replaceAll(/[*?[\]\\^]/g, '\\$&');
const isGlob = (text: string): boolean => /[*?[]/.test(text);

export const shownKey = (key: OwnKey): string => Buffer.from(key, 'latin1').toString('utf8');
export const componentOf = (key: OwnKey): string => shownKey(key).split(':', 1)[0] ?? '';

export function createNamespaceScan(client: Client, prefix: string): NamespaceScan {
  const nodes = () => (client instanceof Cluster ? client.nodes('master') : [client]);

  async function* scan(pattern: string, ...more: string[]): AsyncGenerator<string[]> {
    for (const node of nodes()) {
      let cursor = '0';
      do {
        const [next, keys] = (await node.callBuffer(
          'SCAN',
          cursor,
          'MATCH',
          pattern,
          'COUNT',
          String(COUNT),
          ...more,
        )) as [Buffer, Buffer[]];
        cursor = next.toString();
        yield keys.map((key) => key.toString('latin1'));
      } while (cursor !== '0');
    }
  }

  /** Namespaces whose names begin with this one's and a colon: each has a meta hash with a generation. */
  async function neighbours(): Promise<string[]> {
    const found = new Set<string>();
    for await (const keys of scan(`${escapeGlob(prefix)}*:meta`, 'TYPE', 'hash')) {
      for (const key of keys) {
        const generation = await client.hexists(Buffer.from(key, 'latin1'), 'generation');
        if (generation === 1) found.add(key.slice(0, -'meta'.length));
      }
    }
    return [...found];
  }

  function patternsOf(filter: string | null): string[] {
    const start = escapeGlob(prefix);
    if (filter === null) return [`${start}*`];
    if (isGlob(filter)) return [start + filter];
    return [start + escapeGlob(filter), `${start}${escapeGlob(filter)}:*`];
  }

  return {
    prefix,
    async *pages(filter) {
      const others = await neighbours();
      const seen = new Set<string>();
      for (const pattern of patternsOf(filter)) {
        for await (const keys of scan(pattern)) {
          const fresh = keys.filter(
            (key) =>
              key.startsWith(prefix) &&
              !others.some((other) => key.startsWith(other)) &&
              !seen.has(key),
          );
          for (const key of fresh) seen.add(key);
          if (fresh.length > 0) yield [...new Set(fresh)].map((key) => key.slice(prefix.length));
        }
      }
    },
    full: (key) => Buffer.from(prefix + key, 'latin1'),
  };
}
