// The README's own commands, copied as they stand, from a repository that is not Banto's. Only what stands for
// something else is put in: the person's repository, where the clone is, a tool that is not installed here.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { gitAt } from '../support/local-repository.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const LONG = 120_000;

const page = await readFile(join(ROOT, 'README.md'), 'utf8');
const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text.trim());

/** The one block of the README with these words in it. */
function blockWith(words: string): string {
  const found = blocks.filter((block) => block.includes(words));
  expect(found, `blocks with ${words}`).toHaveLength(1);
  return found[0] ?? '';
}

let folder: string;
let repository: string;
let port: number;
let env: Record<string, string>;
const servers: ChildProcess[] = [];

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

/** What a person would type, with their own repository, clone and port in it. */
const typed = (text: string) =>
  text
    .replaceAll('/path/to/banto', ROOT)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
    .replace(/^cd your-repository\n/, '');

async function shell(text: string) {
  return run('bash', ['-euo', 'pipefail', '-c', typed(text)], { cwd: repository, env });
}

/** A command that stays in front, as in a terminal of its own. */
function stays(text: string): ChildProcess {
  const child = spawn('bash', ['-c', typed(text)], {
    cwd: repository,
    env,
    stdio: 'ignore',
    detached: true,
  });
  servers.push(child);
  return child;
}

const answers = () =>
  eventually(
    async () => (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => null))?.status ?? 0,
    (status) => status === 200,
    60_000,
  );

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('close', () => resolve());
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'banto-readme-'));
  repository = join(folder, 'your-repository');
  await mkdir(repository);
  gitAt(repository, 'init', '--quiet', '--initial-branch=main');
  gitAt(repository, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  // As `npm install --global banto` leaves it; the package itself has a test of its own.
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await symlink(join(ROOT, 'bin/banto.js'), join(bin, 'banto'));
  port = await freePort();
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|INIT_CWD$|BANTO_|BROKER_|GITHUB_|REDIS_|FORGE$)/i.test(name),
  );
  env = {
    ...(Object.fromEntries(kept) as Record<string, string>),
    PATH: `${bin}:${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
    BROKER_PORT: String(port),
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
}, LONG);

afterAll(async () => {
  for (const { pid, exitCode } of servers) {
    if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL');
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe('the first hour of README', () => {
  it('knows every block', () => {
    expect(blocks).toHaveLength(7);
  });

  it('makes a backlog and serves it', { timeout: LONG }, async () => {
    const [make = '', ...serve] = blockWith('banto init')
      .replace(/^cd .*\n/, '')
      .split('\n');
    await shell(make);
    expect(await readdir(join(repository, 'backlog'))).not.toEqual([]);
    stays(serve.join('\n'));
    await answers();
  });

  it('lets a person be the agent', { timeout: LONG }, async () => {
    const lines = blockWith('banto next').split('\n');
    expect(lines).toHaveLength(5);
    const outputs: string[] = [];
    for (const line of lines) outputs.push((await shell(line)).stdout);
    expect(outputs[0]).toMatch(/#?1/);
    expect(outputs[3]).toMatch(/backlog\/0*\d+-fix-the-login\.md/);
  });

  it('lets an agent work', { timeout: LONG }, async () => {
    const line = blockWith('--preset claude');
    // The tool itself is not here; what the line says must be understood up to the point where it is missing.
    const tried = await shell(`${line} --once`).catch((error: unknown) => error);
    expect(JSON.stringify(tried)).not.toMatch(/unknown option|unknown command/);
  });

  it('asks over HTTP', { timeout: LONG }, async () => {
    const { stdout } = await shell(blockWith('curl -s'));
    expect(JSON.parse(stdout)).toMatchObject({ task_id: expect.any(String) });
  });

  it('acts where the person is, from a clone too', { timeout: LONG }, async () => {
    const [server] = servers;
    if (server !== undefined) await stop(server);
    const [add = '', start = ''] = blockWith('--prefix')
      .replace(/^cd .*\n/, '')
      .split('\n');
    await shell(add);
    expect(await readdir(join(repository, 'backlog'))).toContainEqual(
      expect.stringMatching(/fix-the-search/),
    );
    stays(start);
    await answers();
    const shown = await fetch(`http://127.0.0.1:${port}/api/v1/issues`);
    expect(await shown.text()).toContain('Fix the search');
    await writeFile(join(repository, 'ended'), '');
  });
});
