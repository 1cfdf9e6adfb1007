// What is wrong with the dependencies of one issue: looked up only when somebody asks why.

import type { Issue } from '../../core/issue.ts';
import { dependencyNotes, explainNotes } from '../../core/issue-text/dependencies.ts';
import { namedDependencies } from '../../core/plan/plan-gate.ts';
import type { Context } from '../context.ts';

/** A chain that is longer than this says enough. */
const MOST_ISSUES = 200;

export function createDependencies({ store, forge }: Pick<Context, 'store' | 'forge'>) {
  /** Null: there is no such issue, in the store or on the forge. */
  async function namedBy(repository: string, numbers: readonly number[]) {
    const found = new Map<number, readonly number[] | null>();
    for (const { issue } of await store.issuesNumbered(repository, numbers)) {
      found.set(issue.number, issue.state === 'open' ? namedDependencies(issue) : []);
    }
    for (const number of numbers) {
      // The store forgets what is closed: only the forge knows whether it ever was.
      if (!found.has(number)) found.set(number, (await exists(repository, number)) ? [] : null);
    }
    return found;
  }

  async function exists(repository: string, number: number): Promise<boolean> {
    // A forge that cannot be asked now is no proof.
    const issue = await forge.read(repository, number).catch(() => undefined);
    return issue !== null;
  }

  return async (issue: Issue) => {
    const known = new Map<number, readonly number[] | null>([
      [issue.number, namedDependencies(issue)],
    ]);
    let next = namedDependencies(issue).filter((number) => !known.has(number));
    while (next.length > 0 && known.size < MOST_ISSUES) {
      const found = await namedBy(issue.repository, next);
      for (const [number, named] of found) known.set(number, named);
      const further = [...found.values()].flatMap((named) => named ?? []);
      next = [...new Set(further)].filter((number) => !known.has(number));
    }
    const notes = dependencyNotes(issue.number, (number) => known.get(number) ?? null);
    return { ok: notes.cycle === null, because: explainNotes(issue.number, notes) };
  };
}
