// A claim on behalf of a ticket: one step of the store, with a fresh token. Requests claim for themselves, the
// matcher for those who wait.

import { BantoError } from '../core/errors.ts';
import type { ClaimResult } from '../core/store.ts';
import type { Ticket } from '../core/ticket.ts';
import type { Context } from './context.ts';
import type { Choice } from './hand-out/chooser.ts';
import { WRITE_LOCK_MS } from './outbox.ts';

export type Claim = (
  ticket: Ticket,
  choice: Pick<Choice, 'groups' | 'version'>,
) => Promise<ClaimResult>;

export function createClaim(context: Context): Claim {
  return (ticket, { groups, version }) => {
    context.reached('before_claim');
    return context.store.claim({
      agentId: ticket.agentId,
      capabilities: ticket.capabilities,
      requestId: ticket.requestId,
      // The prefix is what keeps secrets out of logs, wherever they turn up.
      token: `banto_${context.newSecret()}`,
      leaseSeconds: ticket.leaseSeconds,
      groups,
      registryVersion: version,
      writeLockMs: WRITE_LOCK_MS,
    });
  };
}

const isBusy = (error: unknown) => error instanceof BantoError && error.code === 'busy';

/** The claim may have happened although its answer never came: asking once more gives the same answer. */
export function claimAgain(claim: Claim): Claim {
  return (ticket, choice) =>
    claim(ticket, choice).catch((error: unknown) => {
      if (!isBusy(error)) throw error;
      return claim(ticket, choice);
    });
}
