// Whether the branch that an issue asks for may be used, with what the store and the forge know about it.

import type { Issue } from '../../core/issue.ts';
import {
  createWishIndex,
  type WishProblem,
  wasMadeFor,
  wasRefused,
  wishOf,
  wishProblem,
} from '../../core/plan/branch-wish.ts';
import type { MirroredIssue } from '../../core/store.ts';
import type { Attempt, Task } from '../../core/task.ts';
import type { Context } from '../context.ts';

export interface BranchWishes {
  /** Remembers what the issue asks for; answers with the numbers of those that lose their name by it. */
  take(issue: Issue, defaultBranch: string): number[];
  /** Null: the wish may be followed, or there is none. */
  problemOf(
    issue: Issue,
    tasks: MirroredIssue['tasks'],
    defaultBranch: string,
  ): Promise<WishProblem | null>;
}

export function createBranchWishes({ store, forge, log }: Context): BranchWishes {
  const indexes = new Map<string, ReturnType<typeof createWishIndex>>();

  function indexOf(repository: string) {
    const index = indexes.get(repository) ?? createWishIndex();
    indexes.set(repository, index);
    return index;
  }

  /** Of leases that worked for this issue; read only where there was one. */
  async function attemptsOf(tasks: readonly Task[]): Promise<Attempt[]> {
    const worked = tasks.filter((task) => task.kind === 'implement' && task.fence > 0);
    const details = await Promise.all(worked.map(({ id }) => store.task(id)));
    return details.flatMap((detail) => detail?.attempts ?? []);
  }

  async function problemAtForge(repository: string, wish: string): Promise<WishProblem | null> {
    try {
      return (await forge.hasBranch(repository, wish)) ? 'exists' : null;
    } catch (error) {
      // Its own name is always safe; the next pass looks again.
      log.debug({ err: error }, 'could not ask whether a branch exists');
      return 'unchecked';
    }
  }

  return {
    take(issue, defaultBranch) {
      const wish = issue.state === 'open' ? wishOf(issue) : null;
      const usable = wish !== null && wishProblem(wish, defaultBranch) === null;
      return indexOf(issue.repository).put(issue.number, usable ? wish : null);
    },
    async problemOf(issue, tasks, defaultBranch) {
      const wish = wishOf(issue);
      if (wish === null || issue.state === 'closed') return null;
      const byName = wishProblem(wish, defaultBranch);
      if (byName !== null) return byName;
      const attempts = await attemptsOf(tasks);
      if (wasMadeFor(attempts, wish)) return null;
      if (wasRefused(attempts, wish)) return 'refused';
      const rival = indexOf(issue.repository).rival(issue.number, wish);
      if (rival !== null) return `used_by:#${rival}`;
      return problemAtForge(issue.repository, wish);
    },
  };
}
