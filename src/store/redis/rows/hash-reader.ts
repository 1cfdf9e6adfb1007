// Fields of one hash, read by name. What is asked for in one turn shares one command.

import type { Link } from '../connection/link.ts';

const PAGE = 1000;

interface Asked {
  readonly names: readonly string[];
  resolve(texts: string[]): void;
  reject(error: unknown): void;
}

/** Texts by name, read now; '' where there is none. */
export type ReadHash = (names: readonly string[]) => Promise<string[]>;

export function createHashReader(link: Pick<Link, 'send'>, key: string): ReadHash {
  let asked: Asked[] = [];

  async function fetch(names: readonly string[]): Promise<string[]> {
    const texts: string[] = [];
    for (let from = 0; from < names.length; from += PAGE) {
      const page = names.slice(from, from + PAGE);
      const reply = await link.send<(string | null)[]>('HMGET', key, ...page);
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

  return (names) => {
    if (names.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      if (asked.length === 0) queueMicrotask(flush);
      asked.push({ names, resolve, reject });
    });
  };
}
