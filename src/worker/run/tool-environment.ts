// The environment of what runs for a task: what the tool should know, a name for its commits, and none of the
// secrets that belong to Banto or its server.

import type { TASK_VARIABLES } from '../../core/attempt/task-variables.ts';
import type { AssignmentAnswer } from '../../doors/schema/request-task.ts';

const SECRETS =
  /^(?:BANTO_TOKEN|BANTO_LEASE_TOKEN|GITHUB_TOKEN|GITHUB_APP_.*|GITHUB_INSTALLATION_ID|GITHUB_WEBHOOK_SECRET|REDIS_.*)$/;
/** They would point git, npm or `banto` at another place. */
const MISLEADING =
  /^(?:GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR)|npm_.*|INIT_CWD|OLDPWD|BANTO_.*)$/i;

export interface EnvironmentInput {
  readonly base: NodeJS.ProcessEnv;
  readonly task: AssignmentAnswer;
  readonly agentId: string;
  readonly url: string;
  readonly worktree: string;
  readonly promptFile: string;
  readonly baseBranch: string;
  readonly identity: { readonly name: string; readonly email: string } | null;
}

/** As variables, because one tool hides the person's own git configuration from what it runs. */
function identityOf({ base, identity, agentId }: EnvironmentInput): Record<string, string> {
  const name = identity?.name ?? agentId;
  const email = identity?.email ?? `${agentId}@banto.invalid`;
  return {
    GIT_AUTHOR_NAME: base['GIT_AUTHOR_NAME'] ?? name,
    GIT_AUTHOR_EMAIL: base['GIT_AUTHOR_EMAIL'] ?? email,
    GIT_COMMITTER_NAME: base['GIT_COMMITTER_NAME'] ?? name,
    GIT_COMMITTER_EMAIL: base['GIT_COMMITTER_EMAIL'] ?? email,
  };
}

export function toolEnvironment(input: EnvironmentInput): NodeJS.ProcessEnv {
  const { base, task, agentId, url, worktree, promptFile, baseBranch } = input;
  const kept = Object.entries(base).filter(
    ([name]) => !SECRETS.test(name) && !MISLEADING.test(name),
  );
  const given: Record<Exclude<(typeof TASK_VARIABLES)[number], 'BANTO_HOOK'>, string> = {
    BANTO_KIND: task.kind,
    BANTO_REPOSITORY: task.repository,
    BANTO_ISSUE: String(task.issue_id),
    BANTO_BRANCH: task.branch_name,
    BANTO_BASE: baseBranch,
    BANTO_ATTEMPT: String(task.attempt),
    BANTO_WORKTREE: worktree,
    BANTO_PROMPT_FILE: promptFile,
  };
  return {
    ...Object.fromEntries(kept),
    ...identityOf(input),
    // One tool believes this above the folder it is started in, and would work in the person's own checkout.
    PWD: worktree,
    BANTO_URL: url,
    BANTO_AGENT: agentId,
    BANTO_TASK_ID: task.task_id,
    ...given,
  };
}
