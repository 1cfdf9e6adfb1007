// Learn: labels become relevant, and the ready tasks that carry them are filed under them. Once per label.
// In slices, so that a large backlog does not keep everybody waiting: from its first step on new tasks are
// filed under the label, and it counts as unlearned until the last slice, so that a crash starts it again.

import type { TaskVerbs } from '../../core/store.ts';
import type { Kit } from './kit.ts';
import type { TaskRow } from './rows.ts';
import { all, first, loadStatements } from './statements.ts';

const SLICE = 200;

export function createLearn(kit: Kit): TaskVerbs['learn'] {
  const { shelf } = kit;
  const sql = loadStatements(kit.db, 'learn', ['known', 'begin', 'slice', 'ready', 'finish']);
  const underWay = new Map<string, Promise<void>>();

  /** Files the tasks of the next issues anew; returns the last of them, or null at the end. */
  function fileSlice(label: string, after: number, now: number): number | null {
    const issues = all<{ issue_id: number }>(sql.slice, { label, after, limit: SLICE });
    for (const { issue_id } of issues) {
      for (const row of all<TaskRow>(sql.ready, { issue_id })) shelf.refile(row, now);
    }
    return issues.length < SLICE ? null : (issues.at(-1)?.issue_id ?? null);
  }

  async function learn(label: string): Promise<void> {
    let after: number | null = 0;
    while (after !== null) {
      const from: number = after;
      after = await kit.write(({ now }) => {
        const next = fileSlice(label, from, now);
        if (next === null) sql.finish.run({ label });
        return next;
      });
    }
  }

  function learnOnce(label: string): Promise<void> {
    const same = underWay.get(label) ?? learn(label).finally(() => underWay.delete(label));
    underWay.set(label, same);
    return same;
  }

  return async (labels) => {
    const fresh = await kit.write(() =>
      [...new Set(labels)].filter((label) => {
        if (first(sql.known, { label }) !== undefined) return false;
        sql.begin.run({ label });
        return true;
      }),
    );
    // All are relevant from here on: the first label's slices do most of the work of the others.
    for (const label of fresh) await learnOnce(label);
  };
}
