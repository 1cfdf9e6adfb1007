import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type LocalRepository,
  makeLocalRepository,
} from '../../../test/support/local-repository.ts';
import type { ForgeChange } from '../../core/forge.ts';
import type { Issue } from '../../core/issue.ts';
import { repositoryName } from './git/identity.ts';
import { type LocalForge, openLocalForge } from './local-forge.ts';

const EVENTUALLY = { timeout: 10_000, interval: 20 };
let repository: LocalRepository;
let forge: LocalForge;
let warnings: string[];

async function reopen(over: { pollMs?: number; graceMs?: number } = {}): Promise<void> {
  await forge?.close();
  warnings = [];
  const note = (fields: object, message: string) => {
    warnings.push(`${message} ${JSON.stringify(fields)}`);
  };
  forge = await openLocalForge({
    repoDir: repository.repoDir,
    backlogDir: 'backlog',
    pollMs: 200,
    graceMs: 50,
    log: { warn: note },
    ...over,
  });
}

const at = (name: string) => join(repository.backlog, name);
const put = (name: string, text: string | Buffer) => writeFileSync(at(name), text);
const add = (number: number, ...labels: string[]) =>
  forge.setLabels('shop', number, { add: labels, remove: [] });
async function listed() {
  const issues: Issue[] = [];
  for await (const page of forge.list('shop')) issues.push(...page);
  return issues;
}

beforeEach(async () => {
  repository = makeLocalRepository();
  await reopen();
});
afterEach(async () => {
  await forge.close();
  repository.remove();
});

describe('malformed files', () => {
  it.each<[string, string, () => void, RegExp]>([
    ['bad YAML', '0007-x.md', () => put('0007-x.md', '---\nlabels: [a\n---\nT'), /not valid YAML/],
    [
      'labels that are no list',
      '0007-x.md',
      () => put('0007-x.md', '---\nlabels: 3\n---\nT'),
      /list/,
    ],
    [
      'bytes that are not UTF-8',
      '0007-x.md',
      () => put('0007-x.md', Buffer.from([0x54, 0xff])),
      /UTF-8/,
    ],
    ['too many bytes', '0007-x.md', () => put('0007-x.md', 'x'.repeat(1024 * 1024 + 1)), /1 MiB/],
    ['nothing in it', '0007-x.md', () => put('0007-x.md', ''), /empty/],
    ['a folder of that name', '0007-x.md', () => mkdirSync(at('0007-x.md')), /not a file/],
    [
      'a link that leads out',
      '0007-x.md',
      () => symlinkSync('/etc/hostname', at('0007-x.md')),
      /leads out/,
    ],
    [
      'a link that leads nowhere',
      '0007-x.md',
      () => symlinkSync('none', at('0007-x.md')),
      /nowhere/,
    ],
    ['a link in a circle', '0007-x.md', () => symlinkSync('0007-x.md', at('0007-x.md')), /nowhere/],
    [
      'the number of another file',
      '0007-x.md',
      () => {
        put('0007-x.md', '# one');
        put('7-y.md', '# two');
      },
      /several files.*0007-x\.md, 7-y\.md/,
    ],
  ])('holds and never writes a file with %s', async (_case, name, make, sentence) => {
    put('0001-good.md', '# good');
    make();
    const before = lstatSync(at(name)).mtimeMs;
    const issue = (await listed()).find(({ number }) => number === 7);
    // The reason of its tasks says already that it is malformed.
    expect(issue?.problem).not.toMatch(/malformed/);
    expect(issue?.problem).toMatch(sentence);
    expect(issue?.state).toBe('open');
    expect((await forge.read('shop', 7))?.problem).toBe(issue?.problem);
    await expect(add(7, 'in-progress')).rejects.toMatchObject({
      name: 'ForgeRefused',
      reason: 'malformed',
    });
    expect(lstatSync(at(name)).mtimeMs).toBe(before);
    expect(await forge.problems()).toMatchObject([{ file: name, number: 7 }]);
    expect(warnings.filter((line) => line.includes('malformed'))).toHaveLength(1);
    await add(1, 'in-progress');
  });

  it('holds a file that it may not read', async () => {
    put('0007-x.md', '# x');
    chmodSync(at('0007-x.md'), 0);
    chmodSync(repository.root, 0o755);
    const script = `
      import { readIssue } from '${new URL('./issue-file/read-issue.ts', import.meta.url).href}';
      const source = { repository: 'shop', number: 7, names: ['0007-x.md'], readAt: 0 };
      const issue = await readIssue({ ...source, folder: ${JSON.stringify(repository.backlog)} });
      process.stdout.write(String(issue?.problem));
    `;
    // Root may read everything: then somebody else has to look.
    const who = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const answer = execFileSync(process.execPath, ['--input-type=module', '-e', script], who);
    expect(answer.toString()).toMatch(/permission denied/);
  });

  it('is used again as soon as it is fixed', async () => {
    put('0007-x.md', '---\nlabels: [a\n---\nT');
    expect((await listed())[0]?.problem).not.toBeNull();
    put('0007-x.md', '---\nlabels: [a]\n---\nT');
    expect((await listed())[0]).toMatchObject({ problem: null, labels: ['a'] });
  });

  it('reports a file without a number once, and never as an issue', async () => {
    for (const name of [
      'notes.md',
      '0-zero.md',
      '9999999999999999-big.md',
      'README.md',
      '.1-x.md',
    ]) {
      put(name, '# x');
    }
    put('12.txt', 'x');
    await listed();
    expect(await listed()).toEqual([]);
    const files = (await forge.problems()).map(({ file }) => file);
    expect(files).toEqual(['0-zero.md', '9999999999999999-big.md', 'notes.md']);
    expect(warnings.filter((line) => line.includes('notes.md'))).toHaveLength(1);
  });

  it('follows a link that stays in the folder, and writes its target', async () => {
    mkdirSync(at('more'));
    put('more/target.md', '# T\n');
    symlinkSync('more/target.md', at('0007-x.md'));
    await add(7, 'bug');
    expect(readFileSync(at('more/target.md'), 'utf8')).toBe('---\nlabels: [bug]\n---\n# T\n');
    expect((await listed())[0]?.labels).toEqual(['bug']);
  });
});

describe('writing labels', () => {
  it('keeps the mode, and does not touch a file that is right already', async () => {
    put('7.md', '# T\n');
    chmodSync(at('7.md'), 0o640);
    await add(7, 'bug');
    const before = statSync(at('7.md'), { bigint: true });
    expect(before.mode & 0o777n).toBe(0o640n);
    await add(7, 'BUG');
    const after = statSync(at('7.md'), { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
    expect(readdirSync(repository.backlog)).toEqual(['7.md']);
  });

  it('finds the same issue under a new name', async () => {
    put('0007-old.md', '---\nlabels: [a]\n---\n# T\n');
    const { cursor } = await forge.changes('shop', null);
    renameSync(at('0007-old.md'), at('7-new.md'));
    await add(7, 'b');
    expect((await forge.changes('shop', cursor)).change).toMatchObject({
      gone: [],
      issues: [{ number: 7, labels: ['a', 'b'] }],
    });
  });

  it.each(['in place', 'by rename'])(
    'loses neither labels nor the edits of somebody who saves %s all the time',
    async (way) => {
      const head = '---\nlabels: []\n---\n# T\n';
      put('7.md', head);
      let edits = 0;
      const work = { isDone: false };
      const editor = (async () => {
        while (!work.isDone) {
          // An editor that looks, changes and saves without waiting, as one turn of this process.
          const text = readFileSync(at('7.md'), 'utf8');
          edits += 1;
          if (way === 'in place') appendFileSync(at('7.md'), `edit ${edits}\n`);
          else {
            put('.mine', `${text}edit ${edits}\n`);
            renameSync(at('.mine'), at('7.md'));
          }
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      const labels = Array.from({ length: 20 }, (_, index) => `l${index}`);
      for (const label of labels) await add(7, label);
      work.isDone = true;
      await editor;
      const text = readFileSync(at('7.md'), 'utf8');
      expect((await forge.read('shop', 7))?.labels).toEqual(labels);
      const wanted = Array.from({ length: edits }, (_, index) => `edit ${index + 1}\n`).join('');
      expect(text.slice(text.indexOf('# T\n') + 4)).toBe(wanted);
    },
  );

  it('waits for a file that is just being saved instead of refusing it', async () => {
    put('7.md', '');
    const labelled = add(7, 'bug');
    await new Promise((resolve) => setTimeout(resolve, 80));
    put('7.md', '# T\n');
    await labelled;
    expect(readFileSync(at('7.md'), 'utf8')).toBe('---\nlabels: [bug]\n---\n# T\n');
  });

  it('leaves a whole file behind when the process is killed, and clears up after it', async () => {
    const body = 'x'.repeat(200_000);
    put('7.md', `---\nlabels: []\n---\n# T\n${body}\n`);
    const script = `
      import { openLocalForge } from '${new URL('./local-forge.ts', import.meta.url).href}';
      const forge = await openLocalForge({ repoDir: ${JSON.stringify(repository.repoDir)}, backlogDir: 'backlog' });
      process.stdout.write('go');
      for (let i = 0; ; i += 1) await forge.setLabels('shop', 7, { add: ['a' + (i % 9)], remove: ['a' + ((i + 5) % 9)] });
    `;
    for (let round = 0; round < 4; round += 1) {
      const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', script]);
      await new Promise((resolve) => child.stdout?.once('data', resolve));
      await new Promise((resolve) => setTimeout(resolve, 20 + round * 13));
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      const issue = await forge.read('shop', 7);
      expect(issue?.problem).toBeNull();
      expect(issue?.body.trim()).toBe(body);
    }
    put('.banto-1-crashed.tmp', 'half');
    utimesSync(at('.banto-1-crashed.tmp'), 1, 1);
    put('.banto-2-at-work.tmp', 'half');
    await reopen();
    expect(existsSync(at('.banto-1-crashed.tmp'))).toBe(false);
    expect(existsSync(at('.banto-2-at-work.tmp'))).toBe(true);
    expect(await listed()).toHaveLength(1);
  });
});

describe('noticing changes', () => {
  let noticed: ForgeChange[];
  const gone = () => noticed.flatMap((change) => change.gone);
  const titles = () => noticed.flatMap((change) => change.issues.map((issue) => issue.title));
  function watch() {
    noticed = [];
    forge.watch((change) => noticed.push(change));
  }

  it('hears of changes long before the next steady look', async () => {
    await reopen({ pollMs: 600_000 });
    watch();
    // The first may still be seen by the look at the start.
    for (const title of ['first', 'second', 'third']) {
      put('7.md', `# ${title}`);
      await vi.waitFor(() => expect(titles()).toContain(title), EVENTUALLY);
    }
  });

  it('goes on after the folder was deleted and made again', async () => {
    put('7.md', '# first');
    put('8.md', '# kept');
    await listed();
    watch();
    rmSync(repository.backlog, { recursive: true });
    await vi.waitFor(() => expect(warnings.join()).toContain('cannot be'), EVENTUALLY);
    await expect(listed()).rejects.toMatchObject({ code: 'unreachable' });
    await expect(add(7, 'x')).rejects.toMatchObject({ code: 'unreachable' });
    expect(gone()).toEqual([]);
    mkdirSync(repository.backlog);
    put('8.md', '# kept');
    await vi.waitFor(() => expect(gone()).toEqual([7]), EVENTUALLY);
    put('9.md', '# again');
    await vi.waitFor(() => expect(titles()).toContain('again'), EVENTUALLY);
  });

  it('does not call an issue gone that an editor takes away for an instant', async () => {
    await reopen({ graceMs: 300 });
    put('7.md', '# T');
    await listed();
    watch();
    for (let count = 0; count < 5; count += 1) {
      unlinkSync(at('7.md'));
      const looking = forge.changes('shop', null);
      await new Promise((resolve) => setTimeout(resolve, 40));
      put('7.md', `# T${count}`);
      expect((await looking).change.gone).toEqual([]);
    }
    expect(gone()).toEqual([]);
  });

  it('takes git switching a thousand files in a few notices', async () => {
    for (let number = 1; number <= 1000; number += 1) put(`${number}.md`, `# main ${number}`);
    repository.git('config', 'core.fsync', 'none');
    repository.git('add', '-A');
    repository.git('commit', '-qm', 'main');
    repository.git('switch', '-qc', 'other');
    for (let number = 1; number <= 1000; number += 1) put(`${number}.md`, `# other ${number}`);
    unlinkSync(at('1000.md'));
    repository.git('add', '-A');
    repository.git('commit', '-qm', 'other');
    repository.git('switch', '-q', 'main');
    await listed();
    watch();
    repository.git('switch', '-q', 'other');
    await vi.waitFor(
      () => {
        expect(new Set(titles().filter((title) => title.startsWith('other'))).size).toBe(999);
      },
      { ...EVENTUALLY, timeout: 30_000 },
    );
    // The default branch still has it.
    expect((await listed()).map(({ number }) => number)).toContain(1000);
    expect(gone()).toEqual([]);
    expect(noticed.length).toBeLessThan(20);
  }, 90_000);

  it('sees every one of many writes of the same size, however close', async () => {
    for (let count = 0; count < 60; count += 1) {
      put('7.md', `# ${count % 10}`);
      expect((await listed())[0]?.title).toBe(String(count % 10));
    }
  });

  it('survives a listener that throws', async () => {
    forge.watch(() => {
      throw new Error('listener');
    });
    watch();
    put('7.md', '# T');
    await vi.waitFor(() => expect(titles()).toContain('T'), EVENTUALLY);
    expect(warnings.join()).toContain('a listener');
  });
});

it('keeps what people write around its comments, and never leaves the folder with them', async () => {
  put('7.md', '# T');
  await forge.comment('shop', 7, 'k', 'one');
  const path = at('comments/0007.md');
  writeFileSync(path, `hello\n\n${readFileSync(path, 'utf8')}\nbye`);
  await forge.comment('shop', 7, 'k', 'two');
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^hello\n\n[\s\S]*two[\s\S]*\nbye$/);
  expect(text).not.toContain('one');
  put('8.md', '# T');
  symlinkSync(join(repository.root, 'outside.md'), at('comments/0008.md'));
  await expect(forge.comment('shop', 8, 'k', 'x')).rejects.toMatchObject({ reason: 'malformed' });
  expect(existsSync(join(repository.root, 'outside.md'))).toBe(false);
});

it('answers only for its own repository', async () => {
  await expect(forge.read('other', 1)).rejects.toMatchObject({ code: 'not_found' });
});

it.each([
  ['/a/My Shop!', 'My-Shop'],
  ['/a/店', 'local'],
  ['/a/.hidden', 'hidden'],
  ['/a/shop.git', 'shop'],
  ['/', 'local'],
])('names the repository in %s %s', (folder, name) => {
  expect(repositoryName(folder, null)).toBe(name);
});
