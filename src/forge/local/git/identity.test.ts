import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  gitAt,
  type LocalRepository,
  makeLocalRepository,
} from '../../../../test/support/local-repository.ts';
import { openLocalForge } from '../local-forge.ts';

let repository: LocalRepository;
let dataDir: string;
beforeEach(() => {
  repository = makeLocalRepository();
  dataDir = join(repository.repoDir, '.banto');
});
afterEach(() => repository.remove());

async function nameOf(repoDir: string, data = join(repoDir, '.banto'), readOnly = false) {
  const forge = await openLocalForge({ repoDir, backlogDir: 'backlog', dataDir: data, readOnly });
  await forge.close();
  return forge.repositories[0];
}

function another(): string {
  const repoDir = join(repository.root, 'other');
  mkdirSync(join(repoDir, 'backlog'), { recursive: true });
  gitAt(repoDir, 'init', '--quiet', '--initial-branch=main');
  gitAt(repoDir, 'commit', '--quiet', '--allow-empty', '-m', 'other beginnings');
  return repoDir;
}

it('keeps the name of the first start when the folder is renamed', async () => {
  expect(await nameOf(repository.repoDir)).toBe('shop');
  const renamed = join(repository.root, 'store');
  renameSync(repository.repoDir, renamed);
  expect(await nameOf(renamed)).toBe('shop');
  expect(JSON.parse(readFileSync(join(renamed, '.banto', 'repository.json'), 'utf8'))).toEqual({
    name: 'shop',
    root_commits: [gitAt(renamed, 'rev-list', '--max-parents=0', 'HEAD')],
  });
});

it('refuses data of another repository and says what to do, also when its folder has the same name', async () => {
  await nameOf(repository.repoDir);
  const other = another();
  await expect(nameOf(other, dataDir)).rejects.toThrow(/another repository.*BANTO_DATA_DIR/s);
  renameSync(repository.repoDir, join(repository.root, 'old'));
  renameSync(other, join(repository.root, 'shop'));
  const old = join(repository.root, 'old', '.banto');
  await expect(nameOf(join(repository.root, 'shop'), old)).rejects.toThrow(/another repository/);
});

it('knows its data after the history has grown another beginning', async () => {
  await nameOf(repository.repoDir);
  repository.git('fetch', '--quiet', another(), 'main');
  repository.git('merge', '--quiet', '--allow-unrelated-histories', '-m', 'both', 'FETCH_HEAD');
  expect(await nameOf(repository.repoDir)).toBe('shop');
});

it('goes by the place of the data in a shallow clone, and learns the first commit with the history', async () => {
  repository.git('commit', '--quiet', '--allow-empty', '-m', 'second');
  const clone = join(repository.root, 'clone');
  gitAt(repository.root, 'clone', '--quiet', '--depth=1', `file://${repository.repoDir}`, clone);
  expect(await nameOf(clone)).toBe('clone');
  const written = () => JSON.parse(readFileSync(join(clone, '.banto', 'repository.json'), 'utf8'));
  expect(written()).toEqual({ name: 'clone', root_commits: [] });
  gitAt(clone, 'fetch', '--quiet', '--unshallow');
  expect(await nameOf(clone)).toBe('clone');
  expect(written().root_commits).toHaveLength(1);
});

it('writes nothing before the first commit, nor for a command that only looks', async () => {
  const empty = join(repository.root, 'empty');
  mkdirSync(join(empty, 'backlog'), { recursive: true });
  gitAt(empty, 'init', '--quiet', '--initial-branch=main');
  expect(await nameOf(empty)).toBe('empty');
  expect(statSync(join(empty, '.banto'), { throwIfNoEntry: false })).toBeUndefined();
  await nameOf(repository.repoDir, dataDir, true);
  expect(statSync(dataDir, { throwIfNoEntry: false })).toBeUndefined();
});

it('says so when what is written down cannot be read', async () => {
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'repository.json'), '{');
  await expect(nameOf(repository.repoDir)).rejects.toThrow(/repository\.json cannot be read/);
});

it('keeps its folder from others and from git, but not hooks and prompts', async () => {
  await nameOf(repository.repoDir);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dataDir, 'repository.json')).mode & 0o777).toBe(0o600);
  expect(repository.git('status', '--short', '--untracked-files=all')).toBe('');
  for (const folder of ['hooks', 'prompts']) {
    mkdirSync(join(dataDir, folder));
    writeFileSync(join(dataDir, folder, 'implement.md'), 'text');
  }
  expect(repository.git('status', '--short', '--untracked-files=all').split('\n')).toEqual([
    '?? .banto/hooks/implement.md',
    '?? .banto/prompts/implement.md',
  ]);
});

it('closes a folder to others that somebody made before the first start', async () => {
  mkdirSync(join(dataDir, 'hooks'), { recursive: true, mode: 0o755 });
  await nameOf(repository.repoDir);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});
