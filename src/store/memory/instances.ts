// One process owns the file, so that roles are kept in memory: they end with the process that had them.

import type { Instances } from '../../core/store.ts';
import type { Clocked } from './clock.ts';

interface Role {
  readonly ownerId: string;
  readonly untilAt: number;
}

export function createInstances({ read }: Clocked): Instances {
  const roles = new Map<string, Role>();
  let listedUntil = 0;

  function ownerOf(name: string, now: number): string | null {
    const role = roles.get(name);
    return role !== undefined && role.untilAt > now ? role.ownerId : null;
  }

  return {
    lead: (name, ownerId, ttlMs) =>
      read((now) => {
        const owner = ownerOf(name, now);
        if (owner !== null && owner !== ownerId) return false;
        roles.set(name, { ownerId, untilAt: now + ttlMs });
        return true;
      }),
    resign: (name, ownerId) =>
      read((now) => {
        if (ownerOf(name, now) === ownerId) roles.delete(name);
      }),
    led: (names) => read((now) => new Set(names.filter((name) => ownerOf(name, now) !== null))),
    markListed: (ttlMs) =>
      read((now) => {
        listedUntil = now + ttlMs;
      }),
    listed: () => read((now) => listedUntil > now),
    // The process's own metrics show the same.
    recordMetrics: () => Promise.resolve(),
  };
}
