// Whom a lone agent must be given what: written from the rules of choosing, not from the code that follows them.

import type { MirroredIssue, Store } from '../../../src/core/store.ts';
import type { Task } from '../../../src/core/task.ts';
import { REPOSITORY } from '../world/remote.ts';

export interface Asker {
  readonly agentId: string;
  readonly capabilities: readonly string[];
}

interface Candidate {
  readonly task: Task;
  readonly matches: number;
}

const PAGE = 500;

async function openIssues(store: Store): Promise<MirroredIssue[]> {
  const all: MirroredIssue[] = [];
  for (let after = 0; ; ) {
    const page = await store.openIssues(REPOSITORY, after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return all;
    all.push(...page);
    after = last.issue.number;
  }
}

/** How many labels match; null: not for this agent. */
function suits(
  { agentId, capabilities }: Asker,
  task: Task,
  labels: readonly string[],
): number | null {
  const matches = labels.filter((label) => capabilities.includes(label)).length;
  if (task.onlyAgent !== null) return task.onlyAgent === agentId ? matches : null;
  const anything = capabilities.includes('*');
  if (task.kind === 'review') {
    if (task.authors.includes(agentId)) return null;
    return anything || capabilities.includes('review') ? matches : null;
  }
  return anything || matches > 0 ? matches : null;
}

/** Highest priority, then most matching labels, then oldest. Null: there is nothing for it. */
export async function bestFor(store: Store, asker: Asker): Promise<Task | null> {
  let best: Candidate | null = null;
  for (const { tasks, matchLabels } of await openIssues(store)) {
    for (const task of tasks) {
      if (task.state !== 'ready') continue;
      const matches = suits(asker, task, matchLabels);
      if (matches === null) continue;
      const first =
        best === null ||
        task.priority > best.task.priority ||
        (task.priority === best.task.priority &&
          (matches > best.matches ||
            (matches === best.matches && (task.enqueuedAt ?? 0) < (best.task.enqueuedAt ?? 0))));
      if (first) best = { task, matches };
    }
  }
  return best?.task ?? null;
}
