// A named lock for work that takes a while: taken once, renewed while the work runs, removed by its owner.

import { randomBytes } from 'node:crypto';
import { BantoError } from '../../../core/errors.ts';
import type { Client } from '../connection/connect.ts';
import { scriptOf } from '../connection/library.ts';

const TTL_MS = 15_000;
export interface HeldLock {
  /** Throws `conflict` once the lock is no longer this owner's: what is not done yet must not be done. */
  check(): void;
  release(): Promise<void>;
}

/** Throws `conflict` when somebody else has it. */
export async function holdLock(
  client: Client,
  key: string,
  work: string,
  ttlMs: number = TTL_MS,
): Promise<HeldLock> {
  const owner = randomBytes(12).toString('hex');
  const taken = await client.set(key, owner, 'PX', ttlMs, 'NX');
  if (taken !== 'OK') {
    throw new BantoError('conflict', `Another ${work} of this namespace is under way.`);
  }
  let lost: unknown = null;
  const renew = async (): Promise<void> => {
    try {
      const mine = await client.eval(scriptOf('renew'), 1, key, owner, ttlMs);
      if (mine !== 1) lost = new Error('the lock ran out');
    } catch (error) {
      lost = error;
    }
  };
  const timer = setInterval(() => void renew(), ttlMs / 3);
  timer.unref();
  return {
    check() {
      if (lost === null) return;
      throw new BantoError('conflict', `The ${work} lost its lock and stopped.`, { cause: lost });
    },
    async release() {
      clearInterval(timer);
      await client.eval(scriptOf('release'), 1, key, owner);
    },
  };
}
