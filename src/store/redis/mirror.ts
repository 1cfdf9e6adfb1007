// Mirror and learn: issues come in batches that are cut small enough not to keep others waiting.

import type { MirrorEntry, TaskVerbs } from '../../core/store.ts';
import type { Identifiers } from './keys.ts';
import type { Link } from './link.ts';
import { fromLabels } from './rows.ts';
import { REFUSED_PREFIX } from './verbs.ts';

const ENTRIES_PER_STEP = 50;
const ISSUES_PER_STEP = 200;

function toArguments(entry: MirrorEntry, identifiers: Identifiers): object {
  const { issue, matchLabels, dependsOn, plans, ledger, adopt } = entry;
  const lower = issue.labels.map((label) => label.toLowerCase());
  return {
    issue: identifiers.issueId(issue.repository, issue.number),
    repository: issue.repository,
    number: issue.number,
    open: issue.state,
    updatedAt: issue.updatedAt,
    bornAt: issue.createdAt,
    title: issue.title,
    url: issue.url,
    labels: JSON.stringify(issue.labels),
    picture: JSON.stringify(issue),
    matchLabels: [...new Set(matchLabels)],
    indexed: [...new Set([...lower, ...matchLabels])].sort(),
    dependsOn,
    plans: plans.map(({ id, ...plan }) => ({
      ...plan,
      name: identifiers.filedName(id),
    })),
    ...(ledger === undefined ? {} : { ledger: fromLabels(ledger) }),
    ...(adopt === undefined ? {} : { adopt: fromLabels(adopt) }),
  };
}

export function createMirror(
  link: Link,
  identifiers: Identifiers,
): Pick<TaskVerbs, 'mirror' | 'learn'> {
  /** Many agents come with the same capability at once: the backlog is filed anew for all of them together. */
  const underway = new Map<string, Promise<void>>();

  async function learnOne(label: string): Promise<void> {
    try {
      let cursor = '0';
      do {
        const [, next] = await link.run('learn', { label, cursor, count: ISSUES_PER_STEP });
        cursor = String(next);
      } while (cursor !== '0');
    } finally {
      underway.delete(label);
    }
  }

  return {
    async mirror(entries) {
      // Every id is checked before the first step: a bad one changes nothing.
      const all = entries.map((entry) => toArguments(entry, identifiers));
      for (let at = 0; at < all.length; at += ENTRIES_PER_STEP) {
        const page = all.slice(at, at + ENTRIES_PER_STEP);
        await link.run('mirror', { refusedPrefix: REFUSED_PREFIX, entries: page });
      }
    },
    async learn(labels) {
      for (const label of new Set(labels)) {
        const learning = underway.get(label) ?? learnOne(label);
        underway.set(label, learning);
        await learning;
      }
    },
  };
}
