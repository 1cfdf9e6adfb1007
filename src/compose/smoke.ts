// `banto work --smoke`: a real Banto, a throwaway repository with a remote, one trivial task, and the tool.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '../client/client.ts';
import type { Config } from '../config/shape.ts';
import { DEFAULT_POLICY } from '../core/settings.ts';
import type { WorkRequest } from '../doors/cli/agent/work-request.ts';
import { openWork, type Tell, workStops } from './open-work.ts';

const run = promisify(execFile);

export interface SmokeOptions {
  readonly request: WorkRequest;
  readonly tell: Tell;
  readonly serve: (config: Config) => Promise<{ url: string; stop(): Promise<void> }>;
  readonly print: (line: string) => void;
}

const ISSUE = `---
labels: [smoke]
---
# Add hello.txt

Create a file hello.txt in the root of the repository.

## Deliverables

- the file hello.txt, with the one word hello in it, committed
`;

async function makeRepository(folder: string): Promise<string> {
  const repo = join(folder, 'smoke');
  await mkdir(join(repo, 'backlog'), { recursive: true });
  await writeFile(join(repo, 'backlog', '0001-hello.md'), ISSUE);
  const name = ['-c', 'user.name=Banto', '-c', 'user.email=banto@example.invalid'];
  const git = (...args: string[]) => run('git', [...name, '-C', repo, ...args]);
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'A repository to try things in');
  await run('git', ['init', '--quiet', '--bare', join(folder, 'remote.git')]);
  await git('remote', 'add', 'origin', join(folder, 'remote.git'));
  await git('push', '--quiet', 'origin', 'main');
  return repo;
}

function configOf(repoDir: string): Config {
  return {
    host: '127.0.0.1',
    port: 0,
    tokensRequired: false,
    allowedHosts: [],
    logLevel: 'silent',
    dataDir: join(repoDir, '.banto'),
    forge: { kind: 'local', repoDir, backlogDir: 'backlog' },
    store: { kind: 'sqlite' },
    policy: DEFAULT_POLICY,
  };
}

async function inspect(url: string, repo: string, print: (line: string) => void): Promise<boolean> {
  const client = createClient({ url });
  const { tasks } = await client.tasks({ kind: 'implement' });
  const [task] = tasks;
  const branch = task?.branch_name ?? '';
  const remote = join(repo, '..', 'remote.git');
  const pushed = await run('git', ['-C', remote, 'log', '--format=%h %s', `main..${branch}`]).catch(
    () => ({ stdout: '' }),
  );
  print(`Task     ${task?.state ?? 'none'}${task?.reason ? ` (${task.reason})` : ''}`);
  print(`Pushed   ${pushed.stdout.trim() || 'nothing'}`);
  const usage = await client.task(task?.task_id ?? '').then((one) => one.result?.summary ?? null);
  if (usage !== null) print(`Summary  ${usage}`);
  return task?.state === 'done' && pushed.stdout.trim() !== '';
}

export async function runSmoke({ request, tell, serve, print }: SmokeOptions): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'banto-smoke-'));
  const repo = await makeRepository(folder);
  const server = await serve(configOf(repo));
  try {
    await openWork(
      {
        ...request,
        agent: request.agent ?? 'smoke',
        capabilities: ['*'],
        parallel: 1,
        once: true,
        waitSeconds: 30,
        flags: {
          ...request.flags,
          BANTO_URL: server.url,
          BANTO_REPO: repo,
          BANTO_DATA_DIR: join(repo, '.banto'),
        },
      },
      tell,
      workStops(),
    );
    const works = await inspect(server.url, repo, print);
    print(
      works ? 'It works.' : `It does not work yet. The log is in ${join(repo, '.banto/work')}.`,
    );
    if (works) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    return works ? 0 : 1;
  } finally {
    await server.stop();
  }
}
