// From the settings to the local backlog: its files where the person is, or the server that was named.

import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '../client/client.ts';
import { loadClientConfig, loadConfig } from '../config/config.ts';
import { repositoryRoot } from '../config/here.ts';
import type { Config } from '../config/shape.ts';
import { BantoError } from '../core/errors.ts';
import { hasDeliverables } from '../core/issue-text/body.ts';
import type { Policy } from '../core/settings.ts';
import type { SettingFlags } from '../doors/cli/options/setting-flags.ts';
import type { IssueRoom } from '../doors/cli/shell.ts';
import type { AddIssueBody, EditIssueBody } from '../doors/schema/issues.ts';
import { issueView } from '../doors/views/issue.ts';

type Local = Extract<Config['forge'], { kind: 'local' }>;

function hintsFor({ labels = [], body = '' }: AddIssueBody, policy: Policy): string[] {
  const { requireDeliverables, deliverablesHeadings, excludedLabels } = policy;
  const excluded = labels.find((label) =>
    excludedLabels.some((name) => name.toLowerCase() === label.toLowerCase()),
  );
  const held = requireDeliverables && body !== '' && !hasDeliverables(body, deliverablesHeadings);
  return [
    ...(labels.length === 0
      ? ['It has no label: only agents that offer everything (--cap "*") take it.']
      : []),
    ...(excluded === undefined ? [] : [`It is held: the label ${excluded} excludes it.`]),
    ...(held
      ? [
          `It is held until its body has a section on what to deliver (${deliverablesHeadings.join(', ')}).`,
        ]
      : []),
  ];
}

function throughServer(config: { url: string; token: string | null }): IssueRoom {
  const client = createClient(config);
  return {
    list: async () => (await client.issues()).issues,
    show: (number) => client.issue(number),
    async add(issue) {
      const { number, url } = await client.addIssue(issue);
      return { number, place: url, hints: [] };
    },
    edit: (number, change) => client.editIssue(number, change),
  };
}

function notHere(number: number): BantoError {
  return new BantoError('not_found', `There is no issue #${number} in the backlog.`);
}

function toChange(body: EditIssueBody) {
  const { add_labels: add = [], remove_labels: remove = [], blocked_by, ...same } = body;
  return {
    ...same,
    ...(add.length + remove.length === 0 ? {} : { labels: { add, remove } }),
    ...(blocked_by === undefined ? {} : { blockedBy: blocked_by }),
  };
}

async function throughFiles(forge: Local, { policy, dataDir }: Config): Promise<IssueRoom> {
  const { createEditableBacklog } = await import('../forge/local/backlog/editable-backlog.ts');
  const { gitIn } = await import('../forge/local/git/git.ts');
  const { repositoryName } = await import('../forge/local/git/identity.ts');
  const { openNumbers } = await import('../forge/local/backlog/numbers.ts');
  const { repoDir, backlogDir } = forge;
  const folder = join(repoDir, backlogDir);
  const repository = repositoryName(repoDir, dataDir);
  const numbers = openNumbers({ dataDir, git: gitIn(repoDir), backlogDir });
  const backlog = createEditableBacklog({ folder, repository, numbers, now: Date.now });
  function requireFolder(): void {
    if (existsSync(folder)) return;
    throw new BantoError(
      'misconfigured',
      `There is no backlog folder ${folder} yet. Run \`banto init\`, or add a first issue with \`banto issue add\`.`,
    );
  }
  const list = async () => {
    requireFolder();
    return (await backlog.list()).map((issue) => issueView({ issue, task: null }));
  };
  return {
    list,
    async show(number) {
      const issue = (await list()).find((one) => one.number === number);
      if (issue === undefined) throw notHere(number);
      return issue;
    },
    async add(issue) {
      const { number, url } = await backlog.add({
        title: issue.title,
        body: issue.body ?? '',
        labels: issue.labels ?? [],
        priority: issue.priority ?? null,
        blockedBy: issue.blocked_by ?? [],
      });
      const place = relative(process.cwd(), fileURLToPath(url));
      return { number, place, hints: hintsFor(issue, policy) };
    },
    async edit(number, change) {
      requireFolder();
      const issue = await backlog.edit(number, toChange(change));
      if (issue === null) throw notHere(number);
      return issueView({ issue, task: null });
    },
  };
}

export async function openIssues(flags: SettingFlags): Promise<IssueRoom> {
  const client = loadClientConfig({ flags });
  // Without a name, a server on this machine may serve another repository than the one here.
  if (client.isNamed) return throughServer(client);
  const config = loadConfig({ flags: { ...flags, BANTO_URL: undefined } });
  const { forge, forgeReason } = config;
  if (forge.kind === 'github') {
    throw new BantoError(
      'misconfigured',
      `The issues are on GitHub (${forgeReason}): list, open and edit them there. For the backlog here add --forge local.`,
    );
  }
  if (repositoryRoot(forge.repoDir) === null) {
    throw new BantoError(
      'misconfigured',
      `${forge.repoDir} is not a git repository. Go to one, or make one with \`git init\`; --url names a server instead.`,
    );
  }
  return throughFiles(forge, config);
}
