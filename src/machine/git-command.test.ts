import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
  gitAt,
  type LocalRepository,
  makeLocalRepository,
} from '../../test/support/local-repository.ts';
import { openLocalForge } from '../forge/local/local-forge.ts';
import { gitArguments, gitEnvironment } from './git-command.ts';

let repository: LocalRepository;
afterEach(() => repository?.remove());

const HOOKS = [
  'reference-transaction',
  'post-checkout',
  'post-index-change',
  'fsmonitor-watchman',
  'pre-auto-gc',
  'post-commit',
  'pre-commit',
];

/** A repository in which whatever git would run leaves a line in a file. */
function hostile(): { trace: string; script: string } {
  repository = makeLocalRepository();
  const { repoDir, root } = repository;
  const trace = join(root, 'executed');
  const script = join(root, 'evil.sh');
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> ${trace}\nexit 0\n`);
  chmodSync(script, 0o755);
  writeFileSync(join(repoDir, '.gitattributes'), '* filter=evil diff=evil\n');
  writeFileSync(join(repoDir, 'backlog', '0001-a.md'), '# A\n\n## Deliverables\n\n- b\n');
  repository.git('add', '.');
  repository.git('commit', '--quiet', '-m', 'backlog');
  for (const name of HOOKS) {
    const hook = join(repoDir, '.git', 'hooks', name);
    writeFileSync(hook, readFileSync(script));
    chmodSync(hook, 0o755);
  }
  for (const [key, value] of [
    ['core.fsmonitor', script],
    ['core.pager', script],
    ['pager.log', script],
    ['core.sshCommand', script],
    ['core.askPass', script],
    ['core.editor', script],
    ['core.alternateRefsCommand', script],
    ['credential.helper', `!${script}`],
    ['gpg.program', script],
    ['log.showSignature', 'true'],
    ['filter.evil.clean', script],
    ['filter.evil.smudge', script],
    ['filter.evil.process', script],
    ['diff.evil.textconv', script],
    ['diff.evil.command', script],
    ['diff.external', script],
    ['protocol.ext.allow', 'always'],
    ['remote.origin.url', `ext::${script}`],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.uploadpack', script],
    ['alias.rev-parse', `!${script}`],
    ['alias.lg', `!${script}`],
  ]) {
    repository.git('config', key ?? '', value ?? '');
  }
  rmSync(trace, { force: true });
  return { trace, script };
}

it('runs nothing that a hostile repository brings along, whatever the forge does in it', async () => {
  const { trace } = hostile();
  const { repoDir } = repository;
  const forge = await openLocalForge({ repoDir, backlogDir: 'backlog', graceMs: 0 });
  await forge.check();
  expect(await forge.createBranch('shop', 'feature/issue-1')).toBe('created');
  for await (const page of forge.list('shop')) expect(page).toHaveLength(1);
  await forge.setLabels('shop', 1, { add: ['in-progress'], remove: [] });
  await forge.comment('shop', 1, 'dead:x', 'text');
  rmSync(join(repoDir, 'backlog', '0001-a.md'));
  expect(await forge.read('shop', 1)).toBeNull();
  await forge.close();
  expect(existsSync(trace) ? readFileSync(trace, 'utf8') : '').toBe('');
});

it('runs nothing by commands that would, and the same commands bare do', () => {
  const { trace } = hostile();
  const { repoDir } = repository;
  const commands = [
    ['ls-files', '--cached', '--others', '--exclude-standard'],
    ['log', '--name-only', '--format=%H'],
    ['update-ref', 'refs/heads/other', 'HEAD'],
    ['cat-file', '-e', '0123456789012345678901234567890123456789'],
    ['ls-remote', 'origin'],
  ];
  const ran = (run: (args: string[]) => void): boolean => {
    rmSync(trace, { force: true });
    for (const args of commands) {
      try {
        run(args);
      } catch {
        // Whether a command succeeds does not matter here.
      }
    }
    return existsSync(trace);
  };
  expect(ran((args) => gitAt(repoDir, ...args))).toBe(true);
  gitAt(repoDir, '-c', 'core.hooksPath=/dev/null', 'update-ref', '-d', 'refs/heads/other');
  const env = gitEnvironment({ ...process.env, GIT_EXTERNAL_DIFF: 'false', GIT_DIR: '/nowhere' });
  expect(
    ran((args) => execFileSync('git', gitArguments(repoDir, args), { env, stdio: 'ignore' })),
  ).toBe(false);
});

it('is the only way in which git is started', () => {
  const src = import.meta.dirname;
  const starting = globSync('**/*.ts', { cwd: src })
    .filter((file) => !file.endsWith('.test.ts'))
    // The worker pushes with the person's own settings, without hooks; its trial runs in a repository of its own.
    .filter((file) => !['worker/place/git.ts', 'smoke.ts'].includes(file))
    .filter((file) =>
      /\(\s*'git',(?!\s*gitArguments\()/.test(readFileSync(join(src, file), 'utf8')),
    );
  expect(starting).toEqual([]);
});
