// Matchers on one store in memory, each an instance of its own, and agents that wait at them.

import { afterEach, beforeEach } from 'vitest';
import { createClaim } from '../../src/broker/claim.ts';
import { createChooser } from '../../src/broker/hand-out/chooser.ts';
import {
  type AbandonedRequests,
  createAbandonedRequests,
} from '../../src/broker/waiting/abandoned-requests.ts';
import { createMatcher, type Matcher } from '../../src/broker/waiting/matcher.ts';
import type { Wait } from '../../src/broker/waiting/waiting-room.ts';
import type { Store } from '../../src/core/store.ts';
import type { Ticket } from '../../src/core/ticket.ts';
import { type Desk, type DeskOptions, makeDesk } from './desk.ts';

export interface Place extends Desk {
  readonly matcher: Matcher;
  readonly abandoned: AbandonedRequests;
}

let places: Place[] = [];
/** Calls of the store, by name. */
export const calls: string[] = [];

/** Stops and closes what a test has opened. */
export function useMatchers(): void {
  beforeEach(() => {
    places = [];
    calls.length = 0;
  });
  afterEach(async () => {
    for (const { matcher } of places) await matcher.stop();
    await places[0]?.close();
  });
}

const counted =
  (wrap: (store: Store) => Store = (store) => store) =>
  (opened: Store): Store => {
    const store = wrap(opened);
    const { listActive, getMany } = store.tickets;
    return {
      ...store,
      tickets: {
        ...store.tickets,
        listActive(...args) {
          calls.push('listActive');
          return listActive(...args);
        },
        getMany(ids) {
          calls.push(`getMany ${ids.length}`);
          return getMany(ids);
        },
      },
    };
  };

export function open(options: DeskOptions = {}): Place {
  const desk = makeDesk({ ...options, wrapStore: counted(options.wrapStore) });
  const { context } = desk;
  const abandoned = createAbandonedRequests(context);
  const parts = { chooser: createChooser(context.store), claim: createClaim(context), abandoned };
  const place = { ...desk, abandoned, matcher: createMatcher(context, parts) };
  places.push(place);
  place.matcher.start();
  return place;
}

export interface Waits {
  readonly ticket: Ticket;
  /** The id of the task it got; undefined: it still waits. */
  got(): string | null | undefined;
  error(): Error | undefined;
}

export function wait(place: Place, ticket: Ticket, over: Partial<Wait> = {}): Waits {
  const how = { ms: 60_000, ownRequestId: false, signal: undefined, ...over };
  let got: string | null | undefined;
  let failed: Error | undefined;
  const listen = async () => {
    got = (await place.matcher.wait(ticket, how))?.task.id ?? null;
  };
  listen().catch((error: Error) => {
    failed = error;
  });
  return { ticket, got: () => got, error: () => failed };
}

export async function waiting(
  place: Place,
  agentId: string,
  over: Partial<Ticket> = {},
): Promise<Waits> {
  const waits = wait(place, place.ticket(agentId, over));
  await place.rest();
  return waits;
}
