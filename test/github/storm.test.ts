// Ten thousand deliveries at once, through the real server: every one is answered, none makes a request of its own,
// and agents get their work meanwhile.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type GithubDouble, startGithubDouble } from '../../github-double/double.ts';
import { createClient } from '../../src/client/client.ts';
import { type Served, serve } from '../../src/serve.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { SECRET } from '../support/github/forge.ts';
import { SHOP } from '../support/github/world.ts';
import { scratchDir } from '../support/scratch.ts';
import { configFor } from '../support/serve-config.ts';

const DELIVERIES = 10_000;
const EVENTUALLY = { timeout: 20_000, interval: 100 };
const BODY = '## Deliverables\n\n- it';
let github: GithubDouble;
let served: Served;

beforeEach(async () => {
  github = await startGithubDouble({ repositories: [SHOP] });
  github.setRole(SHOP, 'ann', 'write');
  served = await serve(
    {
      ...configFor({ repoDir: '', dataDir: scratchDir() }),
      forge: {
        kind: 'github',
        repositories: [SHOP],
        apiUrl: github.url,
        auth: { kind: 'token', token: github.token },
        webhookSecret: SECRET,
        reviewPushes: false,
        trustedOnly: false,
        writes: { perMinute: 60, burst: 20 },
      },
    },
    createTelemetry({ level: 'silent' }),
  );
});
afterEach(async () => {
  await served.stop();
  await github.close();
});

it('a storm of deliveries changes nothing but the truth', { timeout: 120_000 }, async () => {
  const client = createClient({ url: served.url });
  await vi.waitFor(async () => expect((await client.ready()).ready).toBe(true), EVENTUALLY);
  const ann = github.as('ann');
  // Half a minute of busy people: many states of the same issues, many within one second.
  github.webhooks.hold();
  const numbers = Array.from(
    { length: 40 },
    () => ann.openIssue(SHOP, { title: 'first', body: BODY, labels: ['python'] }).number,
  );
  for (const number of numbers) {
    ann.edit(SHOP, number, { title: `title of ${number}` });
    ann.label(SHOP, number, 'a', 'b');
    ann.unlabel(SHOP, number, 'a');
    if (number % 4 === 0) ann.close(SHOP, number);
  }
  github.webhooks.pointTo({ url: `${served.url}/api/v1/webhooks/github`, secret: SECRET });
  const before = github.requests.length;
  const storm = github.webhooks.storm(DELIVERIES, 50);
  const given = await client.requestTask({
    agent_id: 'a1',
    capabilities: ['python'],
    wait_seconds: 30,
  });
  expect(given?.issue_id).toBeGreaterThan(0);
  expect(await storm).toEqual(new Map([[202, DELIVERIES]]));
  await vi.waitFor(async () => {
    const { tasks } = await client.tasks({ limit: 200 });
    const open = tasks.filter((task) => ['ready', 'leased'].includes(task.state));
    expect(open.map((task) => task.issue_id).toSorted((x, y) => x - y)).toEqual(
      numbers.filter((number) => number % 4 !== 0),
    );
    const shown = await Promise.all(open.map((task) => client.task(task.task_id)));
    for (const task of shown) expect(task.title).toBe(`title of ${task.issue_id}`);
  }, EVENTUALLY);
  expect(github.requests.length - before).toBeLessThan(300);
  expect(github.limits.violations).toEqual([]);
  const stats = await client.queue();
  expect(stats.forge_budget?.remaining).toBeGreaterThan(4000);
});
