// Looks at every open issue again, some pages at a time: a label's new name is no change of the issues that carry it.

import type { GithubIssue } from '../shapes.ts';

/** Pages in one go; the rest waits for the next. */
const PAGES_AT_ONCE = 10;

export interface Rescan {
  /** From the beginning, at the next occasion. */
  ask(): void;
  isDue(): boolean;
  run(): Promise<void>;
  stop(): void;
}

export function createRescan(
  everyOpen: () => AsyncIterable<readonly GithubIssue[]>,
  hint: (from: GithubIssue) => void,
): Rescan {
  let asked = false;
  let pages: AsyncIterator<readonly GithubIssue[]> | null = null;
  return {
    ask() {
      asked = true;
    },
    isDue: () => asked || pages !== null,
    async run() {
      if (asked) pages = everyOpen()[Symbol.asyncIterator]();
      asked = false;
      for (let count = 0; pages !== null && count < PAGES_AT_ONCE; count += 1) {
        const page = await pages.next().catch((error: unknown) => {
          pages = null;
          asked = true;
          throw error;
        });
        if (page.done === true) pages = null;
        else for (const from of page.value) hint(from);
      }
    },
    stop() {
      asked = false;
      pages = null;
    },
  };
}
