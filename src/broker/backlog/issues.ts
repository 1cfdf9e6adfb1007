// The local backlog over the API: listing, adding and editing issues. Forges that keep their own refuse.

import { BantoError } from '../../core/errors.ts';
import type { ByHand, IssueFactType } from '../../core/facts.ts';
import type { EditableBacklog, IssueChange } from '../../core/forge.ts';
import type { Issue } from '../../core/issue.ts';
import type { Task } from '../../core/task.ts';
import { byMeaning } from '../../core/text/task-ref.ts';
import type { BacklogIssue, Broker } from '../broker.ts';
import type { Context } from '../context.ts';
import type { Mirror } from '../mirror.ts';

type Issues = Pick<Broker, 'issues' | 'hasBacklog' | 'issue' | 'addIssue' | 'editIssue'>;

/** Null: nothing was asked for. */
function doneBy(change: IssueChange): IssueFactType | null {
  if (change.state === 'closed') return 'issue_closed';
  if (change.state === 'open') return 'issue_reopened';
  return Object.keys(change).length === 0 ? null : 'issue_edited';
}

export function createIssues({ store, forge, log }: Context, mirror: Pick<Mirror, 'take'>): Issues {
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

  /** The forge has it: whoever asked must not be told that it failed, and ask again. */
  async function note(
    { issue: { repository, number }, task }: BacklogIssue,
    type: IssueFactType,
    asked: ByHand = {},
  ): Promise<void> {
    try {
      await store.noteIssue({ ...asked, repository, number, taskId: task?.id ?? null, type });
    } catch (error) {
      log.warn({ err: error, repository, number }, `nothing says who did it: ${type}`);
    }
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
    async addIssue(issue, asked) {
      const added = await backlog().add(issue);
      // At once, so that its task is there to say who added it.
      await mirror
        .take({ repository: added.repository, issues: [added], gone: [] })
        .catch((error: unknown) => {
          log.warn({ err: error }, 'could not take in a new issue; the next pass will');
        });
      const found = await one(added, added.number);
      await note(found, 'issue_added', asked);
      return found;
    },
    async editIssue(number, change, asked) {
      const edited = await one(await backlog().edit(number, change), number);
      const done = doneBy(change);
      if (done !== null) await note(edited, done, asked);
      return edited;
    },
  };
}
