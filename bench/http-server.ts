// The server of the HTTP benchmark, in a process of its own. `{ mirror: [number…] }` makes issues
// appear; anything else asks for the processor time used so far.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBroker } from '../src/broker/create-broker.ts';
import { DEFAULT_POLICY } from '../src/core/settings.ts';
import { createHttpDoor } from '../src/doors/http/door.ts';
import { makeObjectsYoung } from '../src/machine/young-objects.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { createTelemetry } from '../src/telemetry/telemetry.ts';
import { benchIssue, createIdleForge, REPOSITORY } from './backlog.ts';

// As a server does.
makeObjectsYoung();

const dataDir = mkdtempSync(join(tmpdir(), 'banto-bench-'));
const telemetry = createTelemetry({ level: 'silent' });
const store = await openSqliteStore({ dataDir });
const broker = createBroker({
  store,
  forge: createIdleForge(),
  policy: DEFAULT_POLICY,
  log: telemetry.log,
  pollMs: 3_600_000,
  fullPassMs: 3_600_000,
});
const settings = { host: '127.0.0.1', port: 0, tokensRequired: false, version: 'bench' };
const door = createHttpDoor({ broker, settings, telemetry });
await broker.start();

interface Order {
  readonly mirror?: readonly number[];
  /** Nobody waits for the word that they are stored. */
  readonly quiet?: true;
}

process.on('message', ({ mirror, quiet }: Order) => {
  if (mirror === undefined) {
    process.send?.({ cpu: process.cpuUsage() });
    return;
  }
  const issues = mirror.map(benchIssue);
  void broker.loops.mirror
    .take({ repository: REPOSITORY, issues, gone: [] })
    .then(() => quiet ?? process.send?.({ mirrored: mirror.length }));
});
process.on('disconnect', () => {
  rmSync(dataDir, { recursive: true, force: true });
  process.exit(0);
});
process.send?.({ url: await door.listen() });
