import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  gitAt,
  type LocalRepository,
  makeLocalRepository,
} from '../../../../test/support/local-repository.ts';
import { createBranches } from './branches.ts';
import { gitIn } from './git.ts';

let repository: LocalRepository;
beforeEach(() => {
  repository = makeLocalRepository();
});
afterEach(() => {
  vi.unstubAllEnvs();
  repository.remove();
});

const branchesOf = (folder = repository.repoDir) => createBranches(gitIn(folder));
const other = (...init: string[]) => {
  const folder = join(repository.root, 'other');
  mkdirSync(folder);
  gitAt(folder, 'init', '--quiet', ...init);
  return folder;
};

describe('the default branch', () => {
  it('is main, whatever feature branch is checked out', async () => {
    repository.git('switch', '-qc', 'feature/x');
    expect(await branchesOf().defaultBranch()).toBe('main');
  });

  it('is what origin says before anything else, also without a local branch of that name', async () => {
    const clone = join(repository.root, 'clone');
    repository.git('branch', 'develop');
    repository.git('symbolic-ref', 'HEAD', 'refs/heads/develop');
    gitAt(repository.root, 'clone', '--quiet', repository.repoDir, clone);
    gitAt(clone, 'switch', '-qc', 'main');
    gitAt(clone, 'branch', '-qD', 'develop');
    const branches = branchesOf(clone);
    expect(await branches.defaultBranch()).toBe('develop');
    expect(await branches.create('work')).toBe('created');
  });

  it('is the branch of HEAD at the start where no usual name exists, and stays it', async () => {
    repository.git('branch', '-m', 'trunk');
    const branches = branchesOf();
    expect(await branches.defaultBranch()).toBe('trunk');
    repository.git('switch', '-qc', 'feature/x');
    expect(await branches.defaultBranch()).toBe('trunk');
  });

  it('is the configured one when HEAD is detached, and refused where there is none', async () => {
    repository.git('branch', '-m', 'trunk');
    repository.git('checkout', '-q', '--detach');
    await expect(branchesOf().defaultBranch()).rejects.toMatchObject({
      reason: 'no_default_branch',
    });
    repository.git('config', 'init.defaultBranch', 'trunk');
    expect(await branchesOf().defaultBranch()).toBe('trunk');
  });
});

describe('creating a branch', () => {
  it('starts at the default branch and touches neither work tree, index nor HEAD', async () => {
    writeFileSync(join(repository.repoDir, 'a.txt'), 'a');
    repository.git('add', 'a.txt');
    const index = readFileSync(join(repository.repoDir, '.git/index'));
    const status = repository.git('status', '--porcelain');
    expect(await branchesOf().create('work/7')).toBe('created');
    expect(repository.git('rev-parse', 'refs/heads/work/7')).toBe(
      repository.git('rev-parse', 'main'),
    );
    expect(readFileSync(join(repository.repoDir, '.git/index'))).toEqual(index);
    expect(repository.git('status', '--porcelain')).toBe(status);
    expect(repository.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  });

  it('never moves a branch that is there', async () => {
    repository.git('branch', 'work');
    const before = repository.git('rev-parse', 'work');
    repository.git('commit', '-q', '--allow-empty', '-m', 'second');
    expect(await branchesOf().create('work')).toBe('exists');
    expect(repository.git('rev-parse', 'work')).toBe(before);
  });

  it('refuses before the first commit, and works after it', async () => {
    const folder = other('--initial-branch=start');
    const branches = branchesOf(folder);
    await expect(branches.create('x')).rejects.toMatchObject({ reason: 'no_commits' });
    gitAt(folder, 'commit', '--quiet', '--allow-empty', '-m', 'first');
    expect(await branches.create('x')).toBe('created');
  });

  it('says which branch is in the way', async () => {
    const branches = branchesOf();
    await branches.create('a/b');
    await expect(branches.create('a')).rejects.toThrow(/beside the branch a\/b/);
    await expect(branches.create('a/b/c')).rejects.toThrow(/beside the branch a\/b/);
  });

  it('asks for patience while another git holds the lock', async () => {
    mkdirSync(join(repository.repoDir, '.git/refs/heads'), { recursive: true });
    const lock = join(repository.repoDir, '.git/refs/heads/work.lock');
    writeFileSync(lock, '');
    await expect(branchesOf().create('work')).rejects.toMatchObject({ name: 'ForgeBusy' });
  });

  it('works in a bare repository, in a linked work tree and with SHA-256', async () => {
    const bare = join(repository.root, 'bare.git');
    gitAt(repository.root, 'clone', '--quiet', '--bare', repository.repoDir, bare);
    expect(await branchesOf(bare).create('x')).toBe('created');
    const linked = join(repository.root, 'linked');
    repository.git('worktree', 'add', '-q', linked, '-b', 'linked');
    const branches = branchesOf(linked);
    expect(await branches.defaultBranch()).toBe('main');
    expect(await branches.create('y')).toBe('created');
    const wide = other('--object-format=sha256', '--initial-branch=main');
    gitAt(wide, 'commit', '--quiet', '--allow-empty', '-m', 'first');
    expect(await branchesOf(wide).create('z')).toBe('created');
  });

  it('is not led astray by GIT_DIR in the environment', async () => {
    const folder = other('--initial-branch=elsewhere');
    vi.stubEnv('GIT_DIR', join(folder, '.git'));
    vi.stubEnv('GIT_WORK_TREE', folder);
    expect(await branchesOf().create('x')).toBe('created');
    expect(repository.git('rev-parse', 'refs/heads/x')).toMatch(/^[0-9a-f]{40}$/);
    expect(existsSync(join(folder, '.git/refs/heads/x'))).toBe(false);
  });
});
