// Rows, read or remembered: those of leases that are under way here. What is remembered may have changed meanwhile: a step compares it, and whoever was told
// `stale` reads again. Reads that are asked for in one turn share one command.

import type { IssueRef } from '../../../core/rows/ledger-row.ts';
import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import { createCache } from './cache.ts';
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
  /** Texts by name, read now; '' where there is none. */
  read(names: readonly string[]): Promise<string[]>;
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
const PAGE = 1000;

type Known = FiledTask | IssueHead | Ledger;

export function createRows(link: Link, keys: Keys): Rows {
  const known = createCache<Known>(REMEMBERED);
  let asked: {
    names: readonly string[];
    resolve(texts: string[]): void;
    reject(e: unknown): void;
  }[] = [];

  async function fetch(names: readonly string[]): Promise<string[]> {
    const texts: string[] = [];
    for (let from = 0; from < names.length; from += PAGE) {
      const page = names.slice(from, from + PAGE);
      const reply = (await link.send('HMGET', keys.at.rows, ...page)) as (string | null)[];
      for (const text of reply) texts.push(text ?? '');
    }
    return texts;
  }

  function flush(): void {
    const batch = asked;
    asked = [];
    fetch(batch.flatMap(({ names }) => names)).then(
      (texts) => {
        let from = 0;
        for (const { names, resolve } of batch) {
          resolve(texts.slice(from, from + names.length));
          from += names.length;
        }
        return texts;
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }

  function read(names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      if (asked.length === 0) queueMicrotask(flush);
      asked.push({ names, resolve, reject });
    });
  }

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
