// A whole Banto that lives on the double in simulated time: its loops run by themselves, GitHub takes as long as it
// usually does, and an hour passes in as many seconds as the work takes.

import { rmSync } from 'node:fs';
import {
  type DoubleOptions,
  type GithubDouble,
  startGithubDouble,
} from '../../../github-double/double.ts';
import { createBroker, type RunningBroker } from '../../../src/broker/create-broker.ts';
import { DEFAULT_POLICY } from '../../../src/core/settings.ts';
import type { Store } from '../../../src/core/store.ts';
import { openGithubForge } from '../../../src/forge/github/github-forge.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { scratchDir } from '../scratch.ts';
import { createSimulatedTime, type SimulatedTime } from '../simulated-time.ts';
import { silentLog } from '../world.ts';
import { SECRET } from './forge.ts';
import { startReceiver } from './receiver.ts';

export const SHOP = 'octo/shop';
/** How long GitHub takes for an answer. */
const READ_MS = 200;
const WRITE_MS = 400;

export interface SimulatedBanto {
  readonly time: SimulatedTime;
  readonly github: GithubDouble;
  readonly store: Store;
  readonly broker: RunningBroker;
  readonly warnings: readonly string[];
  /** The most requests that were under way at once. */
  atOnce(): number;
  close(): Promise<void>;
}

export async function startSimulatedBanto(options: {
  readonly webhooks: boolean;
  readonly random: () => number;
  readonly limits?: DoubleOptions['limits'];
}): Promise<SimulatedBanto> {
  const time = createSimulatedTime();
  const { now, sleep } = time;
  const { limits = {} } = options;
  const github = await startGithubDouble({ repositories: [SHOP], clock: now, limits });
  github.setRole(SHOP, 'ann', 'write');
  const dataDir = scratchDir();
  const store = time.watched(await openSqliteStore({ dataDir, clock: { now } }));
  const warnings: string[] = [];
  let underWay = 0;
  let atOnce = 0;

  async function ask(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
    const answer = await fetch(url, init);
    const { status, headers } = answer;
    const body = await answer.arrayBuffer();
    return new Response([204, 304].includes(status) ? null : body, { status, headers });
  }

  const forge = openGithubForge({
    repositories: [SHOP],
    apiUrl: github.url,
    auth: { kind: 'token', token: github.token },
    webhookSecret: options.webhooks ? SECRET : null,
    now,
    after: time.timers.after,
    async fetch(url, init) {
      underWay += 1;
      atOnce = Math.max(atOnce, underWay);
      try {
        await sleep(init?.method === 'GET' ? READ_MS : WRITE_MS);
        return await time.busy(ask(url, init));
      } finally {
        underWay -= 1;
      }
    },
  });
  const receiver = await startReceiver(forge);
  if (options.webhooks) github.webhooks.pointTo({ url: receiver.url, secret: SECRET });
  const broker = createBroker({
    store,
    forge,
    policy: DEFAULT_POLICY,
    log: {
      ...silentLog,
      warn: (data, message) =>
        warnings.push(`${message}: ${String((data as { err?: unknown }).err)}`),
    },
    timers: time.timers,
    random: options.random,
  });
  return {
    time,
    github,
    store,
    broker,
    warnings,
    atOnce: () => atOnce,
    async close() {
      await broker.stop();
      await forge.close();
      await receiver.close();
      await store.close();
      await github.close();
      time.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}
