// The configuration of a Banto on a test's own repository.

import type { Config } from '../../src/config/shape.ts';
import { DEFAULT_POLICY, type Policy } from '../../src/core/settings.ts';

export function configFor(
  place: { readonly repoDir: string; readonly dataDir: string },
  policy: Partial<Policy> = {},
): Config {
  return {
    host: '127.0.0.1',
    port: 0,
    tokensRequired: false,
    allowedHosts: [],
    logLevel: 'silent',
    dataDir: place.dataDir,
    forge: { kind: 'local', repoDir: place.repoDir, backlogDir: 'backlog' },
    store: { kind: 'sqlite' },
    policy: { ...DEFAULT_POLICY, ...policy },
  };
}
