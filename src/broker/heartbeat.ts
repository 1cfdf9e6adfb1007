// Renews a lease, and keeps the last progress notes for whoever comes after.

import type { Broker } from './broker.ts';
import type { Context } from './context.ts';
import { leaseLost, named, unknownTask } from './finish.ts';

export function createHeartbeat({ store }: Context): Broker['heartbeat'] {
  return async (input) => {
    named(input.taskId);
    const renewed = await store.heartbeat(input);
    if (renewed.outcome === 'ok') return { expiresAt: renewed.expiresAt };
    throw renewed.outcome === 'not_found' ? unknownTask(input.taskId) : leaseLost(input.taskId);
  };
}
