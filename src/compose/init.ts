// What `banto init` writes into a repository: a backlog with two examples, and a file of settings.

import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { loadConfig } from '../config/config.ts';
import { repositoryRoot } from '../config/here.ts';
import type { Config } from '../config/shape.ts';
import { CONFIG_FILE } from '../config/sources.ts';
import { BantoError } from '../core/errors.ts';
import type { SettingFlags } from '../doors/cli/options/setting-flags.ts';
import type { InitPlan } from '../doors/cli/shell.ts';
import { EXAMPLE_ISSUES } from '../forge/local/backlog/example-issues.ts';

const SCHEMA = 'banto.config.schema.json';
const SHIPPED_SCHEMA = new URL('../../banto.config.schema.json', import.meta.url);

interface NewFile {
  readonly path: string;
  readonly about: string;
  write(): Promise<void>;
}

function text(path: string, about: string, content: string): NewFile {
  return {
    path,
    about,
    write: async () => {
      await mkdir(dirname(path), { recursive: true });
      // Never over something that appeared meanwhile.
      await writeFile(path, content, { flag: 'wx' });
    },
  };
}

function backlogFiles(folder: string): NewFile[] {
  const taken = existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.md'));
  if (taken) return [];
  return EXAMPLE_ISSUES.map(({ name, about, content }) => text(join(folder, name), about, content));
}

/** Where a project has Banto installed, its editor finds the schema there; elsewhere a copy lies beside. */
function configFiles(root: string, backlogDir: string): NewFile[] {
  const path = join(root, CONFIG_FILE);
  if (existsSync(path)) return [];
  const installed = join('node_modules', 'banto', SCHEMA);
  const isInstalled = existsSync(join(root, installed));
  const settings = {
    $schema: `./${isInstalled ? installed : SCHEMA}`,
    backlog_dir: backlogDir,
  };
  const file = text(path, 'the settings', `${JSON.stringify(settings, null, 2)}\n`);
  const copy = join(root, SCHEMA);
  if (isInstalled || existsSync(copy)) return [file];
  const about = 'what may stand in it, for editors';
  return [file, { path: copy, about, write: () => copyFile(SHIPPED_SCHEMA, copy) }];
}

function repositoryOf(config: Config): { root: string; backlogDir: string } {
  const { forge, forgeReason } = config;
  if (forge.kind === 'github') {
    throw new BantoError(
      'misconfigured',
      `The issues are on GitHub (${forgeReason}), so no backlog folder is needed: run \`banto serve\`. For a local backlog add --forge local.`,
    );
  }
  const root = repositoryRoot(forge.repoDir);
  if (root === null) {
    throw new BantoError(
      'misconfigured',
      `${forge.repoDir} is not in a git repository. Run \`git init\` there first, or go to a repository and run \`banto init\` again.`,
    );
  }
  return { root, backlogDir: forge.backlogDir };
}

async function hasCommit(root: string): Promise<boolean> {
  const { gitIn } = await import('../forge/local/git/git.ts');
  return (await gitIn(root)('rev-parse', '--verify', '--quiet', 'HEAD')).ok;
}

export async function planInit(flags: SettingFlags): Promise<InitPlan> {
  const { root, backlogDir } = repositoryOf(loadConfig({ flags }));
  const files = [...backlogFiles(join(root, backlogDir)), ...configFiles(root, backlogDir)];
  const first = (await hasCommit(root)) ? [] : ['git commit --allow-empty -m "First commit"'];
  return {
    root,
    files: files.map(({ path, about }) => ({ path: relative(root, path), about })),
    async write() {
      for (const file of files) await file.write();
    },
    next: [...first, 'banto serve', 'banto next --agent a1 --cap docs', 'banto status'],
  };
}
