// Learn: labels become relevant, and the ready tasks that carry them are filed under them. A label that is half done
// counts as unlearned, so that whoever asks next goes on, should the one who began have died.

import type { BaseStore } from '../../../core/base-store.ts';
import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import type { Buckets } from './buckets.ts';
import type { Changes } from './change.ts';
import { type ListChange } from './step-arguments.ts';
import { issueOfName } from './work.ts';

const ISSUES_PER_PAGE = 200;

export function createLearn(
  link: Link,
  keys: Keys,
  buckets: Buckets,
  refile: Changes['refile'],
  write: (lists: readonly ListChange[]) => Promise<void>,
): BaseStore['learn'] {
  const { at } = keys;
  /** Many agents come with the same capability at once: the backlog is filed again for all of them together. */
  const underWay = new Map<string, Promise<void>>();

  async function learnOne(label: string): Promise<void> {
    if ((await buckets.filing(true)).isLearned(label)) return;
    await write([
      ['SADD', at.labels_learned, label],
      ['SADD', at.labels_learning, label],
      ['HINCRBY', at.meta, 'registry_version', '1'],
      ['HINCRBY', at.meta, 'filing', '1'],
    ]);
    await buckets.filing(true);
    let cursor = '0';
    do {
      const page = await link.send(
        'SSCAN',
        `${at.labels_issues}${label}`,
        cursor,
        'COUNT',
        ISSUES_PER_PAGE,
      );
      const [next, names] = page as [string, string[]];
      cursor = next;
      await Promise.all(names.map((name) => refile(issueOfName(name))));
    } while (cursor !== '0');
    await write([
      ['SREM', at.labels_learning, label],
      ['HINCRBY', at.meta, 'registry_version', '1'],
    ]);
    buckets.forget();
  }

  return async (labels) => {
    for (const label of new Set(labels)) {
      const learning = underWay.get(label) ?? learnOne(label).finally(() => underWay.delete(label));
      underWay.set(label, learning);
      await learning;
    }
  };
}
