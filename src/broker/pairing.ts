// One round of matching: whoever waits, lives and holds nothing is paired with what is ready, best overall.

import { pair } from '../core/pair.ts';
import type { Ticket } from '../core/ticket.ts';
import type { Chooser } from './chooser.ts';
import type { Context } from './context.ts';
import { roleOf } from './presence.ts';

/** `unfinished`: the agent holds a task. `missed`: somebody else was faster. */
export type Served = 'served' | 'unfinished' | 'missed';

export interface Pairing {
  /** Claims for these as well as can be; true: somebody else was faster, and another round may find more. */
  (tickets: readonly Ticket[], served: Set<string>): Promise<boolean>;
}

export function createPairing(
  { store, instanceId: own }: Context,
  chooser: Chooser,
  serve: (ticket: Ticket, groups: string[][], version: number) => Promise<Served>,
): Pairing {
  /** Nobody would hear of a hand-out for an instance that died: its tickets go. */
  async function ofLivingInstances(tickets: readonly Ticket[]): Promise<Ticket[]> {
    const others = new Set(tickets.map(({ instanceId }) => instanceId));
    others.delete(own);
    if (others.size === 0) return [...tickets];
    const alive = await store.led([...others].map(roleOf));
    const isAlive = ({ instanceId }: Ticket) => instanceId === own || alive.has(roleOf(instanceId));
    const { true: living = [], false: dead = [] } = Object.groupBy(tickets, (ticket) =>
      isAlive(ticket) ? 'true' : 'false',
    );
    await Promise.all(dead.map(({ id }) => store.tickets.delete(id)));
    return living;
  }

  async function pairOff(
    tickets: readonly Ticket[],
    served: Set<string>,
  ): Promise<[Ticket, Served][]> {
    if (tickets.length === 0) return [];
    await chooser.refresh();
    const { version, keys, open } = await chooser.chooseAll(tickets);
    const supply = await store.peek([...keys], open.length);
    const byId = new Map(open.map((ticket) => [ticket.id, ticket]));
    const seekers = open.map((ticket) => ({ ...ticket, since: ticket.createdAt }));
    const pairs = pair(seekers, supply).flatMap(({ waiter, bucket }) => {
      const ticket = byId.get(waiter);
      return ticket === undefined ? [] : [{ ticket, bucket }];
    });
    return Promise.all(
      pairs.map(async ({ ticket, bucket }): Promise<[Ticket, Served]> => {
        const outcome = await serve(ticket, [[bucket]], version);
        // At once: another one may fail, and this ticket must not be listed again.
        if (outcome === 'served') served.add(ticket.id);
        return [ticket, outcome];
      }),
    );
  }

  return async (all, served) => {
    const tickets = await ofLivingInstances(all);
    // An agent has one task at a time: who holds one is not paired, however many of its requests wait.
    const agents = new Set(tickets.map(({ agentId }) => agentId));
    const holding = new Set(await store.holding([...agents]));
    for (;;) {
      const free = tickets.filter(({ agentId }) => !holding.has(agentId));
      const outcomes = await pairOff(free, served);
      const has = (wanted: Served) => outcomes.some(([, outcome]) => outcome === wanted);
      for (const [{ agentId }, outcome] of outcomes) if (outcome !== 'missed') holding.add(agentId);
      // What was kept for a holder goes to somebody else in the same turn. Each time fewer are left.
      if (!has('unfinished')) return has('missed');
    }
  };
}
