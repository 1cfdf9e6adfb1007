// Learn: labels become relevant, and the ready tasks that carry them are filed under them. Once per label.
// In slices, so that a large backlog does not keep everybody waiting: from its first step on new tasks are
// filed under the label, and it counts as unlearned until the last slice.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Steps } from './group-commit.ts';

const SLICE = 500;

export function createLearn({ write, read }: Steps): (labels: readonly string[]) => Promise<void> {
  const underWay = new Map<string, Promise<void>>();

  async function learn(label: string): Promise<void> {
    const carrying = await read((_now, memory) => {
      memory.buckets.beginLearning(label);
      return memory.issues.values().filter(({ row }) => row.matchLabels.includes(label));
    });
    for (let from = 0; from < carrying.length; from += SLICE) {
      await read((now, memory) => {
        for (const issue of carrying.slice(from, from + SLICE)) {
          for (const task of issue.tasks) if (task.row !== null) memory.refile(task, now);
        }
      });
      if (from + SLICE < carrying.length) await nextTurn();
    }
    await write((turn) => turn.learned(label));
  }

  function learnOnce(label: string): Promise<void> {
    const same = underWay.get(label) ?? learn(label).finally(() => underWay.delete(label));
    underWay.set(label, same);
    return same;
  }

  return async (labels) => {
    const fresh = await read((_now, { buckets }) =>
      [...new Set(labels)].filter((label) => !buckets.isLearned(label)),
    );
    for (const label of fresh) await learnOnce(label);
  };
}
