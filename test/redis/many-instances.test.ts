// Three instances on one Redis, 500 agents, 200 tasks; the leader is killed in the middle.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRedisStore } from '../../src/store/redis/redis-store.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { eventually } from '../support/eventually.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { checkInvariants } from '../support/invariants.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { type Fleet, judge, startFleet } from '../support/roaming-agent.ts';

const AGENTS = 500;
const TASKS = 200;
const LABELS = ['python', 'docs', 'web', 'rust'];

let repository: BacklogRepository;
let redis: RedisServer;
let instances: Instance[] = [];
let fleet: Fleet | null = null;

beforeEach(async () => {
  repository = await makeBacklogRepository();
  redis = await startRedisServer();
});

afterEach(async () => {
  await fleet?.stop();
  await Promise.all(instances.map((instance) => instance.kill()));
  instances = [];
  await redis.stop();
  await repository.remove();
});

async function writeBacklog(from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number += 1) {
    await repository.write(number, { labels: [LABELS[number % LABELS.length] ?? ''] });
  }
}

describe('three instances, 500 agents, 200 tasks', () => {
  it('give each task to exactly one agent and lose none when the leader is killed', async () => {
    const env = { REDIS_URL: redis.url, LEASE_SECONDS: '600' };
    const start = () => startInstance({ repoDir: repository.repoDir, env });
    instances = [await start(), await start(), await start()];
    await writeBacklog(1, TASKS / 2);
    let alive = instances;
    fleet = startFleet({
      urls: () => alive.map(({ url }) => url),
      agents: AGENTS,
      capabilities: LABELS,
      waitSeconds: 20,
      workMs: () => Number.POSITIVE_INFINITY,
    });
    const { held } = fleet;
    await eventually(
      async () => held.length,
      (count) => count >= TASKS / 4,
      40_000,
    );
    const [leader, ...others] = instances;
    await leader?.kill();
    alive = others;
    await writeBacklog(TASKS / 2 + 1, TASKS);
    await eventually(
      async () => new Set(held.map(({ taskId }) => taskId)).size,
      (count) => count === TASKS,
      50_000,
    );

    expect(judge(held)).toEqual([]);
    const holders = Map.groupBy(held, ({ taskId }) => taskId);
    for (const leases of holders.values()) {
      expect(new Set(leases.map(({ agent }) => agent)).size).toBe(1);
    }
    const store = await openRedisStore({ connection: { url: redis.url } });
    const facts = await store.facts(0, 100_000);
    const { tasks } = await store.tasks({ state: 'leased', limit: 1000 });
    await store.close();
    expect(checkInvariants(facts)).toEqual([]);
    expect(facts.filter(({ type }) => type === 'leased')).toHaveLength(TASKS);
    const shown = new Map(tasks.map(({ id, lease }) => [id, lease?.agentId]));
    expect(shown).toEqual(new Map(held.map(({ taskId, agent }) => [taskId, agent])));
  }, 120_000);
});
