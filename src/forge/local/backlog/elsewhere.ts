// Issues whose files are missing only because somebody checked out another branch: not in the work tree, not in the
// tree of HEAD, but in the tree of the default branch. They are not gone.

import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Issue } from '../../../core/issue.ts';
import type { Branches } from '../git/branches.ts';
import type { Git } from '../git/git.ts';
import { issueFromText, numberOfFile } from '../issue-file/read-issue.ts';
import { orNull } from '../issue-file/replace-file.ts';

export interface Elsewhere {
  /** Which numbers; null while git is at work, so that nothing can be said. */
  numbers(): Promise<ReadonlySet<number> | null>;
  /** The issue as the default branch has it; null: it is not elsewhere. */
  read(number: number, readAt: number): Promise<Issue | null>;
}

interface ElsewhereOptions {
  readonly git: Git;
  readonly branches: Branches;
  readonly repoDir: string;
  readonly backlogDir: string;
  readonly repository: string;
}

/** A lock that was left behind by a crash must not keep issues for ever. */
const LOCK_BELIEVED_MS = 60_000;

export function createElsewhere(options: ElsewhereOptions): Elsewhere {
  const { git, branches, repoDir, backlogDir, repository } = options;

  /** Git takes files away first and moves HEAD last, holding this lock. */
  async function isGitAtWork(): Promise<boolean> {
    const lock = await git('rev-parse', '--git-path', 'index.lock');
    const found = lock.ok ? await orNull(lstat(resolve(repoDir, lock.out))) : null;
    return found !== null && Date.now() - found.mtimeMs < LOCK_BELIEVED_MS;
  }

  async function filesAt(commit: string): Promise<Map<number, string>> {
    const listed = await git('ls-tree', '-z', '--name-only', `${commit}:./${backlogDir}`);
    const files = new Map<number, string>();
    for (const name of listed.ok ? listed.out.split('\0') : []) {
      const number = numberOfFile(name);
      if (number !== null) files.set(number, name);
    }
    return files;
  }

  async function find(): Promise<{ tip: string; files: Map<number, string> } | null> {
    const tip = await branches.tip().catch(() => null);
    const head = await git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
    if (tip === null || !head.ok || head.out === tip) return null;
    const files = await filesAt(tip);
    for (const number of (await filesAt(head.out)).keys()) files.delete(number);
    return { tip, files };
  }

  return {
    async numbers() {
      if (await isGitAtWork()) return null;
      return new Set((await find())?.files.keys());
    },
    async read(number, readAt) {
      const found = await find();
      const name = found?.files.get(number);
      if (found === null || name === undefined) return null;
      const text = await git('cat-file', 'blob', `${found.tip}:./${backlogDir}/${name}`);
      if (!text.ok) return null;
      const folder = join(repoDir, backlogDir);
      return issueFromText({ folder, repository, number, names: [name], readAt }, readAt, text.out);
    },
  };
}
