// Which repository the data belongs to, written down at the first start: the name it had then, which all task ids
// carry, and its first commits. A folder may be renamed or moved; its first commits stay.

import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { BantoError } from '../../../core/errors.ts';
import { prepareDataFolder } from '../../../machine/data-folder.ts';
import { codeOf } from '../issue-file/replace-file.ts';
import type { Branches } from './branches.ts';
import type { Git } from './git.ts';

const FILE = 'repository.json';

interface Identity {
  readonly name: string;
  /** Empty where they are not known: a shallow clone does not have them. */
  readonly roots: readonly string[];
}

interface Ground {
  readonly git: Git;
  readonly branches: Branches;
  readonly repoDir: string;
  readonly dataDir: string;
}

function nameOfFolder(repoDir: string): string {
  const name = basename(resolve(repoDir))
    .replace(/\.git$/, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[-.]{1,255}|[-.]{1,255}$/g, '');
  return name === '' ? 'local' : name;
}

/** The name that the data knows the repository by; before the first start, that of its folder. */
export function repositoryName(repoDir: string, dataDir: string | null): string {
  return (dataDir === null ? null : readIdentity(dataDir))?.name ?? nameOfFolder(repoDir);
}

function readIdentity(dataDir: string): Identity | null {
  const path = join(dataDir, FILE);
  try {
    const found = JSON.parse(readFileSync(path, 'utf8')) as {
      name?: unknown;
      root_commits?: unknown;
    };
    const roots = Array.isArray(found.root_commits) ? found.root_commits.map(String) : null;
    if (typeof found.name === 'string' && found.name !== '' && roots !== null) {
      return { name: found.name, roots };
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new BantoError(
    'misconfigured',
    `${path} cannot be read. It says which repository the data belongs to. Restore it, or remove it if the data is this repository's.`,
  );
}

async function rootsOf({ git, branches }: Ground): Promise<readonly string[] | null> {
  const tip = await branches.tip().catch(() => null);
  if (tip === null) return null;
  const shallow = await git('rev-parse', '--is-shallow-repository');
  if (shallow.out === 'true') return [];
  const roots = await git('rev-list', '--max-parents=0', tip);
  return roots.ok ? roots.out.split('\n').filter((root) => root !== '') : null;
}

function isSame(known: Identity, roots: readonly string[], { repoDir, dataDir }: Ground): boolean {
  if (known.roots.length > 0 && roots.length > 0) {
    return known.roots.some((root) => roots.includes(root));
  }
  // Nothing to compare: the place of the data has to tell, or the name.
  const inside = `${resolve(dataDir)}${sep}`.startsWith(`${resolve(repoDir)}${sep}`);
  return inside || known.name === nameOfFolder(repoDir);
}

function foreign(known: Identity, { repoDir, dataDir }: Ground): BantoError {
  return new BantoError(
    'misconfigured',
    `The data in ${dataDir} belongs to another repository (${known.name}), not to ${repoDir}. Set BANTO_DATA_DIR to a folder of this repository's own. If it is the same repository and its history was rewritten, remove ${join(dataDir, FILE)} and start again.`,
  );
}

async function write({ dataDir }: Ground, { name, roots }: Identity): Promise<void> {
  prepareDataFolder(dataDir);
  const path = join(dataDir, FILE);
  const temporary = `${path}.${process.pid}.tmp`;
  const text = `${JSON.stringify({ name, root_commits: roots }, null, 2)}\n`;
  await writeFile(temporary, text, { mode: 0o600 });
  await rename(temporary, path);
}

/**
 * The repository's name. Throws where the data is another repository's. Where nothing can be said yet (no commit,
 * no repository) nothing is written: `check` says what is missing.
 */
export async function identify(ground: Ground, mayWrite: boolean): Promise<string> {
  const known = readIdentity(ground.dataDir);
  const roots = await rootsOf(ground);
  if (known !== null && roots !== null && !isSame(known, roots, ground)) {
    throw foreign(known, ground);
  }
  const name = known?.name ?? nameOfFolder(ground.repoDir);
  const news = roots !== null && (known === null || (known.roots.length === 0 && roots.length > 0));
  if (news && mayWrite) await write(ground, { name, roots });
  return name;
}
