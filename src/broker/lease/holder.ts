// An agent's own token speaks for that agent only: with it, nobody reports on another agent's lease, not even
// with the lease's token in hand. The store compares the two inside the step.

import { BantoError } from '../../core/errors.ts';

export interface LeaseCall {
  readonly taskId: string;
  readonly token: string;
  /** The agent whose token the call came with; null or missing: an operator, or nobody was asked. */
  readonly agentId?: string | null;
}

export function notTheHolder({ taskId, agentId }: LeaseCall): BantoError {
  return new BantoError(
    'forbidden',
    `This token belongs to the agent ${agentId}, and ${taskId} is held by another agent. Only its holder may report on it.`,
  );
}
