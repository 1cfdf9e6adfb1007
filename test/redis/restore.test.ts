// A backup put back under living agents, and a Redis that was restarted, with real instances and the real
// command line.

import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { eventually } from '../support/eventually.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { runBanto } from '../support/run-banto.ts';

const LEASE_SECONDS = 10;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function setUp(): Promise<{ redis: RedisServer; repository: BacklogRepository }> {
  const redis = await startRedisServer({ aof: true });
  ends.push(() => redis.stop());
  const repository = await makeBacklogRepository();
  ends.push(() => repository.remove());
  return { redis, repository };
}

async function start(redis: RedisServer, { repoDir }: BacklogRepository): Promise<Instance> {
  const env = {
    REDIS_URL: redis.url,
    LEASE_SECONDS: String(LEASE_SECONDS),
    // The labels alone would keep the task back for longer.
    ADOPT_SECONDS: '1',
  };
  const instance = await startInstance({ repoDir, env });
  ends.push(() => instance.kill());
  await eventually(
    () => createClient({ url: instance.url }).ready(),
    ({ mirrored }) => mirrored,
  );
  return instance;
}

describe('a backup that is put back while an agent works', () => {
  it('does not give its task to another agent before its lease has run out', async () => {
    const { redis, repository } = await setUp();
    await repository.write(1);
    const first = await start(redis, repository);
    const keys = (...args: string[]) =>
      runBanto(['keys', ...args], { cwd: repository.folder, env: { REDIS_URL: redis.url } });
    const file = join(repository.folder, 'all.backup');
    expect(await keys('backup', file)).toMatchObject({ code: 0 });
    const agent = { capabilities: ['python'], lease_seconds: LEASE_SECONDS };
    const working = await createClient({ url: first.url }).requestTask({
      ...agent,
      agent_id: 'hana',
    });
    expect(working?.issue_id).toBe(1);
    await first.stop();
    expect(await keys('restore', file, '--replace')).toMatchObject({ code: 0 });

    const second = await start(redis, repository);
    const client = createClient({ url: second.url });
    const lease_token = working?.lease.token ?? '';
    await expect(client.heartbeat(working?.task_id ?? '', { lease_token })).rejects.toMatchObject({
      code: 'lease_lost',
    });
    const other = await client.requestTask({ ...agent, agent_id: 'kenji', wait_seconds: 60 });
    expect(other?.issue_id).toBe(1);
    const task = await client.task(other?.task_id ?? '');
    expect(Date.parse(task.lease?.leased_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(working?.lease.expires_at ?? ''),
    );
    expect(other?.lease.fence).toBeGreaterThan(working?.lease.fence ?? 0);
  }, 90_000);
});

describe('a Redis that was restarted while no Banto ran', () => {
  it('does not let a blocked task be ready before its blocking issue was listed', async () => {
    const { redis, repository } = await setUp();
    await repository.write(1);
    const first = await start(redis, repository);
    await first.stop();
    await redis.kill();
    await redis.start();
    // More issues than are planned in one step lie between the two.
    await repository.write(2, { blockedBy: [60] });
    for (let number = 3; number <= 60; number += 1) await repository.write(number);
    const second = await start(redis, repository);
    const client = createClient({ url: second.url });
    const { history } = await eventually(
      () => client.task('repo~2~implement.1'),
      ({ reason }) => reason?.startsWith('blocked_by') === true,
    );
    expect(history.map(({ state }) => state)).not.toContain('ready');
  }, 60_000);
});
