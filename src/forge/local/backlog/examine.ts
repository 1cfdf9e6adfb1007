// What must be true before the local forge can work, each with the sentence that says how to fix it.

import { unlink, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BantoError } from '../../../core/errors.ts';
import { type Branches, createBranches } from '../git/branches.ts';
import { type Git, gitIn } from '../git/git.ts';
import { codeOf, temporaryPath } from '../issue-file/replace-file.ts';

interface Ground {
  readonly git: Git;
  readonly branches: Branches;
  readonly repoDir: string;
  readonly folder: string;
}

const OLDEST_GIT = [2, 20] as const;

/** Everything that is wrong, in the order in which it should be fixed. */
async function examine(ground: Ground): Promise<string[]> {
  const version = await ground.git('--version');
  if (!version.installed) {
    return ['git is not installed, or not in the PATH. Install git 2.20 or newer.'];
  }
  const repository = [...examineVersion(version.out), ...(await examineRepository(ground))];
  // Where there is no repository yet, there is no sense in asking for a folder in it.
  if (repository.length > 0) return repository;
  return examineFolder(ground.folder);
}

function examineVersion(text: string): string[] {
  // In a folder that is not there git says nothing about itself.
  if (text === '') return [];
  const [major = 0, minor = 0] = (/(\d{1,9})\.(\d{1,9})/.exec(text)?.slice(1) ?? []).map(Number);
  const [wantedMajor, wantedMinor] = OLDEST_GIT;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return [];
  return [`${text} is too old. Install git ${OLDEST_GIT.join('.')} or newer.`];
}

async function examineRepository({ git, branches, repoDir }: Ground): Promise<string[]> {
  const inside = await git('rev-parse', '--git-dir');
  if (!inside.ok) {
    if (/dubious ownership/.test(inside.error)) {
      return [
        `git does not trust ${repoDir}, which belongs to another user. Run Banto as its owner, or allow it: git config --global --add safe.directory ${repoDir}`,
      ];
    }
    if (/cannot change to/.test(inside.error)) {
      return [`The folder ${repoDir} does not exist. Set BANTO_REPO to a git repository.`];
    }
    return [
      `${repoDir} is not a git repository. Go to one, or make one here with \`git init\`; then run \`banto init\`. BANTO_REPO may name another.`,
    ];
  }
  try {
    if ((await branches.tip()) !== null) return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
  return [
    `The repository ${repoDir} has no commit yet, so no branch can be made. Run: git commit --allow-empty -m "First commit"`,
  ];
}

async function examineFolder(folder: string): Promise<string[]> {
  const probe = temporaryPath(folder);
  try {
    await writeFile(probe, '', { flag: 'wx' });
    await unlink(probe);
    return [];
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') {
      return [
        `There is no backlog folder ${folder} yet. Run \`banto init\` to make it with two example issues, or set BACKLOG_DIR.`,
      ];
    }
    if (code === 'ENOTDIR') return [`${folder} is not a folder. Set BACKLOG_DIR to one.`];
    return [
      `The backlog folder ${folder} cannot be written (${code}). Give Banto the right to write there.`,
    ];
  }
}

/** The same before a forge is opened. */
export async function checkRepository(place: {
  readonly repoDir: string;
  readonly backlogDir: string;
}): Promise<void> {
  const git = gitIn(place.repoDir);
  const folder = resolve(place.repoDir, place.backlogDir);
  await check({ git, branches: createBranches(git), repoDir: place.repoDir, folder });
}

export async function check(ground: Ground): Promise<void> {
  const wrong = await examine(ground);
  if (wrong.length > 0) throw new BantoError('misconfigured', wrong.join(' '));
}
