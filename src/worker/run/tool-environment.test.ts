import { expect, it } from 'vitest';
import { assignmentAnswer } from '../../../test/support/api-answers.ts';
import { toolEnvironment } from './tool-environment.ts';

const input = {
  task: assignmentAnswer(),
  agentId: 'w1',
  url: 'http://127.0.0.1:8080',
  worktree: '/w',
  promptFile: '/p.md',
  baseBranch: 'main',
  identity: null,
};

it('hands on the environment of the person, without the secrets of Banto and its server', () => {
  const base = {
    PATH: '/bin',
    ANTHROPIC_API_KEY: 'for the tool',
    BANTO_TOKEN: 's',
    BANTO_LEASE_TOKEN: 's',
    GITHUB_TOKEN: 's',
    GITHUB_APP_PRIVATE_KEY: 's',
    GITHUB_WEBHOOK_SECRET: 's',
    REDIS_URL: 's',
    REDIS_PASSWORD: 's',
  };
  const given = toolEnvironment({ ...input, base });
  expect(given).toMatchObject({ PATH: '/bin', ANTHROPIC_API_KEY: 'for the tool' });
  expect(Object.values(given)).not.toContain('s');
  expect(JSON.stringify(given)).not.toContain(input.task.lease.token);
});

it('leaves out what would point git, npm or banto at another place', () => {
  const base = {
    GIT_DIR: '/x',
    GIT_INDEX_FILE: '/x',
    npm_config_prefix: '/x',
    INIT_CWD: '/x',
    PWD: '/x',
    OLDPWD: '/x',
    BANTO_REPO: '/x',
  };
  const given = toolEnvironment({ ...input, base });
  expect(Object.values(given)).not.toContain('/x');
  expect(given['PWD']).toBe(input.worktree);
});

it('gives commits a name, the one of the person where there is one', () => {
  expect(toolEnvironment({ ...input, base: {} })).toMatchObject({
    GIT_AUTHOR_NAME: 'w1',
    GIT_COMMITTER_EMAIL: 'w1@banto.invalid',
  });
  const identity = { name: 'Ann', email: 'ann@example.invalid' };
  expect(toolEnvironment({ ...input, identity, base: { GIT_AUTHOR_NAME: 'Bob' } })).toMatchObject({
    GIT_AUTHOR_NAME: 'Bob',
    GIT_COMMITTER_NAME: 'Ann',
  });
});
