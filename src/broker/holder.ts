// An agent's own token speaks for that agent only: with it, nobody reports on another agent's lease, not even
// with the lease's token in hand.

import { BantoError } from '../core/errors.ts';
import type { Store } from '../core/store.ts';

export interface LeaseCall {
  readonly taskId: string;
  readonly token: string;
  /** The agent whose token the call came with; null or missing: an operator, or nobody was asked. */
  readonly agentId?: string | null;
}

/** A token that is not the living lease's is for the verb to judge: it was lost, or its end is repeated. */
export async function requireHolder(
  store: Pick<Store, 'task'>,
  { taskId, token, agentId = null }: LeaseCall,
): Promise<void> {
  if (agentId === null) return;
  const lease = (await store.task(taskId))?.task.lease ?? null;
  if (lease === null || lease.token !== token || lease.agentId === agentId) return;
  throw new BantoError(
    'forbidden',
    `This token belongs to the agent ${agentId}, and ${taskId} is held by another agent. Only its holder may report on it.`,
  );
}
