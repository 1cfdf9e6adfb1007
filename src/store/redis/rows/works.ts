// The work on issues, read or remembered: that of leases which are under way here. What is remembered may have changed
// meanwhile: a step compares it, and whoever was told `stale` reads again.

import type { IssueRef } from '../../../core/rows/ledger-row.ts';
import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import { createCache } from './cache.ts';
import { createHashReader, type ReadHash } from './hash-reader.ts';
import { decodeWork, type FiledTask, findTask, issueName, nameOfTask, type Work } from './work.ts';

export interface Works {
  /** Rows as they are written, by name. */
  readonly read: ReadHash;
  /** As they are now; those that nothing is kept of are empty. */
  get(refs: readonly IssueRef[]): Promise<Work[]>;
  /** Tasks as they are now, those that are there. */
  tasks(ids: readonly string[]): Promise<Map<string, FiledTask>>;
  /** The same with the work that each is part of. */
  found(ids: readonly string[]): Promise<Map<string, { task: FiledTask; work: Work }>>;
  /** As it is remembered; undefined: it has to be read. */
  remembered(name: string): Work | undefined;
  remember(work: Work): void;
  forget(name: string): void;
  forgetAll(): void;
}

const REMEMBERED = 20_000;

export function createWorks(link: Link, keys: Keys): Works {
  const known = createCache<Work>(REMEMBERED);
  const read = createHashReader(link, keys.at.rows);

  async function named(names: readonly string[]): Promise<Work[]> {
    const texts = await read(names);
    return names.map((name, index) => decodeWork(name, texts[index] ?? ''));
  }

  async function found(ids: readonly string[]) {
    const names = [...new Set(ids.map(nameOfTask))];
    const works = new Map((await named(names)).map((work) => [work.name, work]));
    const all = new Map<string, { task: FiledTask; work: Work }>();
    for (const id of ids) {
      const work = works.get(nameOfTask(id));
      const task = work === undefined ? undefined : findTask(work, id);
      if (work !== undefined && task !== undefined) all.set(id, { task, work });
    }
    return all;
  }

  return {
    read,
    found,
    get: (refs) => named(refs.map(issueName)),
    async tasks(ids) {
      return new Map([...(await found(ids))].map(([id, { task }]) => [id, task]));
    },
    remembered: known.get,
    remember: (work) => known.set(work.name, work),
    forget: known.delete,
    forgetAll: known.clear,
  };
}
