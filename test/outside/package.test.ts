// What npm publishes, installed into an empty folder and used there with the oldest and the newest Node it is for.

import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitAt } from '../support/local-repository.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const MINUTES = 60_000;

let folder: string;
let tarball: string;
const inFolder = (...parts: string[]) => join(folder, ...parts);

/** npm as a person would call it: nothing of the npm that runs the tests shines through. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|INIT_CWD$|BANTO_|BROKER_|GITHUB_|REDIS_|FORGE$)/i.test(name),
  ),
);

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  return (await run('npm', [...args, ...quiet], { cwd, env })).stdout;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'banto-package-'));
  for (const name of ['packed', 'empty', 'node-22']) await mkdir(inFolder(name));
  await npm(ROOT, 'pack', `--pack-destination=${inFolder('packed')}`);
  const [name = ''] = await readdir(inFolder('packed'));
  tarball = inFolder('packed', name);
  await writeFile(inFolder('empty', 'package.json'), '{ "type": "module" }');
  await npm(inFolder('empty'), 'install', tarball);
  await writeFile(inFolder('node-22', 'package.json'), '{ "allowScripts": { "node": true } }');
  await npm(inFolder('node-22'), 'install', 'node@22');
}, 8 * MINUTES);

afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** The program as npm links it, with the Node of this test or with 22 in front. */
function pathWith(node: 'newest' | 'oldest'): string {
  const bin =
    node === 'newest' ? join(ROOT, 'node_modules/.bin') : inFolder('node-22/node_modules/.bin');
  return `${bin}:${inFolder('empty/node_modules/.bin')}:${env.PATH}`;
}

async function banto(node: 'newest' | 'oldest', cwd: string, ...args: string[]) {
  return run('banto', args, { cwd, env: { ...env, PATH: pathWith(node) } });
}

async function newRepository(name: string): Promise<string> {
  const repository = inFolder(name);
  await mkdir(repository);
  gitAt(repository, 'init', '--quiet', '--initial-branch=main');
  gitAt(repository, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  return repository;
}

describe('the package', () => {
  it('holds what it needs and no tests, sources or secrets', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball]);
    const files = stdout.trim().split('\n');
    expect(files).toEqual(
      expect.arrayContaining([
        'package/bin/banto.js',
        'package/dist/main.js',
        'package/dist/client/package-entry.d.ts',
        'package/banto.config.schema.json',
        'package/README.md',
        'package/CHANGELOG.md',
      ]),
    );
    expect(
      files.filter((file) => /\.test\.|(?<!\.d)\.ts$|\.env$|^package\/(?:test|src)\//.test(file)),
    ).toEqual([]);
  });

  it('says its version to whoever has npm alone', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect((await banto('newest', inFolder('empty'), '--version')).stdout.trim()).toBe(version);
  });

  it('says to a Node that is too old which one is needed and how to get it', async () => {
    const main = inFolder('empty/node_modules/banto/bin/banto.js');
    const old = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });`;
    await writeFile(inFolder('old.mjs'), `${old}\nawait import(${JSON.stringify(main)});\n`);
    const failed = await run(process.execPath, [inFolder('old.mjs')]).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ code: 1 });
    const { stderr } = failed as { stderr: string };
    expect(stderr).toMatch(/needs Node 22\.18 or newer; this is 20\.20\.2\. Install Node 24/);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('says that the demo on a GitHub of its own needs a clone', async () => {
    const failed = await banto('newest', inFolder('empty'), 'demo', '--github', '--exit').catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/runs in a clone of Banto's repository only.*use banto demo\./),
    });
  });

  it('gives the types of the client', { timeout: 2 * MINUTES }, async () => {
    const place = inFolder('empty');
    await cp(join(ROOT, 'examples/agent.ts'), join(place, 'agent.ts'));
    await cp(join(ROOT, 'node_modules/@types'), join(place, 'node_modules/@types'), {
      recursive: true,
    });
    await cp(join(ROOT, 'node_modules/undici-types'), join(place, 'node_modules/undici-types'), {
      recursive: true,
    });
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
      '--skipLibCheck',
    ];
    await run(join(ROOT, 'node_modules/.bin/tsc'), [...options, 'agent.ts'], { cwd: place });
  });
});

describe.each(['newest', 'oldest'] as const)('with the %s Node it is for', (node) => {
  it('makes a backlog, serves it, hands out a task and takes it to review', {
    timeout: 3 * MINUTES,
  }, async () => {
    const repository = await newRepository(`repository-${node}`);
    await banto(node, repository, 'init', '--yes');
    expect(existsSync(join(repository, 'backlog'))).toBe(true);
    const server = spawn('banto', ['serve', '--port', '0'], {
      cwd: repository,
      env: { ...env, PATH: pathWith(node) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let text = '';
        const look = (more: string) => {
          text += more;
          const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text);
          if (found !== null) resolve(found[0]);
        };
        server.stdout.setEncoding('utf8').on('data', look);
        server.stderr.setEncoding('utf8').on('data', look);
        server.on('close', () => reject(new Error(`it ended: ${text}`)));
      });
      const ask = ['next', '--agent', 'a1', '--cap', '*', '--wait', '30', '--url', url, '--json'];
      const { stdout } = await banto(node, repository, ...ask);
      const task = JSON.parse(stdout) as { task_id: string; lease: { token: string } };
      const report = ['--token', task.lease.token, '--summary', 'Done', '--url', url];
      await banto(node, repository, 'complete', task.task_id, ...report);
      const { stdout: shown } = await banto(
        node,
        repository,
        'tasks',
        '--kind',
        'review',
        '--url',
        url,
      );
      expect(shown).toMatch(/review/);
    } finally {
      server.kill('SIGTERM');
    }
    const code = await new Promise((resolve) => server.on('close', resolve));
    expect(code).toBe(0);
  });

  it('shows the demo', { timeout: 3 * MINUTES }, async () => {
    const { stdout, stderr } = await banto(node, inFolder('empty'), 'demo', '--exit');
    expect(stdout).toMatch(/14 done, 1 held/);
    expect(stderr).not.toMatch(/Warning|\n\s+at /);
  });
});
