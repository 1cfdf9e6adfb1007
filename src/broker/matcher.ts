// The waiting room. A request that finds nothing becomes a ticket; when tasks become ready, one tick pairs
// all tickets with all suitable tasks, best overall, and claims on behalf of exactly those that won.

import { BantoError, busy } from '../core/errors.ts';
import type { Fact } from '../core/facts.ts';
import { waitingLedger } from '../core/ledger.ts';
import { pair } from '../core/pair.ts';
import type { ClaimResult, HandOut } from '../core/store.ts';
import type { Ticket } from '../core/ticket.ts';
import type { Chooser } from './chooser.ts';
import type { Context } from './context.ts';
import { createLoop } from './loop.ts';

/** A matcher that dies gives its tickets back after this time. */
const PENDING_MS = 5000;
const MOST_TICKETS = 10_000;
const MOST_ROUNDS = 3;
/** Backs every notification: a ticket that nobody was told about is looked at again within this time. */
const SWEEP_MS = 2000;

export type ClaimFor = (
  ticket: Ticket,
  groups: string[][],
  version: number,
) => Promise<ClaimResult>;

export interface Matcher {
  /** Waits until something suitable was claimed for this ticket; null: it did not come in time. */
  wait(ticket: Ticket, waitMs: number, signal?: AbortSignal): Promise<HandOut | null>;
  runOnce(): Promise<void>;
  kick(): void;
  waiting(): ReadonlyMap<string, number>;
  start(): void;
  /** Everybody who waits is told `busy`. */
  stop(): Promise<void>;
}

interface Waiter {
  readonly ticket: Ticket;
  readonly answer: PromiseWithResolvers<HandOut | null>;
}

export function createMatcher(context: Context, chooser: Chooser, claimFor: ClaimFor): Matcher {
  const { store, timers, log } = context;
  const waiters = new Map<string, Waiter>();
  const byRequest = new Map<string, Waiter>();
  const perAgent = new Map<string, number>();
  /** Request ids that this instance is claiming for right now. */
  const serving = new Set<string>();
  let unsubscribe: (() => void) | null = null;
  let stopping = false;

  function admit(waiter: Waiter): void {
    const { maxWaiting, maxWaitingPerAgent } = context.policy();
    const { agentId } = waiter.ticket;
    const own = perAgent.get(agentId) ?? 0;
    if (own >= maxWaitingPerAgent) {
      throw new BantoError(
        'too_many_requests',
        `${agentId} already waits with ${own} requests. Let one of them end first.`,
        { retryAfterSeconds: 1 },
      );
    }
    if (stopping || waiters.size >= maxWaiting) throw busy();
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

  /** False: whoever waited has gone meanwhile. */
  function answer(ticket: Ticket, handOut: HandOut): boolean {
    const waiter = waiters.get(ticket.id);
    if (waiter === undefined || !leave(waiter)) return false;
    waiter.answer.resolve(handOut);
    return true;
  }

  async function giveBack(handOut: HandOut): Promise<void> {
    const { task, lease } = handOut;
    await store.release({
      taskId: task.id,
      token: lease.token,
      reason: 'the request ended before the answer',
      ledger: waitingLedger(task.kind),
    });
  }

  async function serve(ticket: Ticket, groups: string[][], version: number): Promise<boolean> {
    serving.add(ticket.requestId);
    const result = await claimFor(ticket, groups, version).finally(() =>
      serving.delete(ticket.requestId),
    );
    if (result.outcome !== 'leased') return false;
    await store.tickets.assign([ticket.id]);
    // A ticket of another instance: that one hears of the hand-out by its fact and asks again.
    if (!answer(ticket, result.handOut) && ticket.instanceId === context.instanceId) {
      await giveBack(result.handOut);
    }
    return true;
  }

  /** One round of matching; true where somebody else was faster and another round may find more. */
  async function match(): Promise<boolean> {
    if ((await store.tickets.count()) === 0) return false;
    const ids = await store.tickets.listActive(MOST_TICKETS, PENDING_MS);
    const tickets = await store.tickets.getMany(ids);
    const served = new Set<string>();
    try {
      if (tickets.length === 0) return false;
      await chooser.refresh();
      const { version, keys } = await chooser.chooseAll(tickets);
      const supply = await store.peek([...keys], tickets.length);
      const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
      const seekers = tickets.map((ticket) => ({ ...ticket, since: ticket.createdAt }));
      const pairs = pair(seekers, supply);
      const outcomes = await Promise.all(
        pairs.map(async ({ waiter, bucket }) => {
          const ticket = byId.get(waiter);
          if (ticket === undefined) return true;
          const ok = await serve(ticket, [[bucket]], version);
          if (ok) served.add(ticket.id);
          return ok;
        }),
      );
      return outcomes.includes(false);
    } finally {
      await store.tickets.release(ids.filter((id) => !served.has(id)));
    }
  }

  const loop = createLoop({
    name: 'matcher',
    timers,
    log,
    retryMs: SWEEP_MS,
    async turn() {
      for (let round = 0; round < MOST_ROUNDS && (await match()); round += 1);
      return waiters.size > 0 ? SWEEP_MS : null;
    },
  });

  function heard(facts: readonly Fact[]): void {
    let work = false;
    for (const fact of facts) {
      if (fact.type === 'setting_changed') work = true;
      else if ('state' in fact && fact.state !== 'leased') work = true;
      else if (fact.type === 'leased' && fact.requestId !== null) replay(fact.requestId);
    }
    if (work && waiters.size > 0) loop.kick();
  }

  /** Another instance claimed for a ticket of ours: the same request id gives us the same hand-out. */
  function replay(requestId: string): void {
    const waiter = byRequest.get(requestId);
    if (waiter === undefined || serving.has(requestId)) return;
    fetchHandOut(waiter).catch((error: unknown) => {
      log.warn({ err: error }, 'could not fetch a hand-out');
    });
  }

  async function fetchHandOut({ ticket }: Waiter): Promise<void> {
    const result = await claimFor(ticket, [], -1);
    if (result.outcome === 'leased') answer(ticket, result.handOut);
  }

  async function wait(
    ticket: Ticket,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<HandOut | null> {
    const waiter: Waiter = { ticket, answer: Promise.withResolvers<HandOut | null>() };
    admit(waiter);
    const giveUp = () => {
      if (leave(waiter)) waiter.answer.resolve(null);
    };
    const ttlMs = context.policy().ticketTtlSeconds * 1000;
    const cancelTimer = timers.after(Math.min(waitMs, ttlMs), giveUp);
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      await store.tickets.create(ticket, waitMs + PENDING_MS);
      loop.kick();
      const handOut = await waiter.answer.promise;
      if (handOut === null) await store.tickets.delete(ticket.id);
      return handOut;
    } catch (error) {
      leave(waiter);
      throw error;
    } finally {
      cancelTimer();
      signal?.removeEventListener('abort', giveUp);
    }
  }

  return {
    wait,
    runOnce: loop.runOnce,
    kick: loop.kick,
    waiting: () => perAgent,
    start() {
      unsubscribe = store.subscribe(heard);
      loop.start();
    },
    async stop() {
      stopping = true;
      unsubscribe?.();
      await loop.stop();
      for (const waiter of waiters.values()) {
        leave(waiter);
        waiter.answer.reject(busy());
      }
    },
  };
}
