// A whole Banto for the fuzz run: real HTTP, real SQLite, GitHub's real webhooks, and a forge in memory that
// counts what is written to it. No loop runs by itself, so that whatever changes was changed by the input.

import { rmSync } from 'node:fs';
import { createBroker } from '../../src/broker/create-broker.ts';
import type { Forge } from '../../src/core/forge.ts';
import type { Issue } from '../../src/core/issue.ts';
import { DEFAULT_POLICY } from '../../src/core/settings.ts';
import { createHttpDoor } from '../../src/doors/http/door.ts';
import { openGithubForge } from '../../src/forge/github/github-forge.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { createMemoryLogs } from '../support/memory-store/memory-logs.ts';
import { issue } from '../support/planning.ts';
import { scratchDir } from '../support/scratch.ts';
import { silentLog } from '../support/world.ts';

export const SECRET = 'the secret of the deliveries';
export const REPOSITORY = 'octo/park';
const ISSUES = 40;

export interface FuzzedServer {
  readonly port: number;
  /** Changes of the database and writes to the forge so far. */
  marks(): string;
  /** Offers work again, so that inputs find tasks in every state. */
  refill(): Promise<void>;
  close(): Promise<void>;
}

export async function startFuzzedServer(): Promise<FuzzedServer> {
  const dataDir = scratchDir();
  const db = openDatabase(dataDir);
  const changes = db.prepare('SELECT total_changes() AS total');
  const store = createSqliteStore(db, { logs: createMemoryLogs() });
  let written = 0;
  let life = 0;
  const shown = (number: number): Issue =>
    issue({
      repository: REPOSITORY,
      number,
      labels: number % 3 === 0 ? ['docs'] : ['python', 'docs'],
      updatedAt: life,
      state: 'open',
    });
  const write = async () => {
    written += 1;
  };
  const forge: Forge = {
    kind: 'github',
    repositories: [REPOSITORY],
    hasPullRequests: false,
    async *list() {
      yield Array.from({ length: ISSUES }, (_, index) => shown(life * ISSUES + index + 1));
    },
    changes: async () => ({
      change: { repository: REPOSITORY, issues: [], gone: [] },
      cursor: null,
    }),
    watch: () => async () => undefined,
    // Those of earlier lives are gone: the run does not grow with its length.
    read: async (_, number) => (number > life * ISSUES ? shown(number) : null),
    async createBranch() {
      await write();
      return 'created';
    },
    hasBranch: async () => false,
    setLabels: write,
    comment: write,
    check: async () => undefined,
    defaultBranch: async () => 'main',
    close: async () => undefined,
  };
  // Nobody listens to it, and so it asks nobody: deliveries are taken in and remembered.
  const github = openGithubForge({
    repositories: [REPOSITORY],
    apiUrl: 'http://127.0.0.1:9',
    auth: { kind: 'token', token: 'none' },
    webhookSecret: SECRET,
  });
  const broker = createBroker({ store, forge, policy: DEFAULT_POLICY, log: silentLog });
  const { webhook } = github;
  const door = createHttpDoor({
    broker: webhook === undefined ? broker : { ...broker, webhook },
    settings: { host: '127.0.0.1', port: 0, version: '0', tokensRequired: false },
    telemetry: createTelemetry({ level: 'silent' }),
  });
  const port = Number(new URL(await door.listen()).port);
  return {
    port,
    marks: () => `${String(changes.get()?.['total'])} ${written}`,
    async refill() {
      await broker.putFlag('maintenance', false);
      life += 1;
      await broker.loops.mirror.fullPass();
    },
    async close() {
      await Promise.all([door.close(), broker.stop()]);
      await github.close();
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
