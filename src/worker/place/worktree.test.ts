// Real git: a person's clone, a bare remote, and a second clone that stands for another machine.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { gitAt } from '../../../test/support/local-repository.ts';
import { pushBranch } from './branch.ts';
import { type Checkout, openCheckout } from './checkout.ts';
import { lookAt } from './look.ts';
import {
  BranchBusy,
  keepWorktree,
  openWorktree,
  removeWorktree,
  type Worktree,
} from './worktree.ts';

const BRANCH = 'feature/issue-7';
let root: string;
let clone: string;
let other: string;
let checkout: Checkout;

let template: string;
beforeAll(() => {
  template = mkdtempSync(join(tmpdir(), 'banto-template-'));
  gitAt(template, 'init', '--quiet', '--bare', '--initial-branch=main', 'remote.git');
  gitAt(template, 'clone', '--quiet', 'remote.git', 'clone');
  const made = join(template, 'clone');
  gitAt(made, 'checkout', '--quiet', '-B', 'main');
  commit(made, 'a.txt');
  commit(made, 'b.txt');
  gitAt(made, 'push', '--quiet', 'origin', 'main');
  for (const name of ['clone', 'other']) {
    if (name === 'other') gitAt(template, 'clone', '--quiet', 'remote.git', name);
    gitAt(join(template, name), 'remote', 'set-url', 'origin', '../remote.git');
  }
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'banto-worktree-'));
  cpSync(template, root, { recursive: true });
  clone = join(root, 'clone');
  other = join(root, 'other');
  checkout = await openCheckout(clone);
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

const work = () => join(root, 'work');
function open(change: Partial<Parameters<typeof openWorktree>[1]> = {}): Promise<Worktree> {
  mkdirSync(work(), { recursive: true });
  return openWorktree(checkout, {
    folder: join(work(), 'trees', 't'),
    branch: BRANCH,
    detached: false,
    resumeFrom: null,
    aside: join(work(), 'kept', 't'),
    root: work(),
    ...change,
  });
}

function commit(folder: string, file: string, message = `add ${file}`): string {
  writeFileSync(join(folder, file), `${file}\n`);
  gitAt(folder, 'add', file);
  gitAt(folder, 'commit', '--quiet', '-m', message);
  return gitAt(folder, 'rev-parse', 'HEAD');
}

function pushFromOther(file: string): string {
  gitAt(other, 'fetch', '--quiet');
  const known =
    gitAt(other, 'branch', '--list', BRANCH, '--remotes') !== '' ||
    gitAt(other, 'branch', '--list', BRANCH) !== '';
  gitAt(other, 'checkout', '--quiet', ...(known ? [BRANCH] : ['-b', BRANCH]));
  const made = commit(other, file);
  gitAt(other, 'push', '--quiet', 'origin', BRANCH);
  return made;
}

it('makes a branch that does not exist yet from the default branch', async () => {
  const tree = await open();
  expect([tree.created, tree.start]).toEqual([true, gitAt(clone, 'rev-parse', 'main')]);
  expect(gitAt(tree.folder, 'branch', '--show-current')).toBe(BRANCH);
});

it('takes the branch as it was pushed, and never touches the checkout of the person', async () => {
  writeFileSync(join(clone, 'a.txt'), 'half done\n');
  writeFileSync(join(clone, 'new.txt'), 'mine\n');
  const before = gitAt(clone, 'status', '--porcelain', '--branch');
  const pushed = pushFromOther('p.txt');
  const tree = await open();
  expect(tree.start).toBe(pushed);
  commit(tree.folder, 'c.txt');
  expect(await pushBranch(checkout, BRANCH, async () => undefined)).toBe('pushed');
  await removeWorktree(checkout, tree.folder);
  expect(gitAt(clone, 'status', '--porcelain', '--branch')).toBe(before);
  expect(gitAt(clone, 'worktree', 'list').split('\n')).toHaveLength(1);
});

it('keeps local commits that do not fit what was pushed meanwhile', async () => {
  gitAt(clone, 'branch', BRANCH, 'main');
  const first = await open();
  const mine = commit(first.folder, 'mine.txt');
  await removeWorktree(checkout, first.folder);
  const pushed = pushFromOther('theirs.txt');
  const second = await open();
  expect(second.start).toBe(pushed);
  expect(gitAt(clone, 'rev-parse', second.kept ?? '')).toBe(mine);
});

it('goes on with local commits that were never pushed', async () => {
  const first = await open();
  const mine = commit(first.folder, 'mine.txt');
  await removeWorktree(checkout, first.folder);
  expect((await open()).start).toBe(mine);
});

it('never pushes by force', async () => {
  const tree = await open();
  pushFromOther('theirs.txt');
  commit(tree.folder, 'mine.txt');
  expect(await pushBranch(checkout, BRANCH, async () => undefined)).toBe('rejected');
});

it('leaves a branch alone that the person has checked out, but can review it', async () => {
  gitAt(clone, 'checkout', '--quiet', '-b', BRANCH);
  await expect(open()).rejects.toThrow(BranchBusy);
  const tree = await open({ detached: true });
  expect(existsSync(join(tree.folder, 'a.txt'))).toBe(true);
});

it('takes the branch over from a worktree that another worker left behind', async () => {
  const left = await open({ folder: join(work(), 'trees', 'dead') });
  commit(left.folder, 'half.txt');
  writeFileSync(join(left.folder, 'dirty.txt'), 'x');
  const tree = await open();
  expect(gitAt(tree.folder, 'branch', '--show-current')).toBe(BRANCH);
  expect(existsSync(join(tree.folder, 'half.txt'))).toBe(true);
  expect(readFileSync(join(left.folder, 'dirty.txt'), 'utf8')).toBe('x');
});

it('goes on where an interrupted run of the same task stopped, unless others went on', async () => {
  const first = await open();
  commit(first.folder, 'half.txt');
  writeFileSync(join(first.folder, 'dirty.txt'), 'x');
  const again = await open({ resumeFrom: first.start });
  expect([again.created, again.start]).toEqual([false, first.start]);
  expect(existsSync(join(again.folder, 'dirty.txt'))).toBe(true);
  pushFromOther('theirs.txt');
  const fresh = await open({ resumeFrom: first.start });
  expect(fresh.created).toBe(true);
  expect(existsSync(join(work(), 'kept', 't', 'dirty.txt'))).toBe(true);
});

it('puts a failed worktree aside, with its files, off the branch', async () => {
  const tree = await open();
  writeFileSync(join(tree.folder, 'dirty.txt'), 'x');
  const kept = join(work(), 'kept', 'failed');
  await keepWorktree(checkout, tree.folder, kept);
  expect(readFileSync(join(kept, 'dirty.txt'), 'utf8')).toBe('x');
  expect((await open()).created).toBe(true);
});

it('runs none of the hooks of the repository', async () => {
  const hooks = join(clone, '.git', 'hooks');
  mkdirSync(hooks, { recursive: true });
  for (const name of ['post-checkout', 'pre-push', 'reference-transaction']) {
    writeFileSync(join(hooks, name), `#!/bin/sh\necho ran >> ${root}/hooks-ran\n`, { mode: 0o755 });
  }
  const tree = await open();
  gitAt(
    tree.folder,
    '-c',
    'core.hooksPath=/dev/null',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'x',
  );
  await pushBranch(checkout, BRANCH, async () => undefined);
  expect(existsSync(join(root, 'hooks-ran'))).toBe(false);
});

it('sees commits, leftovers, other branches and rewritten history', async () => {
  const tree = await open();
  const scratch = root;
  const empty = await lookAt(tree, scratch);
  expect(empty).toMatchObject({
    commits: 0,
    changed: [],
    untracked: [],
    rewritten: false,
    elsewhere: null,
  });
  writeFileSync(join(tree.folder, 'a.txt'), 'changed\n');
  writeFileSync(join(tree.folder, 'with space é.txt'), 'x');
  const dirty = await lookAt(tree, scratch);
  expect(dirty).toMatchObject({ changed: ['a.txt'], untracked: ['with space é.txt'] });
  expect(dirty.tree).not.toBe(empty.tree);
  gitAt(tree.folder, 'add', '.');
  gitAt(tree.folder, 'commit', '--quiet', '-m', 'one');
  const done = await lookAt(tree, scratch);
  expect(done).toMatchObject({ commits: 1, subjects: ['one'], changed: [], tree: dirty.tree });
  gitAt(tree.folder, 'checkout', '--quiet', '-b', 'stray');
  commit(tree.folder, 's.txt');
  expect(await lookAt(tree, scratch)).toMatchObject({ commits: 1, elsewhere: 'stray' });
  gitAt(tree.folder, 'checkout', '--quiet', BRANCH);
  gitAt(tree.folder, 'reset', '--quiet', '--hard', `${tree.start}^`);
  expect(await lookAt(tree, scratch)).toMatchObject({ rewritten: true });
});
