// A real git repository in a temporary folder, with a small backlog of files.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closedText, fileText, ISSUES, makeRepository } from './backlog.ts';
import type { Stage } from './stage.ts';

export async function openLocalStage(folder: string): Promise<Stage> {
  const repoDir = join(folder, 'shop');
  const backlog = join(repoDir, 'backlog');
  await makeRepository(repoDir);
  let last = ISSUES.length;
  return {
    forge: { kind: 'local', repoDir, backlogDir: 'backlog' },
    titles: new Map(ISSUES.map(({ title }, index) => [index + 1, title])),
    async open(issue) {
      last += 1;
      const name = `${String(last).padStart(4, '0')}-${issue.slug}.md`;
      await writeFile(join(backlog, name), fileText(issue));
    },
    async close(number) {
      const file = (await readdir(backlog)).find((name) => Number.parseInt(name, 10) === number);
      if (file === undefined) return;
      const path = join(backlog, file);
      await writeFile(path, closedText(await readFile(path, 'utf8')));
    },
    openPull: async () => null,
    opened: () => undefined,
    stop: async () => undefined,
  };
}
