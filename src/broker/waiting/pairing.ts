// One round of matching: whoever waits, lives and holds nothing is paired with what is ready, best overall.

import { candidates, mayHave } from '../../core/pairing/demand.ts';
import { type Bucket, parseBucketKey } from '../../core/pairing/match.ts';
import { pair } from '../../core/pairing/pair.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { Claim } from '../claim.ts';
import type { Context } from '../context.ts';
import type { Chooser } from '../hand-out/chooser.ts';
import { roleOf } from '../loops/presence.ts';

/** `unfinished`: the agent holds a task. `missed`: somebody else was faster. `closed`: nothing is handed out now. */
export type Served = 'served' | 'unfinished' | 'missed' | 'closed';

export interface Pairing {
  /** False: nothing is ready that could suit any of these demands, each given by one of its tickets. */
  hasWork(demands: readonly Ticket[]): Promise<boolean>;
  /** Nobody would hear of a hand-out for an instance that died: its tickets go. Returns the others. */
  ofLiving(tickets: readonly Ticket[]): Promise<Ticket[]>;
  /**
   * Claims for these, grouped by demand, as well as can be; adds the ids of those served. True: somebody else was
   * faster, and another round may find more.
   */
  serveAll(demands: readonly (readonly Ticket[])[], served: Set<string>): Promise<boolean>;
}

export function createPairing(
  { store, instanceId: own }: Context,
  chooser: Chooser,
  serve: (ticket: Ticket, choice: Parameters<Claim>[1]) => Promise<Served>,
): Pairing {
  async function ofLiving(tickets: readonly Ticket[]): Promise<Ticket[]> {
    const others = new Set(tickets.map(({ instanceId }) => instanceId));
    others.delete(own);
    if (others.size === 0) return [...tickets];
    const led = await store.led([...others].map(roleOf));
    const lives = ({ instanceId }: Ticket) => instanceId === own || led.has(roleOf(instanceId));
    const dead = tickets.filter((ticket) => !lives(ticket));
    await Promise.all(dead.map(({ id }) => store.tickets.delete(id)));
    return tickets.filter(lives);
  }

  /** What is ready and suits some demand. Read after learning: a new label files tasks again. */
  async function filled(demands: readonly Ticket[]): Promise<{ version: number; keys: string[] }> {
    await chooser.refresh();
    const { version, buckets } = await chooser.bucketsFor(demands);
    const suits = (bucket: Bucket | undefined) =>
      bucket !== undefined && demands.some((ticket) => mayHave(ticket, bucket));
    const keys = (await store.filled()).filter((key) => suits(buckets.get(key)));
    return { version, keys };
  }

  const heads = (demands: readonly (readonly Ticket[])[]): Ticket[] =>
    demands.flatMap(([first]) => first ?? []);

  async function pairOff(
    demands: readonly (readonly Ticket[])[],
    served: Set<string>,
  ): Promise<[Ticket, Served][]> {
    const { version, keys } = await filled(heads(demands));
    if (keys.length === 0) return [];
    const waiting = demands.reduce((sum, tickets) => sum + tickets.length, 0);
    const supply = await store.peek(keys, waiting);
    const tasks = supply.reduce((sum, { scores }) => sum + scores.length, 0);
    const tickets = candidates(demands, keys.map(parseBucketKey), tasks);
    const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
    const seekers = tickets.map((ticket) => ({ ...ticket, since: ticket.createdAt }));
    return Promise.all(
      pair(seekers, supply).flatMap(({ waiter, bucket }) => {
        const ticket = byId.get(waiter);
        if (ticket === undefined) return [];
        return serve(ticket, { groups: [[bucket]], version }).then((outcome): [Ticket, Served] => {
          // At once: another one may fail, and this ticket must not be listed again.
          if (outcome === 'served') served.add(ticket.id);
          return [ticket, outcome];
        });
      }),
    );
  }

  return {
    async hasWork(demands) {
      return demands.length > 0 && (await filled(demands)).keys.length > 0;
    },
    ofLiving,
    async serveAll(all, served) {
      // An agent has one task at a time: who holds one is not paired, however many of its requests wait.
      const agents = new Set(all.flatMap((tickets) => tickets.map(({ agentId }) => agentId)));
      const holding = new Set(await store.holding([...agents]));
      for (;;) {
        const free: Ticket[][] = [];
        for (const tickets of all) {
          const open = await chooser.open(tickets.filter(({ agentId }) => !holding.has(agentId)));
          if (open.length > 0) free.push(open);
        }
        const outcomes = await pairOff(free, served);
        const has = (wanted: Served) => outcomes.some(([, outcome]) => outcome === wanted);
        for (const [{ agentId }, outcome] of outcomes) {
          if (outcome !== 'missed') holding.add(agentId);
        }
        // What was kept for a holder goes to somebody else in the same turn. Each time fewer are left.
        if (!has('unfinished')) return has('missed');
      }
    },
  };
}
