// A fresh Banto on a large GitHub repository, in a process of its own: says, as JSON, how long it took and what it held.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { createBroker } from '../src/broker/create-broker.ts';
import { DEFAULT_POLICY } from '../src/core/settings.ts';
import { openGithubForge } from '../src/forge/github/github-forge.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { createTelemetry } from '../src/telemetry/telemetry.ts';

const { url, token, repository, paced } = JSON.parse(process.argv[2] ?? '') as {
  url: string;
  token: string;
  repository: string;
  paced: boolean;
};
const MB = 1024 * 1024;
const dataDir = mkdtempSync(join(tmpdir(), 'banto-bench-'));
const { log } = createTelemetry({ level: 'silent' });
const rssBefore = process.memoryUsage.rss() / MB;
const startedAt = performance.now();
const store = await openSqliteStore({ dataDir });
const forge = openGithubForge({
  repositories: [repository],
  apiUrl: url,
  auth: { kind: 'token', token },
  webhookSecret: null,
  ...(paced ? {} : { pacing: { reads: { burst: 1_000_000, perMinute: 1_000_000 } } }),
});
const broker = createBroker({ store, forge, policy: DEFAULT_POLICY, log });
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
await broker.start();

let firstMs = 0;
let rssMost = 0;
while (!(await broker.loops.mirror.isListed())) {
  rssMost = Math.max(rssMost, process.memoryUsage.rss() / MB);
  if (firstMs === 0) {
    const given = await broker.requestTask({
      agentId: 'first',
      capabilities: ['*'],
      waitSeconds: 0,
      leaseSeconds: null,
      requestId: null,
      kinds: null,
      repositories: null,
      onUnfinished: 'resume',
    });
    if (given !== null) firstMs = performance.now() - startedAt;
  }
  await pause(10);
}
const listedMs = performance.now() - startedAt;
// What waited for the end of the listing is judged right after it.
await broker.loops.mirror.runOnce();
const settledMs = performance.now() - startedAt;
rssMost = Math.max(rssMost, process.memoryUsage.rss() / MB);
delay.disable();
const { counts } = await broker.queue();
const figures = {
  firstMs,
  listedMs,
  settledMs,
  rssBefore,
  rssMost,
  rssAfter: process.memoryUsage.rss() / MB,
  blockedMostMs: delay.max / 1e6,
  blocked99Ms: delay.percentile(99) / 1e6,
  ready: counts.filter((row) => row.state === 'ready').reduce((sum, row) => sum + row.count, 0),
  held: counts.filter((row) => row.state === 'held').reduce((sum, row) => sum + row.count, 0),
};
await broker.stop();
await forge.close();
await store.close();
rmSync(dataDir, { recursive: true });
process.stdout.write(`${JSON.stringify(figures)}\n`);
process.exit(0);
