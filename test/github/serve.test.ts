// The server on GitHub: it starts during an outage, refuses what can only go wrong, and the doctor names it.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GithubDouble, startGithubDouble } from '../../github-double/double.ts';
import { createClient } from '../../src/client/client.ts';
import type { Config } from '../../src/config/shape.ts';
import { type Served, serve } from '../../src/serve.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { SHOP } from '../support/github/world.ts';
import { runBanto } from '../support/run-banto.ts';
import { scratchDir } from '../support/scratch.ts';
import { configFor } from '../support/serve-config.ts';

let github: GithubDouble;
const running: Served[] = [];
beforeEach(async () => {
  github = await startGithubDouble({ repositories: [SHOP] });
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  await github.close();
});

const EVENTUALLY = { timeout: 20_000, interval: 50 };

async function start(dataDir: string, token = github.token) {
  const config: Config = {
    ...configFor({ repoDir: '', dataDir }),
    forge: {
      kind: 'github',
      repositories: [SHOP],
      apiUrl: github.url,
      auth: { kind: 'token', token },
      webhookSecret: null,
      reviewPushes: false,
      trustedOnly: false,
      writes: { perMinute: 60, burst: 20 },
    },
  };
  const served = await serve(config, createTelemetry({ level: 'silent' }));
  running.push(served);
  return { served, client: createClient({ url: served.url }) };
}

describe('the server', () => {
  it('starts while GitHub is down, and hands out what it knows', { timeout: 100_000 }, async () => {
    const body = '## Deliverables\n\n- it';
    const { number } = github.as('ann').openIssue(SHOP, { title: 'x', body, labels: ['python'] });
    const dataDir = scratchDir();
    const first = await start(dataDir);
    await vi.waitFor(async () => {
      expect((await first.client.queue()).by_state.ready).toBe(1);
    }, EVENTUALLY);
    await running.pop()?.stop();
    github.faults.add({ kind: 'reset' }, { times: 1000 });
    const { client } = await start(dataDir);
    const given = await client.requestTask({ agent_id: 'a1', capabilities: ['python'] });
    expect(given).toMatchObject({ issue_id: number, ledger: 'pending' });
    expect((await client.ready()).forge.ok).toBe(false);
    github.faults.clear();
    await vi.waitFor(() => {
      expect(github.labels(SHOP, number)).toEqual(['python', 'in-progress', 'a1']);
    }, EVENTUALLY);
    const metrics = await (await fetch(`${client.address}/metrics`)).text();
    expect(metrics).toMatch(/banto_forge_requests\{part="remaining"\} 4\d{3}/);
  });

  it('does not start with credentials that GitHub does not know', async () => {
    await expect(start(scratchDir(), 'github_pat_wrong')).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('401') as string,
    });
  });
});

describe('banto doctor', () => {
  it('names what the token lacks, and never the token', { timeout: 30_000 }, async () => {
    github.addRepository('octo/vault', { private: true });
    github.addToken('github_pat_small', { permissions: { metadata: 'read' } });
    const env = {
      GITHUB_TOKEN: 'github_pat_small',
      GITHUB_REPOSITORY: 'octo/vault',
      GITHUB_API_URL: github.url,
      BROKER_PORT: '0',
      BANTO_DATA_DIR: scratchDir(),
    };
    const small = await runBanto(['doctor'], { env });
    expect(small.code).toBe(1);
    expect(small.stdout).toContain('the permission "Issues: read" is missing');
    expect(small.stdout + small.stderr).not.toContain('github_pat_small');
    const good = await runBanto(['doctor'], {
      env: { ...env, GITHUB_TOKEN: github.token, GITHUB_REPOSITORY: SHOP },
    });
    expect(good.stdout).toContain('can be read and written');
    expect(good.stdout).toMatch(/\d+ of 5000 requests left/);
    expect(good.code).toBe(0);
  });
});
