// Issues and what they ask of their tasks go into the store in batches. One that the store cannot take is held
// with the reason and does not stop the others.

import { BantoError } from '../../core/errors.ts';
import type { Issue } from '../../core/issue.ts';
import { unstorable } from '../../core/issue-text/readable.ts';
import type { MirrorEntry } from '../../core/store.ts';
import type { Context } from '../context.ts';

type Plan = (issue: Issue) => MirrorEntry;

/** The store is away, or busy: nothing is wrong with what it was given. */
const isNotNow = (error: unknown) =>
  error instanceof BantoError && ['busy', 'unreachable', 'misconfigured'].includes(error.code);

/** Returns what was stored. */
type StoreIssues = (
  issues: readonly Issue[],
  plan: Plan,
  holds: () => boolean,
) => Promise<MirrorEntry[]>;

export function createStoreIssues({ store, log }: Pick<Context, 'store' | 'log'>): StoreIssues {
  async function storeOne(issue: Issue, plan: Plan, holds: () => boolean): Promise<MirrorEntry[]> {
    const { repository, number } = issue;
    try {
      const entry = plan(issue);
      await store.mirror([entry], holds);
      return [entry];
    } catch (error) {
      if (isNotNow(error)) throw error;
      log.warn({ err: error, repository, issue: number }, 'an issue cannot be stored; it is held');
      const held = plan(unstorable(issue, error instanceof Error ? error.message : String(error)));
      await store.mirror([held], holds).catch((again: unknown) => {
        if (isNotNow(again)) throw again;
        log.error({ err: again, repository, issue: number }, 'an issue cannot be held either');
      });
      return [held];
    }
  }

  /** A batch that fails is tried again issue by issue: one that cannot be stored does not stop the others. */
  return async (issues, plan, holds) => {
    try {
      const entries = issues.map(plan);
      await store.mirror(entries, holds);
      return entries;
    } catch (error) {
      if (isNotNow(error)) throw error;
      const stored: MirrorEntry[] = [];
      for (const issue of issues) stored.push(...(await storeOne(issue, plan, holds)));
      return stored;
    }
  };
}
