// The store that the settings name. Only that one is loaded: commands that open it shall start quickly.

import type { Config } from '../config/shape.ts';
import type { Store } from '../core/store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

export async function openStore(config: Config, log: Telemetry['log']): Promise<Store> {
  const { store, dataDir } = config;
  if (store.kind === 'redis') {
    const { openRedis } = await import('./open-redis.ts');
    return openRedis(config, store, log);
  }
  const { openSqliteStore } = await import('../store/sqlite/sqlite-store.ts');
  return openSqliteStore({
    dataDir,
    log: (message, error) => log.error({ err: error }, message),
  });
}
