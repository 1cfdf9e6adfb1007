// Rows, read or remembered: those of leases that are under way here. What is remembered may have changed meanwhile: a
// step compares it, and whoever was told `stale` reads again.

import type { IssueRef } from '../../../core/rows/ledger-row.ts';
import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import { createCache } from './cache.ts';
import { createHashReader, type ReadHash } from './hash-reader.ts';
import {
  decodeFiled,
  decodeHead,
  decodeLedgerText,
  type FiledTask,
  headName,
  type IssueHead,
  issueOfName,
  type Ledger,
  ledgerName,
} from './row-codec.ts';

export interface Rows {
  readonly read: ReadHash;
  tasks(ids: readonly string[], fresh: boolean): Promise<Map<string, FiledTask>>;
  /** Read now. */
  heads(refs: readonly IssueRef[]): Promise<(IssueHead | undefined)[]>;
  issue(ref: IssueRef, fresh: boolean): Promise<{ head: IssueHead | undefined; ledger: Ledger }>;
  /** As it is remembered; undefined: it has to be read. */
  remembered(name: string): FiledTask | IssueHead | Ledger | undefined;
  remember(name: string, row: FiledTask | IssueHead | Ledger): void;
  forget(names: readonly string[]): void;
  forgetAll(): void;
}

const REMEMBERED = 20_000;

type Known = FiledTask | IssueHead | Ledger;

export function createRows(link: Link, keys: Keys): Rows {
  const known = createCache<Known>(REMEMBERED);
  const read = createHashReader(link, keys.at.rows);

  async function get<Row extends Known>(
    names: readonly string[],
    fresh: boolean,
    decode: (name: string, text: string) => Row | undefined,
  ): Promise<(Row | undefined)[]> {
    const found = names.map((name) => (fresh ? undefined : known.get(name)) as Row | undefined);
    const missing = names.filter((_, index) => found[index] === undefined);
    if (missing.length === 0) return found;
    const texts = await read(missing);
    const fetched = new Map(missing.map((name, index) => [name, texts[index] ?? '']));
    return names.map((name, index) => {
      const text = fetched.get(name);
      if (text === undefined) return found[index];
      const before = known.get(name);
      return before !== undefined && before.text === text ? (before as Row) : decode(name, text);
    });
  }

  return {
    read,
    remembered: known.get,
    remember: known.set,
    async tasks(ids, fresh) {
      const found = await get(ids, fresh, (id, text) =>
        text === '' ? undefined : decodeFiled(id, text),
      );
      return new Map(
        ids.flatMap((id, index): [string, FiledTask][] => {
          const row = found[index];
          return row === undefined ? [] : [[id, row]];
        }),
      );
    },
    async heads(refs) {
      const names = refs.map(headName);
      return get(names, true, (name, text) =>
        text === '' ? undefined : decodeHead(issueOfName(name.slice(1)), text),
      );
    },
    async issue(ref, fresh) {
      const [head, ledger] = await Promise.all([
        get([headName(ref)], fresh, (_, text) => (text === '' ? undefined : decodeHead(ref, text))),
        get([ledgerName(ref)], fresh, (_, text) => decodeLedgerText(ref, text)),
      ]);
      return { head: head[0], ledger: ledger[0] ?? decodeLedgerText(ref, '') };
    },
    forget(names) {
      for (const name of names) known.delete(name);
    },
    forgetAll: known.clear,
  };
}
