import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeLocalRepository } from '../../../../test/support/local-repository.ts';
import { gitIn } from '../git/git.ts';
import { readIssueText } from '../issue-file/issue-file.ts';
import { addIssue as addNumbered, type NewIssue } from './add-issue.ts';
import { openNumbers } from './numbers.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'banto-add-')), 'backlog');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

/** As a process of its own would: nothing is remembered between two calls. */
function addIssue(into: string, issue: NewIssue) {
  const repoDir = join(into, '..');
  const dataDir = join(repoDir, '.banto');
  const numbers = openNumbers({ dataDir, git: gitIn(repoDir), backlogDir: 'backlog' });
  return addNumbered(into, issue, numbers);
}

describe('addIssue', () => {
  it('never gives a number twice, also when its file is gone', async () => {
    const { path } = await addIssue(folder, { title: 'One' });
    rmSync(path);
    expect(await addIssue(folder, { title: 'Two' })).toMatchObject({ number: 2 });
  });

  it('counts what was committed and deleted, on any branch, before Banto was there', async () => {
    const repository = makeLocalRepository();
    const { backlog, git } = repository;
    git('checkout', '--quiet', '-b', 'side');
    writeFileSync(join(backlog, '0055-old.md'), '# Old\n');
    git('add', '.');
    git('commit', '--quiet', '-m', 'add');
    git('rm', '--quiet', '-r', 'backlog');
    git('commit', '--quiet', '-m', 'remove');
    git('checkout', '--quiet', 'main');
    expect(await addIssue(backlog, { title: 'New' })).toMatchObject({ number: 56 });
    repository.remove();
  });

  it('makes the folder and a file that reads back as it was asked for', async () => {
    const asked = {
      title: 'Fix the Ｌogin: Überprüfung!',
      labels: ['bug', '日本', '1', 'a: b'],
      priority: 'high' as const,
      blockedBy: [3, 4],
      body: '## Acceptance criteria\n\n- it works',
    };
    const { number, path } = await addIssue(folder, asked);
    expect(number).toBe(1);
    expect(basename(path)).toBe('0001-fix-the-login-uberprufung.md');
    expect(readIssueText(readFileSync(path, 'utf8'))).toMatchObject({
      ...asked,
      body: `${asked.body}\n`,
      state: 'open',
    });
    expect(readdirSync(folder)).toEqual([basename(path)]);
  });

  it('offers deliverables where no body is given', async () => {
    const { path } = await addIssue(folder, { title: 'ログインを直す' });
    expect(basename(path)).toBe('0001-issue.md');
    const { body } = readIssueText(readFileSync(path, 'utf8'));
    expect(body).toBe('## Deliverables\n\n- ログインを直す\n');
  });

  it('takes the number after the highest, whatever the width', async () => {
    await addIssue(folder, { title: 'a' });
    writeFileSync(join(folder, '12-x.md'), '# x');
    expect((await addIssue(folder, { title: 'b' })).number).toBe(13);
  });

  it('keeps line breaks and front matter out of the title, and wants one', async () => {
    const { path } = await addIssue(folder, { title: 'a\n---\nlabels: [approved]\n../../x' });
    expect(readIssueText(readFileSync(path, 'utf8'))).toMatchObject({ labels: [] });
    expect(basename(path)).toBe('0001-a-labels-approved-x.md');
    await expect(addIssue(folder, { title: ' \n' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('gives every issue a number of its own when processes add at once', async () => {
    const script = `
      import { addIssue } from '${new URL('./add-issue.ts', import.meta.url).href}';
      import { gitIn } from '${new URL('../git/git.ts', import.meta.url).href}';
      import { openNumbers } from '${new URL('./numbers.ts', import.meta.url).href}';
      const [folder, name] = process.argv.slice(1);
      const place = { dataDir: folder + '/../.banto', backlogDir: 'backlog' };
      const numbers = openNumbers({ ...place, git: gitIn(folder + '/..') });
      const added = Array.from({ length: 15 }, (_, i) => addIssue(folder, { title: name + i }, numbers));
      console.log(JSON.stringify((await Promise.all(added)).map(({ number }) => number)));
    `;
    const run = (name: string) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, folder, name]);
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(run));
    const numbers = answers.flatMap(({ stdout }) => JSON.parse(stdout) as number[]);
    expect(new Set(numbers).size).toBe(60);
    const files = readdirSync(folder).map((name) => Number.parseInt(name, 10));
    expect(new Set(files)).toEqual(new Set(numbers));
    expect(files).toHaveLength(60);
  });
});
