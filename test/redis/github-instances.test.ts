// Three real instances on one Redis and one GitHub: one pace, one silence, one budget, and nothing sent unpaced.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GithubDouble, startGithubDouble } from '../../github-double/double.ts';
import { secondaryLimit } from '../../github-double/server/faults.ts';
import { createClient } from '../../src/client/client.ts';
import { eventually } from '../support/eventually.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { runBanto } from '../support/run-banto.ts';
import { scratchDir } from '../support/scratch.ts';

const SHOP = 'octo/shop';
const ISSUES = 12;

let github: GithubDouble;
let redis: RedisServer;
let instances: Instance[] = [];
let numbers: number[] = [];

beforeEach(async () => {
  redis = await startRedisServer({ aof: true });
  github = await startGithubDouble({ repositories: [SHOP], limits: { creations: 'write' } });
  const body = '## Deliverables\n\n- it';
  numbers = Array.from({ length: ISSUES }, () => {
    const issue = { title: 'x', body, labels: ['python'] };
    return github.as('ann').openIssue(SHOP, issue).number;
  });
  const env = {
    REDIS_URL: redis.url,
    GITHUB_TOKEN: github.token,
    GITHUB_REPOSITORY: SHOP,
    GITHUB_API_URL: github.url,
  };
  const start = () => startInstance({ repoDir: scratchDir(), env });
  instances = await Promise.all([start(), start(), start()]);
  await eventually(
    async () => (await clientOf(0).queue()).by_state.ready,
    (ready) => ready === ISSUES,
  );
});

afterEach(async () => {
  await Promise.all(instances.map((instance) => instance.kill()));
  await redis.stop();
  await github.close();
});

const urlOf = (index: number) => instances[index % instances.length]?.url ?? '';
const clientOf = (index: number) => createClient({ url: urlOf(index) });
const request = (index: number) =>
  clientOf(index).requestTask({ agent_id: `a${index}`, capabilities: ['python'] });
const writes = () => github.requests.filter((one) => one.method !== 'GET');
const labelled = () =>
  numbers.filter((number) => github.labels(SHOP, number).includes('in-progress')).length;

function untilLabelled(count: number, ms = 60_000): Promise<number> {
  return eventually(
    async () => labelled(),
    (seen) => seen >= count,
    ms,
  );
}

describe('three instances', () => {
  it('are silent together while GitHub asks one of them to be, and show one budget', async () => {
    github.faults.add({ kind: 'answer', answer: secondaryLimit(5) }, { method: 'write', nth: 7 });
    const given = await Promise.all(numbers.map((_, index) => request(index)));
    expect(new Set(given.map((task) => task?.issue_id)).size).toBe(ISSUES);
    await untilLabelled(ISSUES);
    expect(github.limits.violations.filter((one) => one.write)).toEqual([]);
    const toldAt = github.requests.find((one) => one.status === 403)?.at ?? 0;
    const after = writes().filter((one) => one.at > toldAt);
    const silentMs = Math.min(...after.map((one) => one.at)) - toldAt;
    expect(silentMs).toBeGreaterThanOrEqual(5000);

    // The leader may read at any moment: looked at until all three say the same.
    const shown = async () => {
      const stats = await Promise.all(instances.map((_, index) => clientOf(index).stats()));
      const lines = await Promise.all(
        instances.map(async (_, index) => {
          const text = await (await fetch(`${urlOf(index)}/metrics`)).text();
          return /^banto_forge_requests\{part="remaining"\} (\d+)$/m.exec(text)?.[1];
        }),
      );
      const status = await Promise.all(
        instances.map(async (_, index) => {
          const env = { BANTO_URL: urlOf(index) };
          return /(\d+) of 5000/.exec((await runBanto(['status'], { env })).stdout)?.[1];
        }),
      );
      const left = stats.map(({ forge_budget }) => String(forge_budget?.remaining));
      return [...left, ...lines, ...status];
    };
    const budgets = await eventually(shown, (all) => new Set(all).size === 1);
    expect(Number(budgets[0])).toBeGreaterThan(4000);
    expect(Number(budgets[0])).toBeLessThan(5000 - 10);
  }, 120_000);

  it('send nothing while Redis is away, and go on by themselves', async () => {
    const asked = Promise.allSettled(numbers.map((_, index) => request(index)));
    await eventually(
      async () => (await clientOf(0).queue()).by_state.leased,
      (leased) => leased === ISSUES,
    );
    await redis.kill();
    const killedAt = Date.now();
    const left = ISSUES - labelled();
    // What had left already arrives; then nothing.
    await eventually(
      async () => Date.now() - killedAt,
      (ms) => ms > 4000,
    );
    expect(writes().filter((one) => one.at > killedAt + 1000)).toEqual([]);
    expect(left).toBeGreaterThan(0);
    await asked;
    await redis.start();
    await untilLabelled(ISSUES, 90_000);
    expect(github.limits.violations).toEqual([]);
    expect(instances.every((instance) => !instance.log().includes('github_pat'))).toBe(true);
  }, 150_000);
});
