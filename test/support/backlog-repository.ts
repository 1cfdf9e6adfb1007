// A real git repository with a backlog, in a temporary folder.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';

const run = promisify(execFile);

export interface IssueFile {
  readonly labels?: readonly string[];
  readonly title?: string;
  readonly body?: string;
  readonly state?: 'open' | 'closed';
  readonly priority?: string;
  readonly blockedBy?: readonly number[];
}

export interface BacklogRepository {
  readonly folder: string;
  readonly repoDir: string;
  readonly dataDir: string;
  write(number: number, issue?: IssueFile): Promise<void>;
  labels(number: number): Promise<string[]>;
  branches(): Promise<string[]>;
  remove(): Promise<void>;
}

function text(number: number, issue: IssueFile): string {
  const lines = ['---', `labels: ${JSON.stringify(issue.labels ?? ['python'])}`];
  if (issue.state !== undefined) lines.push(`state: ${issue.state}`);
  if (issue.priority !== undefined) lines.push(`priority: ${issue.priority}`);
  if (issue.blockedBy !== undefined) lines.push(`blocked_by: ${JSON.stringify(issue.blockedBy)}`);
  const body = issue.body ?? '## Deliverables\n\n- something that works\n';
  return `${lines.join('\n')}\n---\n# ${issue.title ?? `Issue ${number}`}\n\n${body}`;
}

export async function makeBacklogRepository(): Promise<BacklogRepository> {
  const folder = await mkdtemp(join(tmpdir(), 'banto-test-'));
  const repoDir = join(folder, 'repo');
  const backlog = join(repoDir, 'backlog');
  await mkdir(backlog, { recursive: true });
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
  const git = async (...args: string[]) =>
    (await run('git', [...identity, ...args], { cwd: repoDir })).stdout;
  await git('init', '--quiet', '--initial-branch=main');
  await git('commit', '--quiet', '--allow-empty', '--message=start');
  const path = (number: number) => join(backlog, `${String(number).padStart(4, '0')}-issue.md`);
  return {
    folder,
    repoDir,
    dataDir: join(folder, 'data'),
    write: (number, issue = {}) => writeFile(path(number), text(number, issue)),
    async labels(number) {
      const name = (await readdir(backlog)).find((file) => Number.parseInt(file, 10) === number);
      const file = await readFile(join(backlog, name ?? ''), 'utf8');
      const front = parse(file.split('---\n')[1] ?? '') as { labels?: string[] } | null;
      return front?.labels ?? [];
    },
    async branches() {
      const listed = await git('for-each-ref', '--format=%(refname:short)', 'refs/heads');
      return listed.trim().split('\n');
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
