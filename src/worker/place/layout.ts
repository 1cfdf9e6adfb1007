// Where a worker keeps its things, all below `work` in the data folder.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AssignmentAnswer } from '../../doors/schema/request-task.ts';

export interface Layout {
  readonly root: string;
  readonly agent: string;
  readonly logs: string;
  readonly memories: string;
  tree(key: string): string;
  kept(key: string, fence: number): string;
  readonly keptRoot: string;
  readonly trees: string;
  scratch(key: string): string;
  memory(key: string): string;
}

/** The same for every round of an issue, so that a tool finds its session where it left it. */
export function issueKey(task: Pick<AssignmentAnswer, 'repository' | 'issue_id' | 'kind'>): string {
  const role = task.kind === 'review' ? '-review' : '';
  return `${task.repository.replaceAll('/', '~')}-${task.issue_id}${role}`;
}

export function layoutOf(workDir: string, agentId: string): Layout {
  const agent = join(workDir, 'agents', agentId);
  const trees = join(workDir, 'trees', agentId);
  const keptRoot = join(workDir, 'kept');
  const memories = join(agent, 'memory');
  return {
    root: workDir,
    agent,
    logs: join(agent, 'logs'),
    memories,
    trees,
    keptRoot,
    tree: (key) => join(trees, key),
    kept: (key, fence) => join(keptRoot, `${agentId}-${key}-${fence}`),
    scratch: (key) => join(agent, 'scratch', key),
    memory: (key) => join(memories, `${key}.json`),
  };
}

/** Nothing of this belongs into anybody's commit. */
export function prepareWorkDir(workDir: string): void {
  mkdirSync(workDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(workDir, '.gitignore'), '*\n');
}
