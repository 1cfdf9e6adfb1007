// Who waits at this instance: by ticket and by request.

import { BantoError, busy } from '../core/errors.ts';
import type { HandOut } from '../core/store.ts';
import type { MostWaiting, Ticket } from '../core/ticket.ts';
import type { Context } from './context.ts';

export interface Wait {
  readonly ms: number;
  /** The agent named its request: it can ask again and get what was claimed for it. */
  readonly ownRequestId: boolean;
  readonly signal: AbortSignal | undefined;
}

export interface Waiter {
  readonly ticket: Ticket;
  readonly how: Wait;
  readonly ttlMs: number;
  readonly answer: PromiseWithResolvers<HandOut | null>;
  /** Its ticket was made. */
  listed: boolean;
}

export interface WaitingRoom {
  /** Throws where too many wait. */
  admit(waiter: Waiter): void;
  /** False: it had left already. */
  leave(waiter: Waiter): boolean;
  /** False: whoever waited has gone meanwhile. */
  answer(ticket: Ticket, handOut: HandOut): boolean;
  get(ticketId: string): Waiter | undefined;
  byRequest(requestId: string): Waiter | undefined;
  all(): Waiter[];
  size(): number;
}

export function tooMany(limit: keyof MostWaiting, agentId: string, most: number): BantoError {
  if (limit === 'all') return busy();
  return new BantoError(
    'too_many_requests',
    `${agentId} already waits with ${most} requests. Let one of them end first.`,
    { retryAfterSeconds: 1 },
  );
}

export function createWaitingRoom(policy: Context['policy']): WaitingRoom {
  const waiters = new Map<string, Waiter>();
  const byRequest = new Map<string, Waiter>();
  const perAgent = new Map<string, number>();

  function admit(waiter: Waiter): void {
    const { maxWaiting, maxWaitingPerAgent } = policy();
    const { agentId } = waiter.ticket;
    const own = perAgent.get(agentId) ?? 0;
    // Where many wait already nobody else is asked; the store counts those of all instances.
    if (own >= maxWaitingPerAgent) throw tooMany('perAgent', agentId, maxWaitingPerAgent);
    if (waiters.size >= maxWaiting) throw tooMany('all', agentId, maxWaiting);
    waiters.set(waiter.ticket.id, waiter);
    byRequest.set(waiter.ticket.requestId, waiter);
    perAgent.set(agentId, own + 1);
  }

  function leave({ ticket }: Waiter): boolean {
    if (!waiters.delete(ticket.id)) return false;
    byRequest.delete(ticket.requestId);
    const left = (perAgent.get(ticket.agentId) ?? 1) - 1;
    if (left === 0) perAgent.delete(ticket.agentId);
    else perAgent.set(ticket.agentId, left);
    return true;
  }

  function answer(ticket: Ticket, handOut: HandOut): boolean {
    const waiter = waiters.get(ticket.id);
    if (waiter === undefined || !leave(waiter)) return false;
    waiter.answer.resolve(handOut);
    return true;
  }

  return {
    admit,
    leave,
    answer,
    get: (ticketId) => waiters.get(ticketId),
    byRequest: (requestId) => byRequest.get(requestId),
    all: () => [...waiters.values()],
    size: () => waiters.size,
  };
}
