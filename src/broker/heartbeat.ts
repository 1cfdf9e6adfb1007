// Renews a lease, and keeps the last progress notes for whoever comes after.

import { taskLimits } from '../core/attempt/budget.ts';
import type { Broker } from './broker.ts';
import type { Context } from './context.ts';
import { type Listing, leaseLost, named, unknownOrUnlisted } from './finish.ts';
import { notTheHolder } from './lease/holder.ts';

export function createHeartbeat({ store, policy }: Context, listing: Listing): Broker['heartbeat'] {
  return async (input) => {
    const { taskId } = input;
    named(taskId);
    const renewed = await store.heartbeat({ ...input, limits: taskLimits(policy()) });
    if (renewed.outcome === 'ok') return renewed;
    if (renewed.outcome === 'lease_lost') throw leaseLost(taskId);
    if (renewed.outcome === 'forbidden') throw notTheHolder(input);
    throw await unknownOrUnlisted(taskId, listing);
  };
}
