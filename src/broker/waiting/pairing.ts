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

/** What is ready: filled buckets, and the version of the registry that they were read from. */
export interface Work {
  readonly version: number;
  readonly keys: readonly string[];
}

export interface Pairing {
  /** Null: nothing is ready that could suit any of these demands, each given by one of its tickets. */
  workFor(demands: readonly Ticket[]): Promise<Work | null>;
  /** Nobody would hear of a hand-out for an instance that died: its tickets go. Returns the others. */
  ofLiving(tickets: readonly Ticket[]): Promise<Ticket[]>;
  /**
   * Claims for these, grouped by demand, as well as can be. `work`: what is ready, where that is known. True: somebody
   * else was faster, and another round may find more.
   */
  serveAll(demands: readonly (readonly Ticket[])[], work?: Work): Promise<boolean>;
}

/** More are looked at each time, so that a crowd of which nobody may have anything is not asked one by one. */
const MORE = 4;

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

  /** Read after learning: a new label files tasks again. */
  async function workFor(demands: readonly Ticket[]): Promise<Work | null> {
    if (demands.length === 0) return null;
    await chooser.refresh();
    const { version, buckets } = await chooser.bucketsFor(demands);
    const suits = (bucket: Bucket | undefined) =>
      bucket !== undefined && demands.some((ticket) => mayHave(ticket, bucket));
    const keys = (await store.filled()).filter((key) => suits(buckets.get(key)));
    return keys.length === 0 ? null : { version, keys };
  }

  /** Who cannot have anything now: an agent has one task at a time, and operators pause. Asked of those who may win. */
  function createOut() {
    const asked = new Set<string>();
    const closed = new Set<string>();
    const holding = new Set<string>();
    return {
      holds: (agentId: string) => void holding.add(agentId),
      has: ({ id, agentId }: Ticket) => holding.has(agentId) || closed.has(id),
      async ask(tickets: readonly Ticket[]): Promise<void> {
        const fresh = tickets.filter(({ id }) => !asked.has(id));
        if (fresh.length === 0) return;
        const agents = [...new Set(fresh.map(({ agentId }) => agentId))];
        for (const agentId of await store.holding(agents)) holding.add(agentId);
        const open = new Set(await chooser.open(fresh));
        for (const ticket of fresh) {
          asked.add(ticket.id);
          if (!open.has(ticket)) closed.add(ticket.id);
        }
      },
    };
  }

  /** Of those who wait, all that may win something. */
  async function candidatesOf(
    demands: readonly (readonly Ticket[])[],
    { keys }: Work,
    tasks: number,
    out: ReturnType<typeof createOut>,
  ): Promise<Ticket[]> {
    const buckets = keys.map(parseBucketKey);
    for (let most = tasks; ; most *= MORE) {
      const found = candidates(demands, buckets, tasks, out.has);
      // More than these: who may win when all of them hold something is then known, too.
      await out.ask(most === tasks ? found : candidates(demands, buckets, most, out.has));
      if (!found.some(out.has)) return found;
    }
  }

  async function pairOff(
    demands: readonly (readonly Ticket[])[],
    work: Work,
    out: ReturnType<typeof createOut>,
  ): Promise<[Ticket, Served][]> {
    const { version, keys } = work;
    const waiting = demands.reduce((sum, tickets) => sum + tickets.length, 0);
    const supply = await store.peek(keys, waiting);
    const tasks = supply.reduce((sum, { scores }) => sum + scores.length, 0);
    const tickets = await candidatesOf(demands, work, tasks, out);
    const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
    const seekers = tickets.map((ticket) => ({ ...ticket, since: ticket.createdAt }));
    return Promise.all(
      pair(seekers, supply).flatMap(({ waiter, bucket }) => {
        const ticket = byId.get(waiter);
        if (ticket === undefined) return [];
        const choice = { groups: [[bucket]], version };
        return serve(ticket, choice).then((outcome): [Ticket, Served] => [ticket, outcome]);
      }),
    );
  }

  return {
    workFor,
    ofLiving,
    async serveAll(demands, known) {
      const heads = demands.flatMap(([first]) => first ?? []);
      const out = createOut();
      for (let work = known ?? (await workFor(heads)); work !== null; work = await workFor(heads)) {
        const outcomes = await pairOff(demands, work, out);
        const has = (wanted: Served) => outcomes.some(([, outcome]) => outcome === wanted);
        for (const [{ agentId }, outcome] of outcomes) {
          if (outcome !== 'missed') out.holds(agentId);
        }
        // What was kept for a holder goes to somebody else in the same turn. Each time fewer are left.
        if (!has('unfinished')) return has('missed');
      }
      return false;
    },
  };
}
