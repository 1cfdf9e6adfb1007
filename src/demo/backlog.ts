// The demo's repository: a real git repository in a temporary folder, with a small backlog.

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gitArguments, gitEnvironment } from '../machine/git-command.ts';

const run = promisify(execFile);

export interface DemoIssue {
  readonly slug: string;
  readonly labels: readonly string[];
  /** The number of the issue that has to be closed first. */
  readonly waitsFor?: number;
  readonly title: string;
  readonly body: string;
}

export const ISSUES: readonly DemoIssue[] = [
  {
    slug: 'fix-login',
    labels: ['python', 'bug', 'priority:high'],
    title: 'Login fails for names with an umlaut',
    body: 'Names such as Jürgen cannot log in.\n\n## Deliverables\n\n- the login works\n- a test with an umlaut\n',
  },
  {
    slug: 'export-csv',
    labels: ['python'],
    title: 'Export orders as CSV',
    body: '## Deliverables\n\n- `shop export --csv`\n- documentation of the columns\n',
  },
  {
    slug: 'dark-mode',
    labels: ['frontend', 'css'],
    title: 'Dark mode',
    body: '## 成果物\n\n- 設定画面の切り替えスイッチ\n',
  },
  {
    slug: 'price-rounding',
    labels: ['python', 'bug'],
    title: 'Prices are rounded twice',
    body: 'Branch: bugfix/price-rounding\n\n## Acceptance criteria\n\n- 0.005 becomes 0.01 once\n',
  },
  {
    slug: 'invite-mail',
    labels: ['frontend'],
    waitsFor: 1,
    title: 'Invite a friend by mail',
    body: 'Needs a login that works.\n\n## Deliverables\n\n- a form and a mail\n',
  },
  {
    slug: 'make-it-nicer',
    labels: ['frontend'],
    title: 'Make it nicer',
    body: 'Somehow.\n',
  },
  {
    slug: 'install-guide',
    labels: ['docs', 'priority:low'],
    title: 'Write the install guide',
    body: '## Deliverables\n\n- docs/install.md\n',
  },
];

export function fileText(issue: DemoIssue): string {
  const labels = issue.labels.join(', ');
  const waits = issue.waitsFor === undefined ? '' : `blocked_by: [${issue.waitsFor}]\n`;
  return `---\nlabels: [${labels}]\n${waits}---\n# ${issue.title}\n\n${issue.body}`;
}

/** Commits need a name; the demo's must not depend on the machine's settings. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Banto demo',
  GIT_AUTHOR_EMAIL: 'demo@example.invalid',
  GIT_COMMITTER_NAME: 'Banto demo',
  GIT_COMMITTER_EMAIL: 'demo@example.invalid',
};

export async function makeRepository(folder: string): Promise<void> {
  const env = { ...gitEnvironment({ PATH: process.env['PATH'] }), ...IDENTITY };
  const git = (...args: string[]) => run('git', gitArguments(folder, args), { env });
  const backlog = join(folder, 'backlog');
  await mkdir(backlog, { recursive: true });
  await Promise.all(
    ISSUES.map((issue, index) => {
      const number = String(index + 1).padStart(4, '0');
      return writeFile(join(backlog, `${number}-${issue.slug}.md`), fileText(issue));
    }),
  );
  await writeFile(join(folder, 'README.md'), '# A small shop\n');
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '--message=Open the shop');
}

/** A person closes an issue: they edit its file. */
export function closedText(text: string): string {
  return text.replace(/^---\n/, '---\nstate: closed\n');
}
