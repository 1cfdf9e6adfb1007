// The settings in the words that `banto serve` and `banto doctor` share: what is served, from where, and why.

import { join } from 'node:path';
import type { Config } from '../../../config/shape.ts';

export function describeForge({ forge, forgeReason }: Config): string {
  const why = forgeReason === undefined ? '' : `, because ${forgeReason}`;
  return forge.kind === 'local'
    ? `local backlog ${join(forge.repoDir, forge.backlogDir)}${why}`
    : `GitHub ${forge.repositories.join(', ')}${why}`;
}

export function describeStore({ store, dataDir }: Config): string {
  if (store.kind === 'sqlite') return `SQLite in ${dataDir}`;
  const { url, host, port } = store.connection;
  // A name and a password in the address are nobody's business.
  const place = url?.replace(/\/\/[^@/]*@/, '//') ?? `${host}:${port}`;
  return `Redis at ${place}, namespace ${store.namespace}`;
}

export function describeTokens({ tokensRequired }: Config): string {
  return tokensRequired
    ? 'needed: make one with `banto token create --agent <name>`, give it to the agent as BANTO_TOKEN'
    : 'not needed on this machine';
}
