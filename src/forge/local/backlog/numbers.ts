// The highest number that any issue ever had: no number is given twice, also when its file is long gone. What was
// seen is appended to a file, one number a line, so that two processes cannot undo each other's word; what was
// committed and deleted before that is in git's history.

import { appendFile, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { prepareDataFolder } from '../../../machine/data-folder.ts';
import type { Git } from '../git/git.ts';
import { numberOfFile } from '../issue-file/read-issue.ts';
import { orNull } from '../issue-file/replace-file.ts';

const FILE = 'numbers';

export interface Numbers {
  highest(): Promise<number>;
  /** Cheap where it is not news. */
  note(number: number): Promise<void>;
}

interface NumbersOptions {
  readonly dataDir: string;
  readonly git: Git;
  /** Relative to the repository. */
  readonly backlogDir: string;
}

/** Where nothing is written down: the files that are there must do. */
export const NO_NUMBERS: Numbers = { highest: async () => 0, note: async () => undefined };

function highestOf(numbers: Iterable<number>): number {
  let highest = 0;
  for (const number of numbers) if (number > highest) highest = number;
  return highest;
}

export function openNumbers({ dataDir, git, backlogDir }: NumbersOptions): Numbers {
  const path = join(dataDir, FILE);
  let noted: number | null = null;

  async function read(): Promise<number> {
    const text = (await orNull(readFile(path, 'utf8'))) ?? '';
    return highestOf(text.split('\n').map((line) => (/^\d{1,15}$/.test(line) ? Number(line) : 0)));
  }

  async function inHistory(): Promise<number> {
    const only = ['--all', '--format=', '--name-only', '--no-renames', '--diff-filter=A', '-z'];
    const added = await git('log', ...only, '--', backlogDir);
    return highestOf(added.out.split(/[\0\n]/).map((file) => numberOfFile(basename(file)) ?? 0));
  }

  return {
    highest: async () => Math.max(await read(), await inHistory()),
    async note(number) {
      noted ??= await read();
      if (number <= noted) return;
      noted = number;
      prepareDataFolder(dataDir);
      await appendFile(path, `${number}\n`, { mode: 0o600 });
    },
  };
}
