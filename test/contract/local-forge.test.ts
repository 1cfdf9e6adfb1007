import { readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { readComments } from '../../src/forge/local/issue-file/comments.ts';
import { openLocalForge } from '../../src/forge/local/local-forge.ts';
import { makeLocalRepository } from '../support/local-repository.ts';
import { type ForgeSetup, type SeededIssue, testForge } from './forge.ts';

const EMPTY: SeededIssue = { title: 'An issue', body: 'text', labels: [], state: 'open' };

async function setup(): Promise<ForgeSetup> {
  const repository = makeLocalRepository();
  const { backlog } = repository;
  const forge = await openLocalForge({
    repoDir: repository.repoDir,
    backlogDir: 'backlog',
    pollMs: 500,
    graceMs: 50,
  });
  const seeded = new Map<number, SeededIssue>();
  const fileOf = (number: number) => {
    const name = readdirSync(backlog).find((name) => Number.parseInt(name, 10) === number);
    return join(backlog, name ?? `${String(number).padStart(4, '0')}-issue.md`);
  };
  const frontOf = (number: number) =>
    parseDocument(readFileSync(fileOf(number), 'utf8').split('\n---\n')[0] ?? '');
  const save = (number: number, issue: SeededIssue) => {
    seeded.set(number, issue);
    const front = `labels: ${JSON.stringify(issue.labels)}\nstate: ${issue.state}`;
    // As careful editors save: a new file that takes the old one's name.
    writeFileSync(
      join(backlog, '.saving'),
      `---\n${front}\n---\n# ${issue.title}\n\n${issue.body}\n`,
    );
    renameSync(join(backlog, '.saving'), fileOf(number));
  };
  let last = 0;
  return {
    forge,
    repository: 'shop',
    seedIssue: async (issue) => {
      last += 1;
      save(last, { ...EMPTY, ...issue });
      return last;
    },
    editIssue: async (number, change) =>
      save(number, { ...(seeded.get(number) ?? EMPTY), ...change }),
    deleteIssue: async (number) => unlinkSync(fileOf(number)),
    readLabels: async (number) => (frontOf(number).toJS() as { labels: string[] }).labels ?? [],
    branches: async () =>
      repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n'),
    comments: async (number) => {
      const path = join(backlog, 'comments', `${String(number).padStart(4, '0')}.md`);
      return readComments(readFileSync(path, 'utf8'));
    },
    close: async () => {
      await forge.close();
      repository.remove();
    },
  };
}

testForge('local', setup);
