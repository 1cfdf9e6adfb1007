import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  gitAt,
  type LocalRepository,
  makeLocalRepository,
} from '../../../../test/support/local-repository.ts';
import { BantoError } from '../../../core/errors.ts';
import { openLocalForge } from '../local-forge.ts';

let repository: LocalRepository;
beforeEach(() => {
  repository = makeLocalRepository();
});
afterEach(() => {
  vi.unstubAllEnvs();
  repository.remove();
});

async function complaint(repoDir = repository.repoDir): Promise<string> {
  const forge = await openLocalForge({ repoDir, backlogDir: 'backlog' });
  const error = await forge.check().then(
    () => null,
    (error: unknown) => error,
  );
  await forge.close();
  if (error !== null && !(error instanceof BantoError)) throw error;
  return error === null ? '' : `${error.code}: ${error.message}`;
}

describe('check', () => {
  it('is content with a repository that has a commit and a backlog folder, and leaves no trace', async () => {
    expect(await complaint()).toBe('');
    expect(readdirSync(repository.backlog)).toEqual([]);
  });

  it('says that git is missing', async () => {
    vi.stubEnv('PATH', repository.backlog);
    expect(await complaint()).toMatch(/^misconfigured: git is not installed.*Install git/);
  });

  it('says that the folder is not there, or not a repository', async () => {
    expect(await complaint(join(repository.root, 'none'))).toMatch(
      /^misconfigured: The folder .* does not exist\. Set BANTO_REPO/,
    );
    const plain = join(repository.root, 'plain');
    mkdirSync(join(plain, 'backlog'), { recursive: true });
    expect(await complaint(plain)).toMatch(/is not a git repository\..*`git init`/);
  });

  it('says that a first commit is needed', async () => {
    const folder = join(repository.root, 'unborn');
    mkdirSync(join(folder, 'backlog'), { recursive: true });
    gitAt(folder, 'init', '--quiet');
    expect(await complaint(folder)).toMatch(/no commit yet.*git commit --allow-empty/);
  });

  it('says that the backlog folder is missing or no folder', async () => {
    rmSync(repository.backlog, { recursive: true });
    expect(await complaint()).toMatch(
      /There is no backlog folder .*backlog yet\. Run `banto init`/,
    );
    writeFileSync(repository.backlog, '');
    expect(await complaint()).toMatch(/is not a folder/);
  });
});
