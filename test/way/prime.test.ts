// What `banto prime` tells an agent, on a real server and without one.

import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { makeBacklogRepository } from '../support/backlog-repository.ts';
import { runBanto, startBanto } from '../support/run-banto.ts';

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;
const LONG = 30_000;
const repository = await makeBacklogRepository();
let server: ChildProcess;
let url = '';

beforeAll(async () => {
  await repository.write(1, { labels: ['go'], title: 'Sort the list' });
  const env = {
    BROKER_PORT: '0',
    LOG_LEVEL: 'silent',
    BANTO_DATA_DIR: repository.dataDir,
    BANTO_REPO: repository.repoDir,
  };
  const started = await startBanto(['serve'], ADDRESS, { env, cwd: repository.repoDir });
  server = started.child;
  url = ADDRESS.exec(started.said)?.[0] ?? '';
}, LONG);
afterAll(async () => {
  server.kill('SIGTERM');
  await repository.remove();
});

async function prime(env: Record<string, string>, ...args: string[]): Promise<string> {
  const ran = await runBanto(['prime', ...args], {
    env: { BANTO_URL: url, ...env },
    cwd: repository.repoDir,
  });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout.split('\n').length).toBeLessThan(30);
  return ran.stdout;
}

it(
  'says what an agent holds, for how long, and what comes next',
  async () => {
    expect(await prime({ BANTO_AGENT: 'a1' })).toMatch(
      /You hold no task.*\n.*\n {2}banto next --agent a1/,
    );
    const client = createClient({ url });
    const task = await client.requestTask({
      agent_id: 'a1',
      capabilities: ['go'],
      wait_seconds: 20,
    });
    const id = task?.task_id ?? '';
    const token = task?.lease.token ?? '';
    const mine = await prime({}, '--agent', 'a1');
    expect(mine).toContain(`Task      ${id}: implement of #1, Sort the list`);
    expect(mine).toMatch(/Time left 10 min/);
    expect(mine).toContain(`banto complete ${id} --token "$BANTO_LEASE_TOKEN" --summary`);
    await client.ask(id, { lease_token: token, question: 'Which port?' });
    expect(await prime({}, '--agent', 'a1')).toContain('Waits     Which port? No answer yet.');
    await client.answer(id, { question_id: 'q1', answer: '8080' });
    const asked = await prime({ BANTO_TASK_ID: id, BANTO_LEASE_TOKEN: token });
    expect(asked).toContain('Answer    Which port? 8080');
    expect(asked).toContain('banto heartbeat');
    const worker = await prime({ BANTO_TASK_ID: id, BANTO_AGENT: 'a1' });
    expect(worker).toMatch(/`banto work` renews the lease.*\n.*do not report this one/);
    expect(worker).not.toContain('banto complete');
    await client.release(id, { lease_token: token });
    expect(await prime({ BANTO_TASK_ID: id, BANTO_LEASE_TOKEN: token })).toMatch(
      /You do not hold .* any more.*Stop working/,
    );
  },
  LONG,
);

it(
  'says so where no server can be reached, and what to do',
  async () => {
    const said = await prime({ BANTO_URL: 'http://127.0.0.1:9' });
    expect(said).toMatch(/cannot be reached now/);
    expect(said).toMatch(/banto serve/);
  },
  LONG,
);
