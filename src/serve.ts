// The composition root: builds everything once, starts in order, stops in reverse.

import { createBroker } from './broker/create-broker.ts';
import type { Config } from './config.ts';
import { BantoError } from './core/errors.ts';
import type { Forge } from './core/forge.ts';
import type { Store } from './core/store.ts';
import { createHttpDoor } from './doors/http/door.ts';
import { openLocalForge } from './forge/local/local-forge.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import { createTelemetry, type Telemetry } from './telemetry.ts';

export interface Served {
  readonly url: string;
  stop(): Promise<void>;
}

export async function openStore(config: Config, log: Telemetry['log']): Promise<Store> {
  if (config.store.kind === 'sqlite') return openSqliteStore({ dataDir: config.dataDir, log });
  throw new BantoError(
    'misconfigured',
    'This Banto has no Redis store yet: unset REDIS_URL and REDIS_HOST.',
  );
}

export async function openForge(config: Config, log: Telemetry['log']): Promise<Forge> {
  if (config.forge.kind === 'local') return openLocalForge({ ...config.forge, log });
  throw new BantoError(
    'misconfigured',
    'This Banto has no GitHub forge yet: unset GITHUB_TOKEN and GITHUB_REPOSITORY.',
  );
}
