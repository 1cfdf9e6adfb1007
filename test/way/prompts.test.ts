// A repository's own prompts, from the file to what the agent is given.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { runBanto, startBanto } from '../support/run-banto.ts';

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;
let repository: BacklogRepository;
afterEach(() => repository.remove());

async function withPrompt(name: string, text: string): Promise<Record<string, string>> {
  repository = await makeBacklogRepository();
  const folder = join(repository.repoDir, '.banto', 'prompts');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), text);
  return {
    BROKER_PORT: '0',
    LOG_LEVEL: 'silent',
    BANTO_DATA_DIR: repository.dataDir,
    BANTO_REPO: repository.repoDir,
  };
}

it("gives the repository's own prompt to the agent, with the issue between marks", async () => {
  const env = await withPrompt('implement.md', 'Work on {{branch}} in Rust.\n\n{{issue}}\n');
  await repository.write(1, { labels: ['rust'], title: 'Sort the list' });
  const { child, said } = await startBanto(['serve'], ADDRESS, { env, cwd: repository.repoDir });
  try {
    const client = createClient({ url: ADDRESS.exec(said)?.[0] ?? '' });
    const task = await client.requestTask({
      agent_id: 'a1',
      capabilities: ['rust'],
      wait_seconds: 20,
    });
    expect(task?.prompt).toMatch(
      /^Work on feature\/issue-1 in Rust\.\n\nThe text between .*\n\n<<<ISSUE-\d+\n# Sort the list\n/,
    );
  } finally {
    child.kill('SIGTERM');
  }
}, 30_000);

it('does not start with an unknown variable, and says which file and which word', async () => {
  const env = await withPrompt('fix.md', 'Fix {{the_bug}}');
  const ran = await runBanto(['serve'], { env, cwd: repository.repoDir });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/^banto: .*fix\.md: \{\{the_bug\}\} is no variable.*\n$/);
}, 30_000);
