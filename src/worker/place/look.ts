// What git says about a worktree after a run: the evidence beside the tool's own words.

import { createHash } from 'node:crypto';
import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gitIn, must } from './git.ts';
import type { Worktree } from './worktree.ts';

export interface Look {
  /** On the branch, since the attempt began. */
  readonly commits: number;
  readonly subjects: readonly string[];
  /** The commit the attempt began with is no longer part of the branch. */
  readonly rewritten: boolean;
  /** Commits that are not on the task's branch: where they are instead. */
  readonly elsewhere: string | null;
  /** Tracked files with changes that are not committed. */
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  /** All files, committed or not, as one hash. */
  readonly tree: string;
}

/** Everything but what the tool keeps for itself. */
function workOnly(toolFiles: readonly string[]): string[] {
  return ['--', '.', ...toolFiles.map((pattern) => `:(exclude)${pattern}`)];
}

async function filesOf(
  { git }: Worktree,
  work: readonly string[],
): Promise<Pick<Look, 'changed' | 'untracked'>> {
  const status = await must(
    git('status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames', ...work),
    'read the state of the worktree',
  );
  const entries = status.split('\0').filter((entry) => entry !== '');
  const named = (wanted: boolean) =>
    entries.filter((entry) => entry.startsWith('??') === wanted).map((entry) => entry.slice(3));
  return { changed: named(false), untracked: named(true) };
}

/** Written into an index of its own: the agent's stays as it is. */
async function treeOf(
  worktree: Worktree,
  scratch: string,
  work: readonly string[],
): Promise<string> {
  const index = join(scratch, 'fingerprint.index');
  await rm(index, { force: true });
  const git = gitIn(worktree.folder, { GIT_INDEX_FILE: index });
  await git('read-tree', 'HEAD');
  await git('add', '--all', '--ignore-errors', ...work);
  const tree = await git('write-tree');
  await rm(index, { force: true });
  return tree.ok ? tree.out : (await worktree.git('rev-parse', 'HEAD^{tree}')).out;
}

export async function lookAt(
  worktree: Worktree,
  scratch: string,
  toolFiles: readonly string[] = [],
): Promise<Look> {
  const work = workOnly(toolFiles);
  const { git, branch, start } = worktree;
  const range = `${start}..refs/heads/${branch}`;
  const subjects = (await git('log', '--format=%s', '--reverse', range)).out;
  const listed = subjects === '' ? [] : subjects.split('\n');
  const head = await git('symbolic-ref', '--quiet', '--short', 'HEAD');
  const stray = await git('rev-list', '--count', 'HEAD', `^${start}`, `^refs/heads/${branch}`);
  return {
    commits: listed.length,
    subjects: listed,
    rewritten: !(await git('merge-base', '--is-ancestor', start, `refs/heads/${branch}`)).ok,
    elsewhere: Number(stray.out) > 0 ? (head.ok ? head.out : 'no branch') : null,
    ...(await filesOf(worktree, work)),
    tree: await treeOf(worktree, scratch, work),
  };
}

/** Changes whenever a file or the branch does; cheap enough to be asked for every few minutes. */
export async function stampOf({ git, folder }: Worktree): Promise<string> {
  const [head, status] = await Promise.all([
    git('rev-parse', 'HEAD'),
    git('status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames'),
  ]);
  const hash = createHash('sha256').update(head.out).update(status.out);
  for (const entry of status.out.split('\0').slice(0, 1000)) {
    const file = await lstat(join(folder, entry.slice(3))).catch(() => null);
    hash.update(`${file?.mtimeMs ?? 0}:${file?.size ?? 0}`);
  }
  return hash.digest('hex');
}

/** `env` names the author. */
export async function commitAll(
  { folder }: Worktree,
  message: string,
  env: NodeJS.ProcessEnv,
  toolFiles: readonly string[] = [],
): Promise<boolean> {
  const names = Object.entries(env).filter(([name]) => /^GIT_(?:AUTHOR|COMMITTER)_/.test(name));
  const git = gitIn(folder, Object.fromEntries(names) as Record<string, string>);
  await must(git('add', '--all', ...workOnly(toolFiles)), 'add the changes');
  return (await git('commit', '--quiet', '--no-verify', '-m', message)).ok;
}
