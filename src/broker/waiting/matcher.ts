// The matcher. A request that finds nothing becomes a ticket; when tasks become ready, one tick pairs
// all tickets with all suitable tasks, best overall, and claims on behalf of exactly those that won.

import { shuttingDown } from '../../core/errors.ts';
import type { Fact } from '../../core/facts.ts';
import type { HandOut } from '../../core/store.ts';
import { requestKey, type Ticket } from '../../core/ticket.ts';
import type { Claim } from '../claim.ts';
import type { Context } from '../context.ts';
import type { Chooser } from '../hand-out/chooser.ts';
import { createLoop } from '../loop.ts';
import { WRITE_LOCK_MS } from '../outbox.ts';
import type { AbandonedRequests } from './abandoned-requests.ts';
import { createPairing, type Served } from './pairing.ts';
import {
  createWaitingRoom,
  type Request,
  tooMany,
  type Wait,
  type Waiter,
} from './waiting-room.ts';

/** A matcher that dies gives its tickets back after this time. */
const PENDING_MS = 5000;
const MOST_TICKETS = 10_000;
const MOST_ROUNDS = 3;
/** Backs every notification: a ticket that nobody was told about is looked at again within this time. */
const SWEEP_MS = 2000;

export interface Matcher {
  /** Waits until something suitable was claimed for this ticket; null: it did not come in time. */
  wait(ticket: Ticket, wait: Wait): Promise<HandOut | null>;
  runOnce(): Promise<void>;
  kick(): void;
  start(): void;
  /** Everybody who waits is told `busy`. */
  stop(): Promise<void>;
}

interface Parts {
  readonly chooser: Chooser;
  readonly claim: Claim;
  readonly abandoned: AbandonedRequests;
}

export function createMatcher(context: Context, { chooser, claim, abandoned }: Parts): Matcher {
  const { store, timers, log } = context;
  const room = createWaitingRoom(context.policy);
  /** Requests that this instance is claiming for right now. */
  const serving = new Set<string>();
  /** Requests whose wait is being ended; true: somebody claimed for it meanwhile. */
  const ending = new Map<string, boolean>();
  /** Tickets of ours that something may have been claimed for without our hearing of it. */
  const unsure = new Set<string>();
  const pairing = createPairing(context, chooser, serve);
  let unsubscribe: (() => void) | null = null;
  let stopping = false;

  async function serve(ticket: Ticket, choice: Parameters<Claim>[1]): Promise<Served> {
    const key = requestKey(ticket);
    serving.add(key);
    try {
      const result = await claim(ticket, choice);
      if (result.outcome === 'unfinished') return 'unfinished';
      if (result.outcome === 'maintenance' || result.outcome === 'quarantine') return 'closed';
      if (result.outcome !== 'leased') return 'missed';
      const answeredHere = room.answer(ticket, result.handOut);
      await store.tickets.assign([...new Set([ticket, ...answeredHere].map(({ id }) => id))]);
      // A ticket of another instance: that one hears of the hand-out by its fact and asks again.
      if (answeredHere.length === 0) abandon(ticket);
      return 'served';
    } catch (error) {
      unsure.add(ticket.id);
      throw error;
    } finally {
      serving.delete(key);
    }
  }

  /** Claimed for a request of ours that ended, or ends at this instant. */
  function abandon(request: Request): void {
    const key = requestKey(request);
    if (ending.has(key)) ending.set(key, true);
    else abandoned.claimed(request);
  }

  /** Whoever waits here is known; only tickets of other instances are read. */
  async function ticketsOf(ids: readonly string[]): Promise<Ticket[]> {
    const here = ids.flatMap((id) => room.get(id)?.ticket ?? []);
    const elsewhere = ids.filter((id) => room.get(id) === undefined);
    if (elsewhere.length === 0) return here;
    return [...here, ...(await store.tickets.getMany(elsewhere))];
  }

  /** One round of matching; true where somebody else was faster and another round may find more. */
  async function match(): Promise<boolean> {
    // Each instance looks for those who wait at it: where nothing suits them nobody else is read.
    const work = await pairing.workFor(room.demands());
    if (work === null) return false;
    // Nobody waits elsewhere: no list has to be read, and no ticket kept from other matchers.
    if ((await store.tickets.count()) <= room.listed()) {
      return pairing.serveAll(room.groups(), work);
    }
    const ids = await store.tickets.listActive(MOST_TICKETS, PENDING_MS);
    try {
      const tickets = await pairing.ofLiving(await ticketsOf(ids));
      return await pairing.serveAll(room.group(tickets));
    } finally {
      // Those that were served are not listed any more, and stay so.
      await store.tickets.release(ids);
    }
  }

  const loop = createLoop({
    name: 'matcher',
    timers,
    log,
    retryMs: SWEEP_MS,
    async turn() {
      for (let round = 0; round < MOST_ROUNDS && (await match()); round += 1);
      return room.size() > 0 ? SWEEP_MS : null;
    },
  });

  function onFacts(facts: readonly Fact[]): void {
    let work = false;
    for (const fact of facts) {
      if (fact.type === 'setting_changed') work = true;
      else if ('state' in fact && fact.state !== 'leased') work = true;
      else if (fact.type === 'leased' && fact.requestId !== null) {
        replay({ agentId: fact.agentId, requestId: fact.requestId });
      }
    }
    if (work && room.size() > 0) loop.kick();
  }

  /** Another instance claimed for a ticket of ours: the same request id gives us the same hand-out. */
  function replay(request: Request): void {
    const waiter = room.byRequest(request);
    if (serving.has(requestKey(request))) return;
    if (waiter === undefined) {
      abandon(request);
      return;
    }
    fetchHandOut(waiter.ticket).catch((error: unknown) => {
      unsure.add(waiter.ticket.id);
      log.warn({ err: error }, 'could not fetch a hand-out yet; trying again');
    });
  }

  async function fetchHandOut(ticket: Ticket): Promise<HandOut | null> {
    const handOut = await recall(ticket);
    if (handOut === null) return null;
    // One of them was matched, here or elsewhere; the others with the same request are still listed.
    await Promise.all(room.answer(ticket, handOut).map(dropTicket));
    return handOut;
  }

  function recall({ agentId, requestId }: Request): Promise<HandOut | null> {
    return store.recall({ agentId, requestId, takeOver: false, writeLockMs: WRITE_LOCK_MS });
  }

  /** Tickets of instances that died would count until they expire. */
  async function dropDead(): Promise<void> {
    if ((await store.tickets.count()) <= room.size()) return;
    // Looked at only: nobody is kept from matching them meanwhile.
    const ids = await store.tickets.listActive(MOST_TICKETS, 0);
    await pairing.ofLiving(await ticketsOf(ids));
  }

  async function relist({ ticket, ttlMs }: Waiter): Promise<void> {
    await store.tickets.create(ticket, ttlMs);
    loop.kick();
  }

  /** A message may be lost, an index too: whoever waits and is not listed asks, and is listed again. */
  async function repairTickets(): Promise<number> {
    const listed = room.all().filter((waiter) => waiter.listed);
    const gone = await store.tickets.unlisted(listed.map(({ ticket }) => ticket.id));
    for (const id of new Set([...gone, ...unsure])) {
      const waiter = room.get(id);
      if (waiter !== undefined && !serving.has(requestKey(waiter.ticket))) {
        const handOut = await fetchHandOut(waiter.ticket);
        if (handOut === null && room.get(id) !== undefined) await relist(waiter);
      }
      unsure.delete(id);
    }
    await dropDead();
    await abandoned.settleAll();
    return SWEEP_MS;
  }

  const leftBehind = (error: unknown) =>
    log.warn({ err: error }, 'tickets are left behind; they expire by themselves');
  const dropTicket = ({ id }: Ticket) => store.tickets.delete(id).catch(leftBehind);

  const repairing = createLoop({
    name: 'tickets',
    timers,
    log,
    turn: repairTickets,
    retryMs: SWEEP_MS,
  });

  /** The wait is over. What was claimed at the last instant is still in time for whoever listens. */
  async function end({ ticket, how }: Waiter): Promise<HandOut | null> {
    const key = requestKey(ticket);
    ending.set(key, false);
    let claimed = true;
    try {
      await store.tickets.delete(ticket.id);
      const handOut = await recall(ticket);
      if (handOut !== null && how.signal?.aborted !== true) {
        ending.delete(key);
        return handOut;
      }
      claimed = handOut !== null;
      return null;
    } finally {
      if (ending.has(key) && !how.ownRequestId) {
        abandoned.remember(ticket, claimed);
        if (claimed || ending.get(key) === true) abandoned.claimed(ticket);
      }
      ending.delete(key);
    }
  }

  async function wait(ticket: Ticket, how: Wait): Promise<HandOut | null> {
    const { ms, signal } = how;
    const ttlMs = Math.min(ms, context.policy().ticketTtlSeconds * 1000);
    const waiter: Waiter = {
      ticket,
      how,
      ttlMs: ttlMs + PENDING_MS,
      answer: Promise.withResolvers<HandOut | null>(),
      listed: false,
    };
    if (stopping) throw shuttingDown();
    room.admit(waiter);
    // Rejected by a stop before anybody listens to it: that is no fault.
    waiter.answer.promise.catch(() => undefined);
    const giveUp = () => {
      if (room.leave(waiter)) waiter.answer.resolve(null);
    };
    const cancelTimer = timers.after(ttlMs, giveUp);
    signal?.addEventListener('abort', giveUp, { once: true });
    let refused = false;
    try {
      const { maxWaiting: all, maxWaitingPerAgent: perAgent } = context.policy();
      const most = { all, perAgent };
      const made = await store.tickets.create(ticket, waiter.ttlMs, most);
      if (made === 'ok') room.list(waiter);
      loop.kick();
      if (made !== 'ok') {
        refused = true;
        repairing.kick();
        throw tooMany(made, ticket.agentId, most[made]);
      }
      return (await waiter.answer.promise) ?? (await end(waiter));
    } catch (error) {
      // Its ticket may be there all the same, and somebody may claim for it.
      room.leave(waiter);
      if (!how.ownRequestId && !refused) abandoned.remember(ticket, true);
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
    start() {
      unsubscribe = store.subscribe(onFacts);
      loop.start();
      repairing.start();
    },
    async stop() {
      stopping = true;
      unsubscribe?.();
      await repairing.stop();
      await loop.stop();
      for (const waiter of room.all()) {
        room.leave(waiter);
        waiter.answer.reject(shuttingDown());
        if (!waiter.how.ownRequestId) abandoned.remember(waiter.ticket, true);
        else if (waiter.listed) await dropTicket(waiter.ticket);
      }
      await abandoned.settleAll().catch(leftBehind);
      abandoned.stop();
    },
  };
}
