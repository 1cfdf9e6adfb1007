// The local backlog over the API: listing, adding and editing issues. Forges that keep their own refuse.

import { BantoError } from '../core/errors.ts';
import type { EditableBacklog } from '../core/forge.ts';
import type { Issue } from '../core/issue.ts';
import type { Task } from '../core/task.ts';
import { byMeaning } from '../core/task-ref.ts';
import type { BacklogIssue, Broker } from './broker.ts';
import type { Context } from './context.ts';

type Issues = Pick<Broker, 'issues' | 'hasBacklog' | 'issue' | 'addIssue' | 'editIssue'>;

export function createIssues({ store, forge }: Context): Issues {
  function backlog(): EditableBacklog {
    if (forge.backlog !== undefined) return forge.backlog;
    throw new BantoError(
      'conflict',
      `The issues of ${forge.repositories.join(', ')} are on GitHub: list, open and edit them there.`,
    );
  }

  async function withTasks(issues: readonly Issue[]): Promise<BacklogIssue[]> {
    const tasks = new Map<number, Task>();
    const [repository = ''] = forge.repositories;
    const numbers = issues.map(({ number }) => number);
    for (const known of await store.issuesNumbered(repository, numbers)) {
      const [meant] = known.tasks.toSorted(byMeaning);
      if (meant !== undefined) tasks.set(known.issue.number, meant);
    }
    return issues.map((issue) => ({ issue, task: tasks.get(issue.number) ?? null }));
  }

  async function one(issue: Issue | null | undefined, number: number): Promise<BacklogIssue> {
    const [found] = issue ? await withTasks([issue]) : [];
    if (found !== undefined) return found;
    throw new BantoError('not_found', `There is no issue #${number} in the backlog.`);
  }

  return {
    hasBacklog: () => forge.backlog !== undefined,
    issues: async () => withTasks(await backlog().list()),
    async issue(number) {
      const all = await backlog().list();
      return one(
        all.find((issue) => issue.number === number),
        number,
      );
    },
    async addIssue(issue) {
      const added = await backlog().add(issue);
      return one(added, added.number);
    },
    editIssue: async (number, change) => one(await backlog().edit(number, change), number),
  };
}
