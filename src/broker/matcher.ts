// The matcher. A request that finds nothing becomes a ticket; when tasks become ready, one tick pairs
// all tickets with all suitable tasks, best overall, and claims on behalf of exactly those that won.

import { busy } from '../core/errors.ts';
import type { Fact } from '../core/facts.ts';
import { pair } from '../core/pair.ts';
import type { HandOut } from '../core/store.ts';
import type { Ticket } from '../core/ticket.ts';
import type { Absent } from './absent.ts';
import type { Chooser } from './chooser.ts';
import type { Context } from './context.ts';
import { createLoop } from './loop.ts';
import { roleOf } from './presence.ts';
import type { ClaimTicket } from './request.ts';
import { createWaitingRoom, tooMany, type Wait, type Waiter } from './waiting-room.ts';

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
  readonly claim: ClaimTicket;
  readonly absent: Absent;
}

export function createMatcher(context: Context, { chooser, claim, absent }: Parts): Matcher {
  const { store, timers, log } = context;
  const room = createWaitingRoom(context.policy);
  /** Request ids that this instance is claiming for right now. */
  const serving = new Set<string>();
  /** Request ids whose wait is being ended; true: somebody claimed for it meanwhile. */
  const ending = new Map<string, boolean>();
  /** Tickets of ours that something may have been claimed for without our hearing of it. */
  const unsure = new Set<string>();
  let unsubscribe: (() => void) | null = null;
  let stopping = false;

  async function serve(ticket: Ticket, groups: string[][], version: number): Promise<boolean> {
    serving.add(ticket.requestId);
    try {
      const result = await claim(ticket, groups, version);
      if (result.outcome !== 'leased') return false;
      const heard = room.answer(ticket, result.handOut);
      await store.tickets.assign([ticket.id]);
      // A ticket of another instance: that one hears of the hand-out by its fact and asks again.
      if (!heard) nobodyHeard(ticket.requestId);
      return true;
    } catch (error) {
      unsure.add(ticket.id);
      throw error;
    } finally {
      serving.delete(ticket.requestId);
    }
  }

  /** Claimed for a request of ours that ended, or ends at this instant. */
  function nobodyHeard(requestId: string): void {
    if (ending.has(requestId)) ending.set(requestId, true);
    else absent.claimed(requestId);
  }

  /** Nobody would hear of a hand-out for an instance that died: its tickets go. */
  async function ofTheLiving(tickets: readonly Ticket[]): Promise<Ticket[]> {
    const others = new Set(tickets.map(({ instanceId }) => instanceId));
    others.delete(context.instanceId);
    if (others.size === 0) return [...tickets];
    const alive = await store.led([...others].map(roleOf));
    const isAlive = ({ instanceId }: Ticket) =>
      instanceId === context.instanceId || alive.has(roleOf(instanceId));
    const { true: living = [], false: dead = [] } = Object.groupBy(tickets, (ticket) =>
      isAlive(ticket) ? 'true' : 'false',
    );
    await Promise.all(dead.map(({ id }) => store.tickets.delete(id)));
    return living;
  }

  /** One round of matching; true where somebody else was faster and another round may find more. */
  async function match(): Promise<boolean> {
    if ((await store.tickets.count()) === 0) return false;
    const ids = await store.tickets.listActive(MOST_TICKETS, PENDING_MS);
    const served = new Set<string>();
    try {
      const tickets = await ofTheLiving(await store.tickets.getMany(ids));
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
      return room.size() > 0 ? SWEEP_MS : null;
    },
  });

  function heard(facts: readonly Fact[]): void {
    let work = false;
    for (const fact of facts) {
      if (fact.type === 'setting_changed') work = true;
      else if ('state' in fact && fact.state !== 'leased') work = true;
      else if (fact.type === 'leased' && fact.requestId !== null) replay(fact.requestId);
    }
    if (work && room.size() > 0) loop.kick();
  }

  /** Another instance claimed for a ticket of ours: the same request id gives us the same hand-out. */
  function replay(requestId: string): void {
    const waiter = room.byRequest(requestId);
    if (serving.has(requestId)) return;
    if (waiter === undefined) {
      nobodyHeard(requestId);
      return;
    }
    fetchHandOut(waiter.ticket).catch((error: unknown) => {
      unsure.add(waiter.ticket.id);
      log.warn({ err: error }, 'could not fetch a hand-out yet; trying again');
    });
  }

  async function fetchHandOut(ticket: Ticket): Promise<HandOut | null> {
    const result = await claim(ticket, [], -1);
    if (result.outcome !== 'leased') return null;
    room.answer(ticket, result.handOut);
    return result.handOut;
  }

  async function relist({ ticket, ttlMs }: Waiter): Promise<void> {
    await store.tickets.create(ticket, ttlMs);
    loop.kick();
  }

  /** A message may be lost, an index too: whoever waits and is not listed asks, and is listed again. */
  async function heal(): Promise<number> {
    const listed = room.all().filter((waiter) => waiter.listed);
    const gone = await store.tickets.unlisted(listed.map(({ ticket }) => ticket.id));
    for (const id of new Set([...gone, ...unsure])) {
      const waiter = room.get(id);
      if (waiter !== undefined && !serving.has(waiter.ticket.requestId)) {
        const handOut = await fetchHandOut(waiter.ticket);
        if (handOut === null && room.get(id) !== undefined) await relist(waiter);
      }
      unsure.delete(id);
    }
    await absent.settleAll();
    return SWEEP_MS;
  }

  const leftBehind = (error: unknown) =>
    log.warn({ err: error }, 'tickets are left behind; they expire by themselves');
  const dropTicket = ({ id }: Ticket) => store.tickets.delete(id).catch(leftBehind);

  const healing = createLoop({ name: 'tickets', timers, log, turn: heal, retryMs: SWEEP_MS });

  /** The wait is over. What was claimed at the last instant is still in time for whoever listens. */
  async function end({ ticket, how }: Waiter): Promise<HandOut | null> {
    const { requestId } = ticket;
    ending.set(requestId, false);
    let claimed = true;
    try {
      await store.tickets.delete(ticket.id);
      const result = await claim(ticket, [], -1);
      const leased = result.outcome === 'leased';
      if (leased && how.signal?.aborted !== true) {
        ending.delete(requestId);
        return result.handOut;
      }
      claimed = leased;
      return null;
    } finally {
      if (ending.has(requestId) && !how.ownRequestId) {
        absent.remember(ticket, claimed);
        if (claimed || ending.get(requestId) === true) absent.claimed(requestId);
      }
      ending.delete(requestId);
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
    if (stopping) throw busy();
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
      // Those of dead instances may be among them: the matcher drops them.
      loop.kick();
      if (made !== 'ok') {
        refused = true;
        throw tooMany(made, ticket.agentId, most[made]);
      }
      waiter.listed = true;
      return (await waiter.answer.promise) ?? (await end(waiter));
    } catch (error) {
      // Its ticket may be there all the same, and somebody may claim for it.
      room.leave(waiter);
      if (!how.ownRequestId && !refused) absent.remember(ticket, true);
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
      unsubscribe = store.subscribe(heard);
      loop.start();
      healing.start();
    },
    async stop() {
      stopping = true;
      unsubscribe?.();
      await healing.stop();
      await loop.stop();
      for (const waiter of room.all()) {
        room.leave(waiter);
        waiter.answer.reject(busy());
        if (!waiter.how.ownRequestId) absent.remember(waiter.ticket, true);
        else if (waiter.listed) await dropTicket(waiter.ticket);
      }
      await absent.settleAll().catch(leftBehind);
      absent.stop();
    },
  };
}
