// Who waits at this instance: by ticket, by request, and by what they ask for. One request may wait on several connections, as its agent
// may ask again before the first one ended: all of them get the same answer.

import { BantoError, busy } from '../../core/errors.ts';
import { demandKey } from '../../core/pairing/demand.ts';
import type { HandOut } from '../../core/store.ts';
import { type MostWaiting, requestKey, type Ticket } from '../../core/ticket.ts';
import type { Context } from '../context.ts';

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
  /** Its ticket was made: `list` says so. */
  listed: boolean;
}

/** What names a request: its id and its agent. */
export type Request = Pick<Ticket, 'agentId' | 'requestId'>;

export interface WaitingRoom {
  /** Throws where too many wait. */
  admit(waiter: Waiter): void;
  /** Its ticket is made: from now on something may be found for it. */
  list(waiter: Waiter): void;
  /** False: it had left already. */
  leave(waiter: Waiter): boolean;
  /** Answers everybody who waits with this request; returns their tickets. None: all have gone meanwhile. */
  answer(request: Request, handOut: HandOut): Ticket[];
  get(ticketId: string): Waiter | undefined;
  /** One of those who wait with this request. */
  byRequest(request: Request): Waiter | undefined;
  all(): Waiter[];
  /** One ticket of each demand that is listed here. */
  demands(): Ticket[];
  /** All that are listed here, by demand. */
  groups(): Ticket[][];
  /** By demand; kept for those who wait here, and looked at for the others. */
  group(tickets: readonly Ticket[]): Ticket[][];
  size(): number;
  /** How many of them are listed. */
  listed(): number;
}

export function tooMany(limit: keyof MostWaiting, agentId: string, most: number): BantoError {
  if (limit === 'all') return busy(undefined, 1, 'Too many requests wait for a task already.');
  return new BantoError(
    'too_many_requests',
    `${agentId} already waits with ${most} requests. Let one of them end first.`,
    { retryAfterSeconds: 1 },
  );
}

function addTo(sets: Map<string, Set<Waiter>>, key: string, waiter: Waiter): void {
  const same = sets.get(key);
  if (same === undefined) sets.set(key, new Set([waiter]));
  else same.add(waiter);
}

function removeFrom(sets: Map<string, Set<Waiter>>, key: string, waiter: Waiter): void {
  const same = sets.get(key);
  same?.delete(waiter);
  if (same?.size === 0) sets.delete(key);
}

export function createWaitingRoom(policy: Context['policy']): WaitingRoom {
  const waiters = new Map<string, Waiter>();
  const byRequest = new Map<string, Set<Waiter>>();
  const perAgent = new Map<string, number>();
  /** By demand, and which demand each ticket belongs to. */
  const byDemand = new Map<string, Set<Waiter>>();
  const demandOf = new Map<string, string>();

  function admit(waiter: Waiter): void {
    const { maxWaiting, maxWaitingPerAgent } = policy();
    const { agentId } = waiter.ticket;
    const own = perAgent.get(agentId) ?? 0;
    // Where many wait already nobody else is asked; the store counts those of all instances.
    if (own >= maxWaitingPerAgent) throw tooMany('perAgent', agentId, maxWaitingPerAgent);
    if (waiters.size >= maxWaiting) throw tooMany('all', agentId, maxWaiting);
    waiters.set(waiter.ticket.id, waiter);
    addTo(byRequest, requestKey(waiter.ticket), waiter);
    perAgent.set(agentId, own + 1);
  }

  function list(waiter: Waiter): void {
    const { ticket } = waiter;
    waiter.listed = true;
    // Answered, or gone, while its ticket was being made.
    if (!waiters.has(ticket.id)) return;
    const demand = demandKey(ticket);
    demandOf.set(ticket.id, demand);
    addTo(byDemand, demand, waiter);
  }

  function leave(waiter: Waiter): boolean {
    const { ticket } = waiter;
    if (!waiters.delete(ticket.id)) return false;
    removeFrom(byRequest, requestKey(ticket), waiter);
    removeFrom(byDemand, demandOf.get(ticket.id) ?? '', waiter);
    demandOf.delete(ticket.id);
    const left = (perAgent.get(ticket.agentId) ?? 1) - 1;
    if (left === 0) perAgent.delete(ticket.agentId);
    else perAgent.set(ticket.agentId, left);
    return true;
  }

  function answer(request: Request, handOut: HandOut): Ticket[] {
    const all = [...(byRequest.get(requestKey(request)) ?? [])];
    for (const [index, waiter] of all.entries()) {
      leave(waiter);
      // The first one carries out the writes; the others have not got their locks.
      waiter.answer.resolve(index === 0 ? handOut : { ...handOut, writes: [] });
    }
    return all.map(({ ticket }) => ticket);
  }

  return {
    admit,
    list,
    leave,
    answer,
    get: (ticketId) => waiters.get(ticketId),
    byRequest: (request) => byRequest.get(requestKey(request))?.values().next().value,
    all: () => [...waiters.values()],
    demands: () =>
      [...byDemand.values()].flatMap((same) => same.values().next().value?.ticket ?? []),
    groups: () => [...byDemand.values()].map((same) => Array.from(same, ({ ticket }) => ticket)),
    group(tickets) {
      const demandFor = (ticket: Ticket) => demandOf.get(ticket.id) ?? demandKey(ticket);
      return [...Map.groupBy(tickets, demandFor).values()];
    },
    size: () => waiters.size,
    listed: () => demandOf.size,
  };
}
